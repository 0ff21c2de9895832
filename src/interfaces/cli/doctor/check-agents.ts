import { lookForAgents, mendText, testedText, type FoundAgent } from '../agents/look-for-agents.ts';
import { agentWorks } from '../agents/agent-works.ts';
import type { Context } from '../context.ts';
import { isData, loadForReading, workflowFiles } from '../workflows.ts';
import { ok, warn, type Check } from './check.ts';

/** Agents that are installed, and those that a workflow cannot do without. */
export async function checkAgents(context: Context): Promise<Check[]> {
  const found = (await lookForAgents(context)).filter(({ agent }) => agent.login !== '');
  const wanted = await wantedBy(context, new Set(found.filter(isThere).map(({ agent }) => agent.name)));
  return found.flatMap((each) => checkAgent(each, wanted.get(each.agent.name) ?? []));
}

function isThere({ detection }: FoundAgent): boolean {
  return !('missing' in detection);
}

function checkAgent(found: FoundAgent, workflows: readonly string[]): Check[] {
  const { agent, detection } = found;
  const { name } = agent;
  if (!('missing' in detection)) {
    const text = `${detection.version}, ${detection.path}`;
    if (detection.isTested) return [ok(name, text)];
    return [warn(name, `${text}: this version is untested`, `It may well work; ${testedText(agent)}.`)];
  }
  if (workflows.length === 0) return [];
  const text = `${detection.missing}; needed by ${workflows.join(', ')}`;
  const remedy = mendText(found);
  return [warn(name, text, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`)];
}

/** Which workflows name an agent that is missing, where no other would do instead. */
async function wantedBy(
  context: Context,
  installed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string[]>> {
  const wanted = new Map<string, string[]>();
  for (const { name, agents } of await agentsOfWorkflows(context)) {
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
async function agentsOfWorkflows(context: Context): Promise<Use[]> {
  const files = workflowFiles(context.config).filter(({ file }) => isData(file));
  const uses = await Promise.all(
    files.map(async ({ name, file }) => {
      // What is wrong with a file is for `validate` to say.
      const workflow = await loadForReading(file, context).catch(() => undefined);
      return workflow === undefined ? [] : agentWorks(workflow).map(({ agents }) => ({ name, agents }));
    }),
  );
  return uses.flat();
}
