import { testedText, type AgentView } from '../agents/agent-view.ts';
import { agentWorks } from '../agents/agent-works.ts';
import { lookForAgents } from '../agents/look-for-agents.ts';
import type { Trusting } from '../surroundings.ts';
import { loadForReading } from '../workflows/load-definition.ts';
import { isData, workflowFiles } from '../workflows/workflow-files.ts';
import { ok, warn, type DoctorCheck } from './check.ts';

/** Agents that are installed, and those that a workflow cannot do without. */
export async function checkAgents(project: Trusting): Promise<DoctorCheck[]> {
  const agents = (await lookForAgents(project)).filter(({ login }) => login !== undefined);
  const installed = new Set(agents.filter((agent) => agent.installed).map(({ name }) => name));
  const wanted = await wantedBy(project, installed);
  return agents.flatMap((agent) => checkAgent(agent, wanted.get(agent.name) ?? []));
}

function checkAgent(agent: AgentView, workflows: readonly string[]): DoctorCheck[] {
  const { name, installed, version, path, isTested, missing, remedy = '' } = agent;
  if (installed) {
    const text = `${version}, ${path}`;
    if (isTested) return [ok(name, text)];
    return [warn(name, `${text}: this version is untested`, `It may well work; ${testedText(agent)}.`)];
  }
  if (workflows.length === 0) return [];
  const text = `${missing}; needed by ${workflows.join(', ')}`;
  return [warn(name, text, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`)];
}

/** Which workflows name an agent that is missing, where no other would do instead. */
async function wantedBy(
  project: Trusting,
  installed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string[]>> {
  const wanted = new Map<string, string[]>();
  for (const { name, agents } of await agentsOfWorkflows(project)) {
    if (agents.some((agent) => installed.has(agent))) continue;
    for (const agent of agents) wanted.set(agent, [...new Set([...(wanted.get(agent) ?? []), name])]);
  }
  return wanted;
}

interface Use {
  /** Of the workflow. */
  readonly name: string;
  /** Of one task, by preference. */
  readonly agents: readonly string[];
}

/** Of those written as data: to look at a program would be to run it. */
async function agentsOfWorkflows(project: Trusting): Promise<Use[]> {
  const files = workflowFiles(project.config).filter(({ file }) => isData(file));
  const uses = await Promise.all(
    files.map(async ({ name, file }) => {
      // What is wrong with a file is for `validate` to say.
      const workflow = await loadForReading(file, project).catch(() => undefined);
      return workflow === undefined ? [] : agentWorks(workflow).map(({ agents }) => ({ name, agents }));
    }),
  );
  return uses.flat();
}
