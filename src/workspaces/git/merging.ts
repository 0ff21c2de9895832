import type { PitonError } from '../../base/index.ts';
import { withAttributes } from './attributes.ts';
import { mergeBaseOf } from './ancestry.ts';
import { readCommit, type CommitFacts, type Trailers } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { Git, GitResult } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findCaseClashes } from './case-clashes.ts';
import { nameSides, type SideNames } from './conflict-names.ts';
import { readConflicts, type ConflictFile } from './merge-output.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

export interface MergeOrder {
  readonly repository: RepositoryPlace;
  readonly ours: string;
  readonly theirs: string;
  /** What the two sides are called in a conflict; absent: by their commits. */
  readonly names?: SideNames;
  /** Of theirs, if it is known: saves asking for it. */
  readonly made?: Pick<CommitFacts, 'tree' | 'parents'>;
  readonly message: string;
  /** Of the attempt whose work is merged. */
  readonly trailers: Trailers;
  readonly at: number;
  /** Two names that differ only in case are a conflict, since no checkout here could hold both. */
  readonly isCaseInsensitive?: boolean;
}

export type MergeResult =
  | { readonly type: 'merged'; readonly commit: string; readonly tree: string }
  /** The work of this attempt is contained in ours. */
  | { readonly type: 'already' }
  | {
      readonly type: 'conflict';
      /** None, if the two have no history in common. */
      readonly files: readonly ConflictFile[];
      readonly messages: readonly string[];
      /** Both sides, with marks where they differ; undefined if git could make nothing of them. */
      readonly tree?: string;
    };

/** Merges two commits without any working tree, and moves no ref. Carried out again, it makes the same commit. */
export async function mergeInto(git: Git, order: MergeOrder): Promise<MergeResult> {
  const { repository, ours, theirs } = order;
  const base = order.made?.parents.includes(ours) ? ours : await mergeBaseOf(git, repository, [ours, theirs]);
  if (base === theirs) return { type: 'already' };
  if (base !== ours && (await isNamed(git, order))) return { type: 'already' };
  const merge = base === ours ? await forward(git, order) : await mergeTrees(git, order);
  if (merge.type === 'conflict') return merge;
  const parents = [ours, theirs];
  const commit = await writeCommit(git, repository, { ...order, tree: merge.tree, parents });
  return { type: 'merged', commit, tree: merge.tree };
}

/** Ancestry alone would miss work that was squashed; the attempt is named by the commit that brought it in. */
function isNamed(git: Git, { repository, ours, theirs, trailers }: MergeOrder): Promise<boolean> {
  return isAttemptIn(git, repository, { attempt: trailers.attempt, commits: [ours, `^${theirs}`] });
}

/** Whether one of these commits says that it brought in the work of an attempt. */
export async function isAttemptIn(
  git: Git,
  repository: RepositoryPlace,
  { attempt, commits }: { readonly attempt: string; readonly commits: readonly string[] },
): Promise<boolean> {
  const wanted = `Piton-Attempt: ${attempt}`;
  const format = '--format=%(trailers:key=Piton-Attempt,only)%x00';
  const search = ['log', '-z', '--fixed-strings', `--grep=${wanted}`, format, ...commits, '--'];
  const { stdout } = await git.run(search, inRepository(repository));
  return splitAtZeros(stdout).some((text) => text.trim().split('\n').includes(wanted));
}

/** There is nothing to merge: theirs contains ours. */
async function forward(git: Git, order: MergeOrder): Promise<TreeMerge> {
  const { repository, theirs, made } = order;
  const { tree } = made ?? (await readCommit(git, repository, theirs));
  return withoutClashes(git, order, { type: 'tree', tree });
}

export type TreeMerge =
  { readonly type: 'tree'; readonly tree: string } | Extract<MergeResult, { type: 'conflict' }>;

type Sides = Pick<MergeOrder, 'repository' | 'ours' | 'theirs' | 'names' | 'isCaseInsensitive'>;

/** Makes no commit. */
export async function mergeTrees(git: Git, sides: Sides): Promise<TreeMerge> {
  const { names } = sides;
  const merge = await tryMerge(git, sides);
  if (merge.type !== 'conflict' || names === undefined) return withoutClashes(git, sides, merge);
  const { tree } = merge;
  return tree === undefined ? merge : nameSides(git, { ...sides, names }, { ...merge, tree });
}

async function withoutClashes(git: Git, sides: Sides, merge: TreeMerge): Promise<TreeMerge> {
  if (merge.type === 'conflict' || sides.isCaseInsensitive !== true) return merge;
  const clashes = await findCaseClashes(git, sides, merge.tree);
  if (clashes.length === 0) return merge;
  return { type: 'conflict', files: clashes, messages: clashes.map(clashMessage) };
}

async function tryMerge(git: Git, { repository, ours, theirs, names }: Sides): Promise<TreeMerge> {
  const settings = ['merge.renames=true', 'merge.directoryRenames=conflict', 'merge.renameLimit=10000'];
  const args = [
    ...settings.flatMap((setting) => ['-c', setting]),
    'merge-tree',
    '--write-tree',
    '-z',
    '--messages',
    ours,
    theirs,
  ];
  try {
    const place = { repository, commit: ours };
    return await withAttributes(git, place, async (setting) =>
      readMerge(await git.run(args, { ...setting, okCodes: [0, 1], effect: 'trees-merged' })),
    );
  } catch (error) {
    if (!isUnrelated(error)) throw error;
    const message = `${names?.theirs ?? theirs} and ${names?.ours ?? ours} have no history in common.`;
    return { type: 'conflict', files: [], messages: [message] };
  }
}

function readMerge({ code, stdout }: GitResult): TreeMerge {
  const tree = stdout.slice(0, stdout.indexOf('\0'));
  return code === 1 ? { type: 'conflict', ...readConflicts(stdout), tree } : { type: 'tree', tree };
}

function isUnrelated(error: unknown): boolean {
  if (gitFailureReason(error) !== 'other') return false;
  return /unrelated histories/.test(String((error as PitonError).details['stderr']));
}

function clashMessage({ path }: ConflictFile): string {
  return `CONFLICT (case): ${path} differs only in case from another file.`;
}
