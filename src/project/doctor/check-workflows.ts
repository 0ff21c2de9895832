import { plural, shellWord } from '../../base/index.ts';
import { preflight } from '../preflight/preflight.ts';
import type { Trusting } from '../surroundings.ts';
import { loadForReading } from '../workflows/load-definition.ts';
import { isData, workflowFiles } from '../workflows/workflow-files.ts';
import { ok, warn, type DoctorCheck } from './check.ts';

/** What runs of each workflow would lack. Of those written as data: to look at a program would be to run it. */
export async function checkWorkflows(project: Trusting): Promise<DoctorCheck[]> {
  const files = workflowFiles(project.config).filter(({ file }) => isData(file));
  const checks = await Promise.all(
    files.map(async ({ name, file }) => checkWorkflow(project, { name, file })),
  );
  const lacking = checks.filter((check) => check !== undefined);
  if (files.length === 0 || lacking.length > 0) return lacking;
  return [ok('workflows', `${plural(files.length, 'workflow')}, and what they need is here`)];
}

async function checkWorkflow(
  project: Trusting,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<DoctorCheck | undefined> {
  // What is wrong with a file is for `validate` to say.
  const workflow = await loadForReading(file, project).catch(() => undefined);
  if (workflow === undefined) return undefined;
  const { findings } = await preflight(project, workflow, file);
  // Agents have lines of their own.
  const missing = findings.filter(({ level, kind }) => level === 'error' && kind !== 'agent');
  if (missing.length === 0) return undefined;
  const text = missing.map(({ message }) => message.replace(/\.$/, '')).join('; ');
  return warn(`workflow ${name}`, text, `piton validate ${shellWord(name)} --preflight`);
}
