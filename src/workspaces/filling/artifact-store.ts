import { mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import {
  deleteTree,
  effect,
  hasCode,
  isInside,
  isPlainObject,
  makePrivateFolder,
  PitonError,
  randomId,
} from '../../base/index.ts';
import type { ArtifactOrder, ForkOrder } from '../contract.ts';
import { copyTree, findEntry, namesIn, waysIn, writeWhole, type Durability } from '../files.ts';
import { encodeName } from '../git/index.ts';

/** What a task has kept for those who need it. */
export interface Artifacts {
  /** Absolute: below it, the files are as they were in the folder of the run. */
  readonly folder: string;
  readonly paths: readonly string[];
}

interface Current {
  readonly version: string;
  /** The attempt that made them. */
  readonly by?: string;
  readonly paths: readonly string[];
}

const currentName = 'current.json';

/**
 * Files of tasks that git does not have: `<run>/<task>/<version>/…`. Every keeping is a version of its own, and one small
 * file says which of them counts: whoever reads finds all of one, never some of two.
 */
export class ArtifactStore {
  readonly #folder: string;
  readonly #durability: Durability;

  constructor({ folder, durability }: { readonly folder: string; readonly durability: Durability }) {
    this.#folder = folder;
    this.#durability = durability;
  }

  async keepArtifacts(order: ArtifactOrder): Promise<{ readonly bytes: number }> {
    const home = this.#homeOf(order.run, order.task);
    const kept = await keptBefore(home, order);
    if (kept !== undefined) return { bytes: await bytesIn(join(home, kept.version), kept.paths) };
    const paths = await checkedPaths(order);
    const version = randomId();
    for (const path of paths) await this.#copy(join(order.folder, path), join(home, version, path));
    const bytes = await bytesIn(join(home, version), paths);
    const current: Current = { version, paths, ...(order.by !== undefined && { by: order.by }) };
    const text = `${JSON.stringify(current)}\n`;
    await effect('artifacts.kept', () => writeWhole(join(home, currentName), text, this.#durability));
    await removeOthers(home, version);
    return { bytes };
  }

  /** What was made again since is not what the fork had: whoever needs it there is told that it is missing. */
  async fork({ run, of, artifacts }: ForkOrder): Promise<void> {
    for (const { task, by } of artifacts) {
      const home = this.#homeOf(of, task);
      const current = await readCurrent(join(home, currentName));
      if (current === undefined || (by !== undefined && current.by !== by)) continue;
      const { version, paths } = current;
      await this.keepArtifacts({ run, task, folder: join(home, version), paths, ...(by && { by }) });
    }
  }

  /** Throws ARTIFACT_MISSING if the task has kept none, or somebody has removed them. */
  async find(run: string, task: string): Promise<Artifacts> {
    const home = this.#homeOf(run, task);
    const current = await readCurrent(join(home, currentName));
    if (current === undefined) throw goneArtifacts(task, home);
    const folder = join(home, current.version);
    for (const path of current.paths) {
      if ((await findEntry(join(folder, path))) === undefined) throw goneArtifacts(task, join(folder, path));
    }
    return Object.freeze({ folder, paths: current.paths });
  }

  #homeOf(run: string, task: string): string {
    return join(this.#folder, encodeName(run), encodeName(task));
  }

  async #copy(source: string, target: string): Promise<void> {
    makePrivateFolder(this.#folder);
    await mkdir(dirname(target), { recursive: true });
    await copyTree(source, target, { durability: this.#durability });
  }
}

/** By whoever was killed after that; the place may be gone since, and with it what git does not have. */
async function keptBefore(home: string, { by, folder, paths }: ArtifactOrder): Promise<Current | undefined> {
  if (by === undefined) return undefined;
  const current = await readCurrent(join(home, currentName));
  if (current?.by !== by) return undefined;
  for (const path of paths) if ((await findEntry(join(folder, path))) === undefined) return current;
  return undefined;
}

/** In the order of the task; what is inside of another is kept with that. */
async function checkedPaths(order: ArtifactOrder): Promise<string[]> {
  const paths = [...new Set(order.paths.map((path) => normalize(path).replace(/\/$/, '')))];
  for (const path of paths) await assertKeepable(order, path);
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(relative(other, path))));
}

async function assertKeepable({ task, folder }: ArtifactOrder, path: string): Promise<void> {
  const where = { task, folder, path };
  if (path === '.' || !isInside(path)) throw leaving(where);
  const found = await findEntry(join(folder, path));
  if (found === undefined) throw missing(where);
  // By the links on the way to it: what is linked itself is kept as a link.
  const way = relative(await realpath(folder), await realpath(dirname(join(folder, path))));
  if (!isInside(way)) throw leaving(where);
}

interface Where {
  readonly task: string;
  readonly folder: string;
  readonly path: string;
}

function missing(where: Where): PitonError {
  return new PitonError(
    'ARTIFACT_MISSING',
    `${where.task} was to leave ${where.path}, and it is not there.`,
    {
      ...where,
      remedy: 'Have the task make it, or take it out of `artifacts`.',
    },
  );
}

function leaving(where: Where): PitonError {
  return new PitonError(
    'ARTIFACT_REFUSED',
    `The artifact ${where.path} of ${where.task} is not in the folder where the task worked.`,
    { ...where, remedy: 'Name a file or folder below that folder.' },
  );
}

function goneArtifacts(task: string, path: string): PitonError {
  return new PitonError('ARTIFACT_MISSING', `The artifacts of ${task} are not there: ${path}.`, {
    task,
    path,
    remedy: `Have them made again: \`piton retry ${task} --fresh\`.`,
  });
}

async function bytesIn(folder: string, paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    const found = (await findEntry(join(folder, path)))!;
    const files = found.isDirectory() ? await waysIn(join(folder, path)) : [''];
    for (const file of files) bytes += await sizeOf(join(folder, path, file));
  }
  return bytes;
}

async function sizeOf(file: string): Promise<number> {
  const found = (await findEntry(file))!;
  return found.isFile() ? found.size : 0;
}

/** Older ones, and what a killed keeping has left. */
async function removeOthers(home: string, version: string): Promise<void> {
  for (const name of await namesIn(home)) {
    if (name !== version && name !== currentName) await deleteTree(join(home, name));
  }
}

async function readCurrent(file: string): Promise<Current | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isPlainObject(read) && Array.isArray(read['paths']) ? (read as unknown as Current) : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
