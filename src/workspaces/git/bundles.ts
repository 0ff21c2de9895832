import { closeSync, openSync, readSync } from 'node:fs';
import { PitonError } from '../../base/index.ts';
import { gitFailureReason } from './git-failures.ts';
import type { Git } from './git.ts';
import { encodeName, runBranch, runTipRef } from './names.ts';
import { findObjects } from './objects.ts';
import { inRepository, type RepositoryPlace } from './places.ts';
import { listRefs, moveRef } from './refs.ts';

/** Every ref of a run: its branch and where Piton last moved that, the branches of its tasks, what was saved, kept and archived. */
export async function refsOfRun(
  git: Git,
  repository: RepositoryPlace,
  run: string,
): Promise<ReadonlyMap<string, string>> {
  const refs = await listRefs(git, repository, ...placesOf(run));
  return new Map([...refs].filter(([ref]) => isRefOfRun(ref, run)));
}

function placesOf(run: string): string[] {
  const name = encodeName(run);
  const folders = [`refs/heads/piton-tasks/${name}/`, `refs/piton/${name}/`, `refs/piton/archive/${name}/`];
  return [runBranch(run), runTipRef(run), ...folders];
}

/** A name that comes from elsewhere: nothing in it may lead out of what belongs to the run, or be anything but a name. */
export function isRefOfRun(ref: string, run: string): boolean {
  const [branch, tip, ...folders] = placesOf(run);
  if (ref === branch || ref === tip) return true;
  const folder = folders.find((one) => ref.startsWith(one));
  if (folder === undefined) return false;
  return ref
    .slice(folder.length)
    .split('/')
    .every((part) => /^[A-Za-z0-9_][A-Za-z0-9._~-]*$/.test(part) && !/\.\.|\.lock$|\.$/.test(part));
}

export interface BundleOrder {
  readonly refs: ReadonlyMap<string, string>;
  readonly file: string;
  /** Commits that are left out, with all before them. */
  readonly without: readonly string[];
}

/** Writes what these refs lead to into a file that any git can fetch from. False: there is nothing to write. */
export async function writeBundle(
  git: Git,
  repository: RepositoryPlace,
  order: BundleOrder,
): Promise<boolean> {
  const left = new Set(order.without);
  const refs = [...order.refs].filter(([, commit]) => !left.has(commit)).map(([ref]) => ref);
  if (refs.length === 0) return false;
  const lines = [...refs, ...order.without.map((commit) => `^${commit}`)];
  // With several threads, the same objects are packed otherwise each time.
  const args = ['-c', 'pack.threads=1', 'bundle', 'create', '--quiet', order.file, '--stdin'];
  try {
    await git.run(args, { ...inRepository(repository), input: `${lines.join('\n')}\n` });
    return true;
  } catch (error) {
    // All of them lead to what was left out.
    if (gitFailureReason(error) === 'other' && String(error).includes('empty bundle')) return false;
    throw error;
  }
}

/** Whether the repository has all of these objects. */
export async function hasObjects(
  git: Git,
  repository: RepositoryPlace,
  names: readonly string[],
): Promise<boolean> {
  return (await findObjects(git, repository, names)).every((found) => found !== undefined);
}

const headerLine = /^(?:-[0-9a-f]{40,64}(?: .*)?|[0-9a-f]{40,64} .*|@.*)$/;
const mostHeaderBytes = 16 * 1024 * 1024;

/**
 * Adds the objects of a bundle that others have made, each of them checked, and moves no ref: what refs it names does not count.
 * Throws `GIT_FAILED` if an object is malformed, or leads to one that is not there.
 */
export async function unpackBundle(git: Git, repository: RepositoryPlace, file: string): Promise<void> {
  const descriptor = openSync(file, 'r');
  try {
    skipHeader(descriptor);
    const args = ['index-pack', '--stdin', '--fix-thin', '--strict'];
    await git.run(args, { ...inRepository(repository), inputFile: descriptor, effect: 'bundle-unpacked' });
  } finally {
    closeSync(descriptor);
  }
}

/** Byte by byte, so that whoever reads on begins with the pack. */
function skipHeader(descriptor: number): void {
  const byte = Buffer.alloc(1);
  let line = '';
  let count = 0;
  for (let number = 0; ;) {
    if (readSync(descriptor, byte, 0, 1, null) === 0 || ++count > mostHeaderBytes) throw noBundle();
    if (byte[0] !== 0x0a) {
      line += byte.toString('latin1');
      continue;
    }
    if (line === '' && number > 0) return;
    const isExpected = number === 0 ? /^# v[23] git bundle$/.test(line) : headerLine.test(line);
    if (!isExpected) throw noBundle();
    line = '';
    number++;
  }
}

function noBundle(): PitonError {
  return new PitonError('GIT_FAILED', 'The files of the run are no git bundle.', { reason: 'other' });
}

/** What became of refs that were to be made again. */
export interface RestoredRefs {
  readonly restored: readonly string[];
  /** They are there, and point to something else: left as they are. */
  readonly kept: readonly string[];
}

export async function restoreRefs(
  git: Git,
  repository: RepositoryPlace,
  refs: ReadonlyMap<string, string>,
): Promise<RestoredRefs> {
  const restored: string[] = [];
  const kept: string[] = [];
  for (const [ref, to] of refs) {
    const moved = await moveRef(git, repository, { ref, to, from: undefined });
    if (moved.type === 'conflict') kept.push(ref);
    else restored.push(ref);
  }
  return { restored, kept };
}
