import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  inWorktree,
  splitAtZeros,
  withTemporaryIndex,
  type Git,
  type WorktreePlace,
  type ChangedFile,
} from '../git/index.ts';

/** What a killed git has left of the files that it was to change. */
export interface Remains {
  /** They are as they are to become. */
  readonly done: readonly string[];
  /** They were taken away, to be written anew. */
  readonly gone: readonly string[];
  /** Their beginning was written, and no more. */
  readonly torn: readonly string[];
}

/** Of these files. All others are not of its making. The user's index stays as it is. */
export async function findRemains(
  git: Git,
  place: WorktreePlace,
  files: readonly ChangedFile[],
): Promise<Remains> {
  const present = await withTemporaryIndex(git, place, async (indexFile) => {
    await stage(git, { place, indexFile, paths: files.map(({ path }) => path) });
    const { stdout } = await git.run(['ls-files', '--stage', '-z'], inWorktree(place, indexFile));
    return new Map(splitAtZeros(stdout).map(readEntry));
  });
  const remains = { done: [] as string[], gone: [] as string[], torn: [] as string[] };
  for (const file of files) {
    const state = await stateOf(git, { place, file, entry: present.get(file.path) });
    if (state !== undefined) remains[state].push(file.path);
  }
  return remains;
}

interface Found {
  readonly place: WorktreePlace;
  readonly file: ChangedFile;
  /** As it would be in the index. */
  readonly entry: string | undefined;
}

async function stateOf(git: Git, { place, file, entry }: Found): Promise<keyof Remains | undefined> {
  const { path, kind, mode, object } = file;
  if (kind === 'deleted') return entry === undefined ? 'done' : undefined;
  if (entry === `${mode} ${object}`) return 'done';
  const found = await lstat(join(place.path, path)).catch(() => undefined);
  if (found === undefined) return 'gone';
  if (!found.isFile() || !mode.startsWith('100')) return undefined;
  const args = ['cat-file', '--filters', `--path=${path}`, object];
  const { bytes } = await git.run(args, inWorktree(place));
  if (found.size >= bytes.length) return undefined;
  const start = await readFile(join(place.path, path));
  return bytes.subarray(0, start.length).equals(start) ? 'torn' : undefined;
}

/** Puts the files as they are into an index: that of the checkout, unless another is named. */
export async function stage(
  git: Git,
  order: { readonly place: WorktreePlace; readonly indexFile?: string; readonly paths: readonly string[] },
): Promise<void> {
  if (order.paths.length === 0) return;
  const input = order.paths.map((path) => `${path}\0`).join('');
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  await git.run(args, { ...inWorktree(order.place, order.indexFile), input, effect: 'files-staged' });
}

/** `100644 <object> 0\tpath` */
function readEntry(line: string): [string, string] {
  const [, entry = '', path = ''] = /^(\d+ \S+) \d\t(.*)$/s.exec(line) ?? [];
  return [path, entry];
}
