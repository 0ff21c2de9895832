/** What lies in the folder of a repository. Everybody who works in one of its worktrees may have written it. */
import { mkdir, open, readdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasCode, PitonError } from '../../base/index.ts';
import { parseConfig, type ConfigEntry } from './config-file.ts';

export const attributesName = 'info/attributes';
const mostBytes = 1024 * 1024;

export async function readConfig(folder: string, name = 'config'): Promise<readonly ConfigEntry[]> {
  return parseConfig(await readSmall(join(folder, name))).entries;
}

/** '' if it is not there, or no file that somebody would write: a pipe would keep us waiting. */
export async function readSmall(file: string): Promise<string> {
  return (await readWhole(file)) ?? '';
}

/** Undefined of one that is too large, or no file: git may read more of it than we do. */
export async function readWhole(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (unreadable.some((code) => hasCode(error, code))) return undefined;
    throw error;
  });
  if (handle === undefined) return '';
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= mostBytes ? await handle.readFile('utf8') : undefined;
  } finally {
    await handle.close();
  }
}

const unreadable = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO'];

/**
 * Git looks for refs where the `commondir` of a folder says, whatever it is told by its environment. Throws GIT_FAILED if that is not
 * this repository: somebody has written it.
 */
export async function assertOwnRefs(commonDir: string, gitDir: string): Promise<void> {
  const named = (await readSmall(join(gitDir, 'commondir'))).replace(/\n$/, '');
  if (named === '') return;
  const found = await realpath(resolve(gitDir, named)).catch(() => undefined);
  if (found !== undefined && found === (await realpath(commonDir).catch(() => undefined))) return;
  const file = join(gitDir, 'commondir');
  throw new PitonError('GIT_FAILED', `${file} names ${named}, which is another repository.`, {
    reason: 'other',
    file,
    remedy: 'Piton has not written that: see who has, and put it right (../.. for a worktree; no file else).',
  });
}

/** Of a folder. Not the device: its number changes when it is mounted again. */
export async function identityOf(commonDir: string): Promise<string> {
  const { ino, birthtimeNs } = await stat(commonDir, { bigint: true }).catch((error: unknown) => {
    throw ['ENOENT', 'ENOTDIR'].some((code) => hasCode(error, code)) ? gone(commonDir) : error;
  });
  return [ino, birthtimeNs].join(' ');
}

function gone(commonDir: string): PitonError {
  return new PitonError('GIT_FAILED', `git could not be started: there is no such folder: ${commonDir}.`, {
    reason: 'no-such-folder',
    folder: commonDir,
    remedy: 'If it was moved, bring it back to where it was; then try again.',
  });
}

/** Files of the repository that git writes by renaming: it follows a link there, also to where nothing is yet. */
const linkedFiles = ['HEAD', 'packed-refs', 'shallow'];
/** What decides, or belongs to nobody; and where git, or we, look for a file: a folder of that name could become one. */
const ownNames = new Set(['hooks', 'info', 'config', 'config.worktree', 'commondir', 'record.json']);

/** Links to all that a repository consists of, its configuration excepted. */
export async function linkParts(commonDir: string, folder: string): Promise<void> {
  // Git would make it where it looks for it, and that is not there.
  await mkdir(join(commonDir, 'logs')).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  const entries = await readdir(commonDir, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !ownNames.has(entry.name));
  const names = [...folders.map(({ name }) => name), ...linkedFiles, 'info/exclude'];
  for (const name of names) await link(join(commonDir, name), join(folder, name));
}

async function link(target: string, at: string): Promise<void> {
  const found = await readlink(at).catch(() => undefined);
  if (found === target) return;
  if (found !== undefined) await rm(at, { force: true });
  await symlink(target, at).catch((error: unknown) => {
    // Another Piton was faster.
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}
