import type { PitonError } from '../../base/index.ts';
import { withAttributes } from './attributes.ts';
import { isAncestor, writeCommit, type Trailers } from './commits.ts';
import { requireGit, type Git, type GitResult } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findCaseClashes } from './case-clashes.ts';
import { readConflicts, type ConflictFile } from './merge-output.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

export interface MergeOrder {
  readonly repository: RepositoryPlace;
  readonly ours: string;
  readonly theirs: string;
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
  await requireGit(git, { major: 2, minor: 38, for: 'Merging' });
  if (await isContained(git, order)) return { type: 'already' };
  const merge = await mergeTrees(git, order);
  if (merge.type === 'conflict') return merge;
  const clashes = order.isCaseInsensitive === true ? await findCaseClashes(git, order, merge.tree) : [];
  if (clashes.length > 0) return { type: 'conflict', files: clashes, messages: clashes.map(clashMessage) };
  const parents = [order.ours, order.theirs];
  const commit = await writeCommit(git, order.repository, { ...order, tree: merge.tree, parents });
  return { type: 'merged', commit, tree: merge.tree };
}

/** Ancestry alone would miss work that was squashed; the attempt is named by the commit that brought it in. */
async function isContained(git: Git, { repository, ours, theirs, trailers }: MergeOrder): Promise<boolean> {
  if (await isAncestor(git, repository, { ancestor: theirs, of: ours })) return true;
  const wanted = `Piton-Attempt: ${trailers.attempt}`;
  const format = '--format=%(trailers:key=Piton-Attempt,only)%x00';
  const search = ['log', '-z', '--fixed-strings', `--grep=${wanted}`, format, ours, `^${theirs}`, '--'];
  const { stdout } = await git.run(search, inRepository(repository));
  return splitAtZeros(stdout).some((text) => text.trim().split('\n').includes(wanted));
}

type TreeMerge =
  { readonly type: 'tree'; readonly tree: string } | Extract<MergeResult, { type: 'conflict' }>;

async function mergeTrees(git: Git, { repository, ours, theirs }: MergeOrder): Promise<TreeMerge> {
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
    const message = `${theirs} and ${ours} have no history in common.`;
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
