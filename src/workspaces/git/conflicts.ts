import { writeCommit, type Trailers } from './commits.ts';
import type { Git } from './git.ts';
import {
  inRepository,
  inWorktree,
  splitAtZeros,
  type RepositoryPlace,
  type WorktreePlace,
} from './places.ts';
import { moveRef } from './refs.ts';

export interface ConflictOrder {
  readonly worktree: WorktreePlace;
  readonly branch: string;
  /** What was made here, and what it does not fit to. */
  readonly result: string;
  readonly ours: string;
  /** Both, with marks where they differ. */
  readonly tree: string;
  readonly files: readonly string[];
  readonly message: string;
  readonly trailers: Trailers;
  readonly at: number;
}

const named = 'Piton-Conflict: ';

/** Puts both sides into the worktree, for whoever works there to make them fit. What was there is in the result. */
export async function leaveConflict(git: Git, order: ConflictOrder): Promise<void> {
  const { worktree, branch, result, ours, files } = order;
  const list = files.map((file) => `${named}${JSON.stringify(file)}`).join('\n');
  const message = `${order.message}\n\n${list}`;
  const commit = await writeCommit(git, worktree, { ...order, message, parents: [result, ours] });
  await moveRef(git, worktree, { ref: branch, to: commit, from: result });
  const place = inWorktree(worktree);
  await git.run(['symbolic-ref', 'HEAD', branch], { ...place, effect: 'head-placed' });
  await git.run(['read-tree', '--reset', '-u', commit], { ...place, effect: 'conflict-left' });
}

/** The files in which marks of a conflict are still to be found, that was left between these two. */
export async function unsolvedFiles(
  git: Git,
  repository: RepositoryPlace,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<readonly string[]> {
  const place = inRepository(repository);
  const search = ['log', '-1', '--format=%B', '--fixed-strings', `--grep=${named}`, theirs, `^${ours}`, '--'];
  const { stdout } = await git.run(search, place);
  const files = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith(named) ? [JSON.parse(line.slice(named.length)) as string] : []));
  if (files.length === 0) return [];
  const marks = [
    'grep',
    '-lzE',
    '^(<<<<<<<|>>>>>>>) ',
    theirs,
    '--',
    ...files.map((file) => `:(literal)${file}`),
  ];
  const found = await git.run(marks, { ...place, okCodes: [0, 1] });
  return splitAtZeros(found.stdout).map((path) => path.slice(theirs.length + 1));
}
