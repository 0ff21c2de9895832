import type { SetupSpec, WorkspaceSpec } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft, CommandDraft, TaskDraft } from '../workflow-draft.ts';
import { checkRun, checkShell } from './check-command.ts';
import { checkCopies } from './check-copies.ts';
import { irreversibleReason } from './classify-command.ts';
import { completeCommand } from './finish-command.ts';

export interface FinishedSetup {
  readonly setup?: SetupSpec;
  readonly findings: readonly Finding[];
}

/** Fills in what the draft of a setup leaves out: it is given what the task is given. */
export function finishSetup({ setup, work }: TaskDraft, at: Path): FinishedSetup {
  // That others have no place of their own, to be made usable, is told where places are checked.
  if (setup === undefined || !isProcess(work)) return { findings: [] };
  const place = [...at, 'setup'];
  const copy = setup.copy ?? [];
  const copies = checkCopies(copy, [...place, 'copy']);
  if (setup.work === undefined) {
    return { setup: { copy }, findings: copy.length === 0 ? [nothingToDo(place)] : copies };
  }
  const draft = withSurroundings(setup.work, work);
  const { work: command, findings } = completeCommand(draft, 'none', place);
  return {
    setup: { copy, work: command },
    findings: [
      ...copies,
      ...checkRun(draft, [...place, 'run'], '`setup`'),
      ...checkShell(draft, [...at, 'shell']),
      ...checkRepeatable(command.run, place),
      ...findings,
    ],
  };
}

export function isProcess(work: TaskDraft['work']): work is CommandDraft | AgentDraft {
  return work.type === 'command' || work.type === 'agent';
}

function withSurroundings(setup: CommandDraft, work: CommandDraft | AgentDraft): CommandDraft {
  return {
    ...setup,
    shell: setup.shell ?? ('shell' in work ? work.shell : undefined),
    env: { ...ownEnvironment(work), ...setup.env },
    secrets: setup.secrets ?? work.secrets,
  };
}

/** A finished command also holds its own expressions, which are nothing to others. */
function ownEnvironment({ env = {} }: CommandDraft | AgentDraft): NonNullable<CommandDraft['env']> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PITON_VALUE_\d+$/.test(name)));
}

function nothingToDo(at: Path): Finding {
  const remedy = 'Give it `run`, or `copy`, or remove it.';
  return { at, message: 'This setup does nothing.', remedy };
}

/** It is done anew in every place, and again after every interruption: nobody could ask each time. */
function checkRepeatable(run: string | readonly string[], at: Path): Finding[] {
  const reason = irreversibleReason(run);
  if (reason === undefined) return [];
  const message = `A setup is done again for every worktree, and this one cannot be taken back: ${reason}.`;
  return [{ at: [...at, 'run'], message, remedy: 'Put that into a task of its own.' }];
}

/** That a setup will never be done. */
export function suggestSetup(
  { setup, workspace }: TaskDraft,
  ofWorkflow: WorkspaceSpec | undefined,
  at: Path,
): Finding[] {
  if (setup === undefined || (workspace ?? ofWorkflow)?.mode !== 'shared') return [];
  const message = 'A setup is done in worktrees only, and by `workspace: shared` there is none.';
  return [{ at: [...at, 'setup'], message, remedy: 'Remove it, or say `workspace: worktree`.' }];
}
