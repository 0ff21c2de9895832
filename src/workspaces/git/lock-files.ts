import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findLockHolder } from './lock-holders.ts';

/** What Piton may unlock, and the folders in which a git that holds such a lock would be at work. */
export interface OwnLocks {
  isOwn(file: string): boolean;
  readonly folders: readonly string[];
}

/**
 * Does it again if a lock file that a killed git of ours has left was in the way; of several, git names one at a time. Locks of
 * others are named, never removed.
 */
export async function withoutStaleLocks<T>(git: Git, own: OwnLocks, act: () => Promise<T>): Promise<T> {
  const released = new Set<string>();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (gitFailureReason(error) !== 'locked') throw error;
      const file = (error as PitonError).details['lockFile'] as string;
      if (!own.isOwn(file) || released.has(file)) throw error;
      await releaseLock(git, file, own.folders);
      released.add(file);
    }
  }
}

/** Returns when the file is gone, by itself or by us. Throws GIT_FAILED, naming the holder, if somebody may hold it. */
export async function releaseLock(git: Git, file: string, folders: readonly string[]): Promise<void> {
  for (;;) {
    const ageMs = await ageOf(file);
    if (ageMs === undefined) return;
    if (ageMs >= git.staleLockMs) break;
    await pause(Math.min(100, git.staleLockMs - ageMs));
  }
  const holder = await findLockHolder([...folders, dirname(file)]);
  if (holder !== undefined) throw held(file, holder);
  await rm(file, { force: true });
}

async function ageOf(file: string): Promise<number | undefined> {
  try {
    // A clock that was set back must not keep a lock for ever: an age below zero counts from its absolute value.
    return Math.abs(Date.now() - (await stat(file)).mtimeMs);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function held(lockFile: string, pid: number): PitonError {
  return new PitonError('GIT_FAILED', `Process ${pid}, a git, may hold ${lockFile}.`, {
    reason: 'locked',
    lockFile,
    pid,
    remedy: `Wait until process ${pid} has ended, or end it.`,
  });
}
