import type { CheckSpec } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft, CheckDraft, CommandDraft, TaskDraft } from '../workflow-draft.ts';
import { checkRun, checkShell } from './check-command.ts';
import { irreversibleReason } from './classify-command.ts';
import { completeCommand } from './finish-command.ts';

export interface FinishedCheck {
  readonly check?: CheckSpec;
  readonly findings: readonly Finding[];
}

const oneRevision = 1;

/** Fills in what the draft of a check leaves out: it runs where the agent runs, and is given what the agent is given. */
export function finishCheck({ check, work }: TaskDraft, at: Path): FinishedCheck {
  if (check === undefined) return { findings: [] };
  if (work.type !== 'agent') return { findings: [notOfAgent(work.type, at)] };
  const draft = withSurroundings(check, work);
  const place = [...at, 'check'];
  const { work: command, findings } = completeCommand(draft, 'none', place);
  return {
    check: {
      work: command,
      revise: check.revise ?? oneRevision,
      onInterrupt: check.onInterrupt ?? (irreversibleReason(command.run) === undefined ? 'restart' : 'ask'),
    },
    findings: [
      ...checkRun(draft, [...place, 'run'], '`check`'),
      ...checkShell(draft, [...at, 'shell']),
      ...findings,
    ],
  };
}

function withSurroundings({ work }: CheckDraft, agent: AgentDraft): CommandDraft {
  return {
    ...work,
    env: { ...agent.env, ...work.env },
    secrets: work.secrets ?? agent.secrets,
    inheritEnv: work.inheritEnv ?? agent.inheritEnv,
    workingDirectory: work.workingDirectory ?? agent.workingDirectory,
  };
}

/** Of what fails by itself, a check would be a second word for the same. */
const instead: Readonly<Record<Exclude<TaskDraft['work']['type'], 'agent'>, string>> = {
  command: 'Put it into `run`, behind `&&`: a command that fails has failed.',
  function: 'Let the function throw, or put the check into a task of its own.',
  workflow: 'Put it on the task inside that has the `prompt`, or into a task of its own.',
  deliver: 'Put it into a task of its own.',
  ask: 'Remove it: the answer is checked against `type` or `choices`.',
};

const insteadInCode: Readonly<Partial<Record<keyof typeof instead, { readonly remedy: string }>>> = {
  command: { remedy: 'Put it into the command, behind `&&`: a command that fails has failed.' },
  workflow: { remedy: 'Put it on the agent inside that does the work, or into a task of its own.' },
};

export function notOfAgent(kind: keyof typeof instead, at: Path): Finding {
  const message = '`check` is for agents, and this task has no `prompt`.';
  const inCode = { message: '`check` is for agents, and this task is done by none.', ...insteadInCode[kind] };
  return { at: [...at, 'check'], onKey: true, message, remedy: instead[kind], inCode };
}

/** That what decides whether a task is done has effects of its own. */
export function suggestCheck({ check, name }: TaskDraft, at: Path): Finding[] {
  const reason = check === undefined ? undefined : irreversibleReason(check.work.run);
  if (reason === undefined) return [];
  const message = `The check of \`${name}\` is more than a look: ${reason}. It is run again after every revision.`;
  const remedy = `Put that into a task that needs \`${name}\`.`;
  return [{ at: [...at, 'check'], message, remedy }];
}
