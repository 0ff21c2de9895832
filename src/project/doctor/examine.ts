import { checkAgents } from './check-agents.ts';
import { checkMachine } from './check-machine.ts';
import { checkRuns, type Examined } from './check-runs.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkTrust } from './check-trust.ts';
import { checkWorkflows } from './check-workflows.ts';
import type { DoctorCheck } from './check.ts';

export async function examine(project: Examined): Promise<DoctorCheck[]> {
  return [
    ...checkMachine(project),
    ...checkTrust(project),
    await checkSandbox(project),
    ...(await checkAgents(project)),
    ...(await checkWorkflows(project)),
    ...(await checkRuns(project)),
  ];
}
