import type { AgentWork, Dynamic } from '../../model/index.ts';
import { isReported, type Finding, type Path } from '../problems.ts';
import type { AgentDraft, TaskDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { toBudget, toInherited, toList, toMilliseconds } from './convert-settings.ts';
import { renameInRun, renameInText, renameInValue } from './rename-in-values.ts';
import type { Entry } from './task-keys.ts';

/** Instead of a prompt that cannot be had, which has been reported. */
const unread = '…';

export function convertAgent(task: Entry, { at, around }: { at: Path; around: Conversion }): AgentDraft {
  const { variables, findings } = around;
  const directory = task['working-directory'];
  const session = convertSession(task.session, [...at, 'session'], findings);
  return {
    type: 'agent',
    agents: toList(task.agent) ?? [],
    prompt: renameInText(promptOf(task.prompt!, { at: [...at, 'prompt'], around }), variables),
    permissions: task.permissions,
    session,
    model: task.model,
    effort: task.effort,
    maxTurns: task['max-turns'],
    idleTimeoutMs: toMilliseconds(task['idle-timeout'], [...at, 'idle-timeout'], findings),
    // A wrong key has been taken out of it: what is left is not what was meant.
    budget: isReported([...at, 'budget'], findings) ? undefined : toBudget(task.budget),
    args: toArguments(task.args),
    env: renameInValue(task.env, variables) as Readonly<Record<string, Dynamic>> | undefined,
    secrets: toList(task.secrets),
    inheritEnv: toInherited(task['inherit-env']),
    workingDirectory: directory === undefined ? undefined : renameInText(directory, variables),
  };
}

function toArguments(args: Entry['args']): AgentDraft['args'] {
  if (args === undefined || Array.isArray(args)) return args?.map(String);
  return Object.fromEntries(Object.entries(args).map(([agent, list]) => [agent, list.map(String)]));
}

/** What decides whether an agent's work is done. The rest of its command is what the agent has. */
export function convertCheck(task: Entry, variables: ReadonlySet<string>): TaskDraft['check'] {
  const { check = false, shell } = task;
  if (check === false) return undefined;
  const { run, revise } = typeof check === 'string' ? { run: check } : check;
  return { work: { type: 'command', run: renameInRun(run, variables), shell }, revise };
}

function promptOf(
  prompt: NonNullable<Entry['prompt']>,
  { at, around }: { at: Path; around: Conversion },
): string {
  if (typeof prompt === 'string') return prompt;
  return isReported(at, around.findings) ? unread : (around.readPrompt(prompt.file, at) ?? unread);
}

function convertSession(session: Entry['session'], at: Path, findings: Finding[]): AgentWork['session'] {
  if (session === undefined) return undefined;
  const { continue: continued, fork } = session;
  if ((continued === undefined) === (fork === undefined)) {
    const message = 'A session is either gone on in (`continue`) or copied (`fork`).';
    findings.push({ at, message, remedy: 'Write `{ continue: <task> }` or `{ fork: <task> }`.' });
    return undefined;
  }
  return continued === undefined ? { fork: fork! } : { continue: continued };
}
