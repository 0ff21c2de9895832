/** Git calls the two sides of a conflict by their commits: whoever has to solve it is told whose work they are. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneLine } from './commits.ts';
import type { Git } from './git.ts';
import type { ConflictFile } from './merge-output.ts';
import { readObjects } from './objects.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

export interface SideNames {
  readonly ours: string;
  readonly theirs: string;
}

export interface NamedSides {
  readonly repository: RepositoryPlace;
  readonly ours: string;
  readonly theirs: string;
  readonly names: SideNames;
}

interface Conflict {
  readonly files: readonly ConflictFile[];
  readonly messages: readonly string[];
  readonly tree: string;
}

/** The same conflict under other names: in the marks, in what is told of it, and in the names that git gives to files (`file~side`). */
export async function nameSides<Found extends Conflict>(
  git: Git,
  sides: NamedSides,
  found: Found,
): Promise<Found> {
  const changes: Change[] = [];
  const files: ConflictFile[] = [];
  const tasks = await tasksByPath(git, sides);
  for (const file of found.files) {
    const names = withTasks(sides, tasks.get(file.path));
    const path = nameInPath(file.path, sides);
    const change = await changeOf(git, { ...sides, names }, { tree: found.tree, from: file.path, path });
    if (change !== undefined) changes.push(change);
    files.push({ ...file, path });
  }
  const messages = found.messages.map((text) => nameIn(text, sides));
  return { ...found, files, messages, tree: await writeChanges(git, sides, { tree: found.tree, changes }) };
}

/** By path, whose work it is on our side that a file conflicts with. */
async function tasksByPath(git: Git, sides: NamedSides): Promise<ReadonlyMap<string, readonly string[]>> {
  const { repository, ours, theirs } = sides;
  const walk = ['log', '--first-parent', '-m', '--name-only', '--no-renames', '-z', `${theirs}..${ours}`];
  const format = '--format=%x01%(trailers:key=Piton-Task,valueonly,separator=%x2C%x20)%x02';
  const { stdout } = await git.run([...walk, format, '--'], inRepository(repository));
  const tasks = new Map<string, readonly string[]>();
  for (const commit of stdout.split('\u0001').slice(1).toReversed()) {
    const [task = '', names = ''] = commit.split('\u0002');
    for (const path of task === '' ? [] : names.replace(/^\0?\n/, '').split('\0'))
      tasks.set(path, [...new Set([...(tasks.get(path) ?? []), task])]);
  }
  return tasks;
}

function withTasks({ names }: NamedSides, tasks: readonly string[] = []): SideNames {
  return tasks.length === 0 ? names : { ...names, ours: `${names.ours} (task ${tasks.join(', ')})` };
}

function nameIn(text: string, { ours, theirs, names }: NamedSides): string {
  return text.replaceAll(ours, () => oneLine(names.ours)).replaceAll(theirs, () => oneLine(names.theirs));
}

function nameInPath(path: string, sides: NamedSides): string {
  const names = { ours: flat(sides.names.ours), theirs: flat(sides.names.theirs) };
  return path.includes('~') ? nameIn(path, { ...sides, names }) : path;
}

/** A slash would lead into another folder. */
function flat(name: string): string {
  return name.replaceAll('/', '_');
}

interface Change {
  readonly from: string;
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
}

interface Place {
  readonly tree: string;
  readonly from: string;
  readonly path: string;
}

async function changeOf(
  git: Git,
  sides: NamedSides,
  { tree, from, path }: Place,
): Promise<Change | undefined> {
  const { repository } = sides;
  // A name that is no text cannot be told to git again as it was.
  if (from.includes('\ufffd')) return undefined;
  const { stdout } = await git.run(
    ['ls-tree', '-z', '--full-tree', tree, '--', `:(literal)${from}`],
    inRepository(repository),
  );
  const [, mode, object] = /^(100\d+|120000) blob ([0-9a-f]+)\t/.exec(splitAtZeros(stdout)[0] ?? '') ?? [];
  if (mode === undefined || object === undefined) return undefined;
  const [found] = await readObjects(git, repository, [object]);
  const text = found?.content.toString('latin1') ?? '';
  const named = nameMarks(text, sides);
  if (named === text) return path === from ? undefined : { from, path, mode, blob: object };
  const options = { ...inRepository(repository), input: Buffer.from(named, 'latin1') };
  const { stdout: blob } = await git.run(['hash-object', '-w', '--stdin'], options);
  return { from, path, mode, blob: blob.trim() };
}

function nameMarks(text: string, sides: NamedSides): string {
  const { ours, theirs } = sides;
  const marks = new RegExp(String.raw`^([<>]{3,} )(${ours}|${theirs})(?=[:\r\n])`, 'gm');
  const named = text.replaceAll(
    marks,
    (_, mark: string, side: string) => `${mark}${bytes(nameIn(side, sides))}`,
  );
  return named === text ? text : named.replaceAll(/^(\|{3,} )[0-9a-f]{4,64}(?=[:\r\n])/gm, '$1before both');
}

function bytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

async function writeChanges(
  git: Git,
  { repository }: NamedSides,
  { tree, changes }: { readonly tree: string; readonly changes: readonly Change[] },
): Promise<string> {
  if (changes.length === 0) return tree;
  const folder = await mkdtemp(join(tmpdir(), 'piton-conflict-'));
  try {
    const { cwd, env } = inRepository(repository);
    const place = { cwd, env: { ...env, GIT_INDEX_FILE: join(folder, 'index') } };
    await git.run(['read-tree', tree], place);
    const lines = changes.flatMap(({ from, path, mode, blob }) => [
      ...(from === path ? [] : [`0 ${'0'.repeat(blob.length)}\t${from}\0`]),
      `${mode} ${blob}\t${path}\0`,
    ]);
    await git.run(['update-index', '-z', '--index-info'], { ...place, input: lines.join('') });
    return (await git.run(['write-tree'], { ...place, effect: 'conflict-named' })).stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
