import { encodeName, reservedNames } from '../../model/index.ts';

export { encodeName, runBranch } from '../../model/index.ts';

/** What Piton has last moved the branch of the run to: it holds all that tasks have made, whatever becomes of the branch. */
export function runTipRef(run: string): string {
  return `refs/piton/runs/${encodeName(run)}`;
}

export interface PlaceOwner {
  readonly task: string;
  readonly generation: number;
}

/** Under what a task goes in paths and refs: each time it is begun from scratch, it has another. */
export function placeName({ task, generation }: PlaceOwner): string {
  return generation === 0 ? task : `${task}~${generation + 1}`;
}

/** From the folder of all places to that of a task, or of the slot that it has. */
export function placeWay(
  owner: PlaceOwner & {
    readonly run: string;
    readonly slot?: { readonly pool: string; readonly number: number };
  },
): string {
  const { run, slot } = owner;
  const name =
    slot === undefined ? encodeName(placeName(owner)) : `${encodeName(slot.pool)}~slot-${slot.number}`;
  return `${encodeName(run)}/${name}`;
}

/** Beside the run's branch, not below it: git cannot hold `a` and `a/b` as branches at once. */
export function taskBranch(run: string, task: string): string {
  return `refs/heads/piton-tasks/${encodeName(run)}/${encodeName(task)}`;
}

export interface SnapshotName {
  readonly run: string;
  readonly task: string;
  readonly attempt: string;
  readonly number: number;
}

export function snapshotRef({ run, task, attempt, number }: SnapshotName): string {
  return `${taskRefs(run, task)}/${encodeName(attempt)}/${number}`;
}

/** The files of a task as they were last saved: each leads to the one before. */
export function savedRef(branch: string): string {
  return `${branch.replace('refs/heads/piton-tasks/', 'refs/piton/')}/saved`;
}

/** What would otherwise be out of reach: commits that an agent has left behind. */
export function keptRef(run: string, task: string, commit: string): string {
  return `${taskRefs(run, task)}/kept/${commit}`;
}

export function archiveRef(run: string, task: string, atMs: number): string {
  return `${archivesOf(run, task)}${archiveStamp(atMs)}`;
}

/** The last part of an archive's name, as a ref or as a folder. */
export function archiveStamp(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:.]/g, '').toLowerCase();
}

/** What all archives of a task begin with. */
export function archivesOf(run: string, task: string): string {
  return `${archivesOfRun(run)}${encodeName(task)}/`;
}

export function archivesOfRun(run: string): string {
  return `refs/piton/archive/${encodeName(run)}/`;
}

/** In the user's repository of a submodule: a commit that a run has made there. */
export function moduleRef(commit: string): string {
  return `refs/piton/kept/${commit}`;
}

/** The time in the name of an archive. */
export function archiveTime(ref: string): number {
  const [, day, time, rest] = /\/(\d{8})t(\d{6})(\d{3})z$/.exec(ref) ?? [];
  if (day === undefined || time === undefined) return 0;
  const pairs = time.replace(/^(..)(..)(..)$/, '$1:$2:$3');
  return Date.parse(`${day.replace(/^(....)(..)(..)$/, '$1-$2-$3')}T${pairs}.${rest}Z`);
}

function taskRefs(run: string, task: string): string {
  return `refs/piton/${encodeName(run)}/${encodeName(task)}`;
}

/** Whether a ref is in one of the places where nobody but Piton writes. */
export function isOwnRef(ref: string): boolean {
  return /^refs\/(heads\/piton\/|heads\/piton-tasks\/|piton\/)./.test(ref);
}

/** What a ref of Piton's keeps, and of whom, by the names that these have in refs. */
export interface KeptName {
  readonly what: 'commit' | 'saved' | 'tip' | 'branch';
  readonly run: string;
  readonly task?: string;
}

/** undefined: it is an archive, the branch of a task, or nothing that this Piton makes. */
export function readKeptName(ref: string): KeptName | undefined {
  const [, branch, tip] = /^refs\/(?:heads\/piton\/([^/]+)|piton\/runs\/([^/]+))$/.exec(ref) ?? [];
  if (branch !== undefined) return { what: 'branch', run: branch };
  if (tip !== undefined) return { what: 'tip', run: tip };
  const [, run, task, kept] =
    /^refs\/piton\/([^/]+)\/([^/]+)\/(?:(kept)\/[0-9a-f]+|saved|[^/]+\/\d+)$/.exec(ref) ?? [];
  if (run === undefined || task === undefined || reservedNames.has(run)) return undefined;
  return { what: kept === undefined ? 'saved' : 'commit', run, task };
}

/** Where git-crypt keeps the keys of a repository, in its folder. */
export const keysName = 'git-crypt';
