import { isProgram, type SetupSpec, type WorkspaceSpec } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft, CommandDraft, TaskDraft } from '../workflow-draft.ts';
import { checkRun, checkShell } from './check-command.ts';
import { checkPaths, copying, sharing } from './check-paths.ts';
import { irreversibleReason } from './classify-command.ts';
import { completeCommand } from './finish-command.ts';

export interface FinishedSetup {
  readonly setup?: SetupSpec;
  readonly findings: readonly Finding[];
}

/** Fills in what the draft of a setup leaves out: it is given what the task is given. */
export function finishSetup({ setup, work }: TaskDraft, at: Path): FinishedSetup {
  // That others have no place of their own, to be made usable, is told where places are checked.
  if (setup === undefined || !isProgram(work)) return { findings: [] };
  const place = [...at, 'setup'];
  const filling = fillingOf(setup);
  const filled = checkFilling(filling, place);
  if (setup.work === undefined) {
    return { setup: filling, findings: isEmpty(filling) ? [nothingToDo(place)] : filled };
  }
  const draft = withSurroundings(setup.work, work);
  const { work: command, findings } = completeCommand(draft, 'none', place);
  return {
    setup: { ...filling, work: command },
    findings: [
      ...filled,
      ...checkRun(draft, [...place, 'run'], '`setup`'),
      ...checkShell(draft, [...at, 'shell']),
      ...checkRepeatable(command.run, place),
      ...findings,
    ],
  };
}

/** What a place is given besides what its command makes. */
type FillingSpec = Omit<SetupSpec, 'work'>;

function fillingOf({ copy = [], ports, caches }: NonNullable<TaskDraft['setup']>): FillingSpec {
  return { copy, ...(ports !== undefined && { ports }), ...(caches !== undefined && { caches }) };
}

function isEmpty({ copy, ports, caches = [] }: FillingSpec): boolean {
  return copy.length + caches.length === 0 && ports === undefined;
}

function checkFilling({ copy, caches = [] }: FillingSpec, at: Path): Finding[] {
  const both = caches.flatMap((path, index) =>
    copy.includes(path) ? [copiedToo(path, [...at, 'caches', index])] : [],
  );
  return [
    ...checkPaths(copy, copying, [...at, 'copy']),
    ...checkPaths(caches, sharing, [...at, 'caches']),
    ...both,
  ];
}

function copiedToo(path: string, at: Path): Finding {
  const message = `\`${path}\` is copied too: then each place has one of its own, and nothing is shared.`;
  return { at, message, remedy: 'Take it out of `copy`, or out of `caches`.' };
}

function withSurroundings(setup: CommandDraft, work: CommandDraft | AgentDraft): CommandDraft {
  return {
    ...setup,
    shell: setup.shell ?? ('shell' in work ? work.shell : undefined),
    env: { ...ownEnvironment(work), ...setup.env },
    secrets: setup.secrets ?? work.secrets,
    inheritEnv: setup.inheritEnv ?? work.inheritEnv,
  };
}

/** A finished command also holds its own expressions, which are nothing to others. */
function ownEnvironment({ env = {} }: CommandDraft | AgentDraft): NonNullable<CommandDraft['env']> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PITON_VALUE_\d+$/.test(name)));
}

function nothingToDo(at: Path): Finding {
  const remedy = 'Give it `run`, `copy`, `ports` or `caches`, or remove it.';
  return { at, message: 'This setup does nothing.', remedy };
}

/** It is done anew in every place, and again after every interruption: nobody could ask each time. */
function checkRepeatable(run: string | readonly string[], at: Path): Finding[] {
  const reason = irreversibleReason(run);
  if (reason === undefined) return [];
  const message = `A setup is done again for every place, and this one cannot be taken back: ${reason}.`;
  return [{ at: [...at, 'run'], message, remedy: 'Put that into a task of its own.' }];
}

/** That a setup will never be done. */
export function suggestSetup(
  { setup, workspace }: TaskDraft,
  ofWorkflow: WorkspaceSpec | undefined,
  at: Path,
): Finding[] {
  if (setup === undefined || (workspace ?? ofWorkflow)?.mode !== 'shared') return [];
  const message = 'A setup is done in places of their own, and by `workspace: shared` there is none.';
  return [{ at: [...at, 'setup'], message, remedy: 'Remove it, or say `workspace: worktree`.' }];
}
