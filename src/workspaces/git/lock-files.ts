import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, PitonError, systemClock } from '../../base/index.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findLockHolder, type FoundLock } from './lock-holders.ts';

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
    const at = await timeOf(file);
    if (at === undefined) return;
    // A clock that was set back must not keep a lock for ever: an age below zero counts from its absolute value.
    const ageMs = Math.abs(systemClock.now() - at);
    if (ageMs >= git.staleLockMs) return removeUnlessHeld(file, { folders: [...folders, dirname(file)], at });
    await pause(Math.min(100, git.staleLockMs - ageMs));
  }
}

async function removeUnlessHeld(file: string, lock: FoundLock): Promise<void> {
  const holder = await findLockHolder(lock);
  if (holder !== undefined) throw held(file, holder);
  await rm(file, { force: true });
}

async function timeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
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
