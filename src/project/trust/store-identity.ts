import { closeSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';

/** Tells a store from another that was put in its place. Not the device: its number changes when it is mounted again. */
export interface StoreIdentity {
  readonly inode: number;
  readonly bornAt: number;
}

/** Undefined where there is none yet, also where one is only about to be made: an empty file holds no runs. */
export function storeIdentity({ storeFile }: Config): StoreIdentity | undefined {
  if (storeFile === undefined) return undefined;
  const found = statSync(storeFile, { throwIfNoEntry: false });
  return found === undefined || found.size === 0
    ? undefined
    : { inode: found.ino, bornAt: found.birthtimeMs };
}

export function isSameStore(one: StoreIdentity | undefined, other: StoreIdentity | undefined): boolean {
  return one?.inode === other?.inode && one?.bornAt === other?.bornAt;
}

/** Makes the file, still empty: who it is can be written down before anything is in it. Undefined if somebody was quicker. */
export function makeStoreFile(file: string): StoreIdentity | undefined {
  mkdirSync(dirname(file), { recursive: true });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  // A link that leads nowhere is there as well; a store of somebody who was quicker is not empty any more.
  const found = lstatSync(file);
  return found.isFile() && found.size === 0 ? { inode: found.ino, bornAt: found.birthtimeMs } : undefined;
}

/** Whether a project keeps its store elsewhere, by name or by a link. What the caller has typed is the caller's own. */
export function isStoreOutside({ root, storeFile, isStoreTyped }: Config): boolean {
  if (isStoreTyped) return false;
  if (storeFile === undefined) return true;
  return !`${realPathOf(storeFile)}`.startsWith(`${realpathSync(root)}${sep}`);
}

/** Of what is there of it. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // A file may lie where a folder of the path should be: whoever writes there is told so.
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
    return `${realPathOf(dirname(path))}${sep}`;
  }
}
