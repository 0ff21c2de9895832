import { writeCommit } from './write-commit.ts';
import type { Git } from './git.ts';
import { layOut, type LayoutOrder } from './layouts.ts';
import { readLayoutNote } from './layout-note.ts';
import { inRepository, splitAtZeros, type WorktreePlace } from './places.ts';

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
  /** Where it was made. */
  readonly worktree: WorktreePlace;
  readonly token: string;
  readonly ours: string;
  /** What was made of the conflict. */
  readonly theirs: string;
  /** Files without marks (of which one side was deleted, or which are not text) may be as they were laid out. */
  readonly isTakenAsItIs: boolean;
}

/** The files of a conflict between these two that nobody has solved: all, if nothing was done, else those with marks. */
export async function unsolvedFiles(git: Git, solving: Solving): Promise<readonly string[]> {
  const { worktree, theirs, isTakenAsItIs } = solving;
  const place = inRepository(worktree);
  const { files, isNewest } = await conflictsBetween(git, solving);
  if (files.length === 0 || (isNewest && !isTakenAsItIs)) return files;
  const paths = files.map((file) => `:(literal)${file}`);
  const marks = ['grep', '-lzE', '^(<<<<<<<|>>>>>>>) ', theirs, '--', ...paths];
  const found = await git.run(marks, { ...place, okCodes: [0, 1] });
  return splitAtZeros(found.stdout).map((path) => path.slice(theirs.length + 1));
}

/**
 * By the note in the worktree, and, in case that was made again since, by the messages of all commits. Whoever works there can write messages:
 * that adds files to those that are looked at, and takes none away.
 */
async function conflictsBetween(
  git: Git,
  { worktree, token, ours, theirs }: Solving,
): Promise<{ readonly files: readonly string[]; readonly isNewest: boolean }> {
  const format = '--format=%x00%H%n%B';
  const search = ['log', format, '--fixed-strings', `--grep=${named}`, theirs, `^${ours}`, '--'];
  const { stdout } = await git.run(search, inRepository(worktree));
  const commits = splitAtZeros(stdout).map((text) => text.split('\n'));
  const told = commits.flatMap((lines) => lines.flatMap(pathIn));
  const note = await readLayoutNote(git, worktree);
  if (note?.token !== token || note.what.type !== 'conflict')
    return { files: [...new Set(told)], isNewest: commits.some(([id]) => id === theirs) };
  return { files: [...new Set([...note.what.paths, ...told])], isNewest: note.commit === theirs };
}

function pathIn(line: string): readonly string[] {
  if (!line.startsWith(named)) return [];
  try {
    const path: unknown = JSON.parse(line.slice(named.length));
    return typeof path === 'string' && isInside(path) ? [path] : [];
  } catch {
    return [];
  }
}

function isInside(path: string): boolean {
  return path !== '' && !path.includes('\0') && !/^\/|(^|\/)\.\.(\/|$)/.test(path);
}
