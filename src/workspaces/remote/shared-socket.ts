import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';

/** The path of a socket may not be longer than that, with what ssh adds to it. */
const longestFolder = 40;

/** Where connections of this user are shared. Undefined: somebody else could get at them, so that nothing is shared. */
export function sharedSocket(): string | undefined {
  const parent = tmpdir().length <= longestFolder ? tmpdir() : '/tmp';
  const folder = join(parent, `piton-ssh-${process.getuid!()}`);
  return isOwnFolder(folder) ? join(folder, '%C') : undefined;
}

/** Others may write in the folder above: what they have put there under this name is not ours. */
function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) return false;
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid!() && (found.mode & 0o077) === 0;
}
