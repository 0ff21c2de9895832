import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of a socket may not be longer than that, with what ssh adds to it. */
const longestFolder = 40;

let socket: string | undefined;

/** Where the connections of this process are shared: in a folder that nobody else can look into, and that goes with the process. */
export function sharedSocket(): string {
  return (socket ??= makeSocket());
}

function makeSocket(): string {
  const parent = tmpdir().length <= longestFolder ? tmpdir() : '/tmp';
  const folder = mkdtempSync(join(parent, 'piton-ssh-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, '%C');
}
