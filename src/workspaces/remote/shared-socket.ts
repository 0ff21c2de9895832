import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../base/index.ts';

/** The path of a socket may not be longer than that, with what ssh adds to it. */
const longestFolder = 56;

/** Where connections of this user are shared. Undefined: somebody else could get at them, so that nothing is shared. */
export function sharedSocket(): string | undefined {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
  const folders = [
    ...(runtime.startsWith('/') ? [join(runtime, 'piton-ssh')] : []),
    cacheFolder('ssh'),
    // Where others can make a folder of that name first, and so keep this user from sharing.
    ...[tmpdir(), '/tmp'].map((parent) => join(parent, `piton-ssh-${process.getuid!()}`)),
  ];
  const folder = folders.find((one) => one.length <= longestFolder && isOwnFolder(one));
  return folder && join(folder, '%C');
}

/** What somebody else has put there under this name is not ours. */
function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return false;
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid!() && (found.mode & 0o077) === 0;
}
