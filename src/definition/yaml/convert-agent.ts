import type { AgentWork, Dynamic } from '../../model/index.ts';
import { isReported, type Finding, type Path } from '../problems.ts';
import type { AgentDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { toBudget, toList } from './convert-settings.ts';
import { renameInText, renameInValue } from './rename-in-values.ts';
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
    budget: toBudget(task.budget),
    args: task.args?.map(String),
    env: renameInValue(task.env, variables) as Readonly<Record<string, Dynamic>> | undefined,
    secrets: toList(task.secrets),
    workingDirectory: directory === undefined ? undefined : renameInText(directory, variables),
  };
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
