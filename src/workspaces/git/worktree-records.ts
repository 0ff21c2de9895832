import { rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, type PitonError } from '../../base/index.ts';
import { namesIn } from '../files.ts';
import type { Git, GitResult, GitRun } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findLockHolder } from './lock-holders.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

const pauseMs = 20;
const patienceMs = 30_000;

/**
 * Runs `git worktree …`, which reads the records of all worktrees and dies of one that another git is just writing. Two at once
 * are normal, so it is tried again; and what a killed git has left unwritten for good, in which case nobody could list or add
 * worktrees any more, is written as that git would have done.
 */
export async function runOnRecords(
  git: Git,
  repository: RepositoryPlace,
  { args, effect }: { readonly args: readonly string[]; readonly effect?: string },
): Promise<GitResult> {
  // It writes down where it finds the repository, and starts nothing.
  const isPlain = true;
  const options: GitRun = { ...inRepository(repository), isPlain, ...(effect !== undefined && { effect }) };
  const until = systemClock.elapsed() + patienceMs;
  for (;;) {
    try {
      return await git.run(['worktree', ...args], options);
    } catch (error) {
      const file = unwrittenFile(error);
      if (file === undefined || systemClock.elapsed() > until) throw error;
      if (await isAbandoned(git, repository, file)) await writeFile(file, '../..\n');
      else await pause(pauseMs);
    }
  }
}

/** The file is there and empty: that is no error, so git names the last one that it happened to meet, or none. */
function unwrittenFile(error: unknown): string | undefined {
  if (gitFailureReason(error) !== 'other') return undefined;
  const stderr = String((error as PitonError).details['stderr']);
  return /failed to read (.+\/worktrees\/[^/\n]+\/commondir): (?:Success|No such file or directory)/.exec(
    stderr,
  )?.[1];
}

async function isAbandoned(git: Git, { commonDir }: RepositoryPlace, file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.size > 0 || systemClock.now() - found.mtimeMs < git.staleLockMs)
    return false;
  const lock = { folders: [commonDir, dirname(file)], at: found.mtimeMs };
  return (await findLockHolder(lock)) === undefined;
}

/** What git writes into a record before its HEAD: there is nothing to lose in one that has no more. */
const beginnings = new Set(['locked', 'gitdir']);

/** Removes records that a killed git had only begun. */
export async function sweepRecords(git: Git, repository: RepositoryPlace): Promise<void> {
  const folder = join(repository.commonDir, 'worktrees');
  for (const name of await namesIn(folder)) {
    const record = join(folder, name);
    // One that cannot be read throws: taken for empty, the record of a living worktree would be removed.
    if (!(await namesIn(record)).every((one) => beginnings.has(one))) continue;
    const found = await stat(record).catch(() => undefined);
    if (found === undefined || systemClock.now() - found.mtimeMs < git.staleLockMs) continue;
    const lock = { folders: [repository.commonDir], at: found.mtimeMs };
    if ((await findLockHolder(lock)) !== undefined) continue;
    await rm(record, { recursive: true, force: true });
  }
}
