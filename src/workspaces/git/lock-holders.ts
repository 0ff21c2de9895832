import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode, withOwnPath } from '../../base/index.ts';
import { sessionVariable } from './git-environment.ts';
import { isIdleSession } from './git-sessions.ts';

/** A lock file, and where a git that holds it would be at work. */
export interface FoundLock {
  readonly folders: readonly string[];
  /** When it was written last. */
  readonly at: number;
}

/** The pid of a process that may hold a lock file. When in doubt, there is one. */
export async function findLockHolder(lock: FoundLock): Promise<number | undefined> {
  return process.platform === 'linux' ? findInProc(lock) : findAnyGit();
}

async function findInProc(lock: FoundLock): Promise<number | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (Number(pid) !== process.pid && (await mayHold(pid, lock))) return Number(pid);
  }
  return undefined;
}

/** A git may hold a lock without having it open, so where it works counts as well. */
async function mayHold(pid: string, { folders, at }: FoundLock): Promise<boolean> {
  const name = await lookInto(readFile(`/proc/${pid}/comm`, 'utf8'));
  if (!name.startsWith('git') || isIdleSession(Number(pid))) return false;
  const cwd = await lookInto(readlink(`/proc/${pid}/cwd`));
  const words = await lookInto(readFile(`/proc/${pid}/cmdline`, 'utf8'));
  const settings = await lookInto(readFile(`/proc/${pid}/environ`, 'utf8'));
  if (cwd === gone || words === gone || isReader(words) || isLater(settings, at)) return false;
  if ([cwd, words, settings].includes(hidden)) return true;
  return folders.some(
    (folder) => `${cwd}/`.startsWith(`${folder}/`) || words.includes(folder) || settings.includes(folder),
  );
}

/** It only reads, for as long as somebody asks. */
function isReader(words: string): boolean {
  return /[\0 ]cat-file[\0 ]--batch-command/.test(words);
}

/** A session of another Piton's that was started when the lock was there already. */
function isLater(settings: string, at: number): boolean {
  const [, startedAt] = new RegExp(`(?:^|\\0)${sessionVariable}=(\\d+)`).exec(settings) ?? [];
  return startedAt !== undefined && Number(startedAt) > at;
}

/** A process that has ended, or is about to, works in no folder any more. */
const gone = '';
/** One of another user, of which nothing is known but that it is there. */
const hidden = '?';

async function lookInto(reading: Promise<string>): Promise<string> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return gone;
    if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) return hidden;
    throw error;
  }
}

async function findAnyGit(): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args='], {
    env: withOwnPath(process.env),
  });
  const gits = stdout.split('\n').filter((one) => /^\s*\d+\s+(\S*\/)?git(\s|-|$)/.test(one));
  const holder = gits.find((one) => !isReader(one) && !isIdleSession(Number.parseInt(one, 10)));
  return holder === undefined ? undefined : Number.parseInt(holder, 10);
}
