import { isProgram, type WorkspaceSpec } from '../../model/index.ts';
import { hasExpression } from '../expressions/templates.ts';
import { keyInCode, type Finding, type Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import { checkCopiedFolder, checkPaths, keeping } from './check-paths.ts';
import type { Scope } from './scope.ts';

/** What is wrong with where a task is to work, and with what becomes of its work. `around`: what the workflow says. */
export function checkPlace(task: TaskDraft, around: WorkspaceSpec | undefined, at: Path): Finding[] {
  if (!isProgram(task.work)) return checkPlaceless(task, at);
  const workspace = task.workspace ?? around;
  return [
    ...checkWorkspace(task.workspace, [...at, 'workspace']),
    ...checkPool(task, workspace, [...at, 'pool']),
    ...checkPaths(task.artifacts ?? [], keeping, [...at, 'artifacts']),
    ...checkFar(task, workspace, at),
    ...checkConflicts(task, [...at, 'on-conflict']),
    ...checkNetwork(task, [...at, 'network']),
  ];
}

function checkNetwork({ sandbox, network }: TaskDraft, at: Path): Finding[] {
  if (network !== 'off' || sandbox !== 'off') return [];
  const message = '`network: off` holds only in a sandbox, and this task has none.';
  return [{ at, onKey: true, message, remedy: 'Remove `sandbox: off`, or `network: off`.' }];
}

/** Functions, nested workflows and deliveries have no place of their own. */
function checkPlaceless(task: TaskDraft, at: Path): Finding[] {
  const { workspace, setup, onConflict, artifacts, pool, sandbox, network } = task;
  const given = { workspace, setup, 'on-conflict': onConflict, artifacts, sandbox, network };
  const misplaced = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([key]) => notOfProcess(key, { remedy: 'Put it on the tasks that run them.' }, at));
  if (pool === undefined) return misplaced;
  const remedy = 'Remove it: `max-parallel` in `for-each` says how many items are at work at once.';
  const inCode = { remedy: 'Remove it: `maxParallel` in `forEach` says how many items are at work at once.' };
  return [...misplaced, notOfProcess('pool', { remedy, inCode }, at)];
}

function notOfProcess(key: string, given: Pick<Finding, 'remedy' | 'inCode'>, at: Path): Finding {
  const inCode = { message: forProcesses(keyInCode(key)), ...given.inCode };
  return { at: [...at, key], onKey: true, message: forProcesses(key), ...given, inCode };
}

function forProcesses(key: string): string {
  return `\`${key}\` is for commands and agents: only they have a place of their own.`;
}

function checkWorkspace(workspace: WorkspaceSpec | undefined, at: Path): Finding[] {
  if (workspace?.mode === 'directory' && workspace.copyOf !== undefined)
    return checkCopiedFolder(workspace.copyOf, [...at, 'copy']);
  if (workspace?.mode !== 'remote' || /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(workspace.remote)) return [];
  const message = `\`${workspace.remote}\` cannot be the name of a machine.`;
  const remedy = 'Write a name that stands under `remotes` in `.piton/config.yaml`.';
  return [{ at: [...at, 'remote'], message, remedy }];
}

function checkPool({ pool, forEach }: TaskDraft, workspace: WorkspaceSpec | undefined, at: Path): Finding[] {
  if (pool === undefined) return [];
  if (forEach === undefined) {
    const message = '`pool` is shared by the items of a `for-each`, and this task has none.';
    const inCode = {
      message: '`pool` is shared by the items of a `forEach`, and this task has none.',
      remedy: 'Remove it, or add `forEach`.',
    };
    return [{ at, onKey: true, message, remedy: 'Remove it, or add `for-each`.', inCode }];
  }
  if (workspace?.mode !== 'shared') return [];
  const message = 'A `pool` consists of places, and by `workspace: shared` there is none.';
  const remedy = 'Remove it, or say `workspace: worktree`.';
  const inCode = {
    message: "A `pool` consists of places, and by `workspace: 'shared'` there is none.",
    remedy: "Remove it, or say `workspace: 'worktree'`.",
  };
  return [{ at, onKey: true, message, remedy, inCode }];
}

/** What is found on this machine is of no use on another. */
function checkFar(
  { setup, pool, artifacts }: TaskDraft,
  workspace: WorkspaceSpec | undefined,
  at: Path,
): Finding[] {
  if (workspace?.mode !== 'remote') return [];
  const given: readonly (readonly [path: Path, value: unknown])[] = [
    [['setup', 'ports'], setup?.ports],
    [['setup', 'caches'], setup?.caches],
    [['pool'], pool],
    [['artifacts'], artifacts],
  ];
  return given
    .filter(([, value]) => value !== undefined)
    .map(([path]) => ({
      at: [...at, ...path],
      onKey: true,
      message: `\`${path.at(-1)}\` is for places on this machine only, and this task works on \`${workspace.remote}\`.`,
      remedy: 'Take it out, or let the task work in a `worktree`.',
    }));
}

function checkConflicts({ onConflict, work }: TaskDraft, at: Path): Finding[] {
  if (onConflict !== 'agent' || work.type === 'agent') return [];
  const message = 'Only an agent can resolve a conflict, and this task has no `prompt`.';
  const inCode = {
    message: 'Only an agent can resolve a conflict, and this task is done by none.',
  };
  return [{ at, message, remedy: 'Write `hold`: a person is asked.', inCode }];
}

/** Of the workflow as a whole. */
export function checkPlaces({ draft, at }: Scope): Finding[] {
  return [
    ...checkWorkspace(draft.workspace, [...at, 'workspace']),
    ...checkBase(draft.base, [...at, 'base']),
  ];
}

/** A commit is found by git; here only what can never be one, or would be read as something else, is refused. */
function checkBase(base: string | undefined, at: Path): Finding[] {
  if (base === undefined || isCommitName(base)) return [];
  const remedy = 'Write the name of a branch or tag, such as `main`, or a commit.';
  const message = hasExpression(base)
    ? '`base` cannot hold `${{ }}`: it is the same for all runs.'
    : `\`${base}\` cannot be a branch or a commit.`;
  return [{ at, message, remedy }];
}

function isCommitName(text: string): boolean {
  return /^[^\s\p{Cc}-][^\s\p{Cc}]*$/u.test(text) && !text.includes('..') && !hasExpression(text);
}
