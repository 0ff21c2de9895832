import { writeCommit } from './write-commit.ts';
import type { Git } from './git.ts';
import { layOut, type LayoutOrder } from './layouts.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

export interface ConflictOrder extends Omit<LayoutOrder, 'commit' | 'what'> {
  readonly branch: string;
  /** What the result conflicts with. */
  readonly ours: string;
  readonly paths: readonly string[];
  /** For whoever is to make them fit. */
  readonly report: string;
  readonly message: string;
}

const named = 'Piton-Conflict: ';

/** Puts both sides into the worktree, for whoever works there to make them fit. What was there is in the result. */
export async function leaveConflict(git: Git, order: ConflictOrder): Promise<void> {
  const { ours, branch, paths, report, message, ...layout } = order;
  const { worktree, result } = layout;
  const list = paths.map((path) => `${named}${JSON.stringify(path)}`).join('\n');
  const text = `${message}\n\n${list}`;
  const commit = await writeCommit(git, worktree, { ...layout, message: text, parents: [result, ours] });
  await layOut(git, { ...layout, commit, what: { type: 'conflict', branch, paths, report } });
}

export interface Solving {
  readonly ours: string;
  /** What was made of the conflict. */
  readonly theirs: string;
  /** Files without marks (of which one side was deleted, or which are not text) may be as they were laid out. */
  readonly isTakenAsItIs: boolean;
}

/** The files of a conflict between these two that nobody has solved: all, if nothing was done, else those with marks. */
export async function unsolvedFiles(
  git: Git,
  repository: RepositoryPlace,
  { ours, theirs, isTakenAsItIs }: Solving,
): Promise<readonly string[]> {
  const place = inRepository(repository);
  const format = '--format=%H%n%B';
  const search = ['log', '-1', format, '--fixed-strings', `--grep=${named}`, theirs, `^${ours}`, '--'];
  const lines = (await git.run(search, place)).stdout.split('\n');
  const files = lines.flatMap((line) =>
    line.startsWith(named) ? [JSON.parse(line.slice(named.length)) as string] : [],
  );
  if (files.length === 0 || (lines[0] === theirs && !isTakenAsItIs)) return files;
  const paths = files.map((file) => `:(literal)${file}`);
  const marks = ['grep', '-lzE', '^(<<<<<<<|>>>>>>>) ', theirs, '--', ...paths];
  const found = await git.run(marks, { ...place, okCodes: [0, 1] });
  return splitAtZeros(found.stdout).map((path) => path.slice(theirs.length + 1));
}
