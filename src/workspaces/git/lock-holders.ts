import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from '../../base/index.ts';

/** The pid of a process that may hold a lock file in one of the folders. When in doubt, there is one. */
export async function findLockHolder(folders: readonly string[]): Promise<number | undefined> {
  return process.platform === 'linux' ? findInProc(folders) : findAnyGit();
}

async function findInProc(folders: readonly string[]): Promise<number | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (Number(pid) !== process.pid && (await mayHold(pid, folders))) return Number(pid);
  }
  return undefined;
}

/** A git may hold a lock without having it open, so where it works counts as well. */
async function mayHold(pid: string, folders: readonly string[]): Promise<boolean> {
  const name = await lookInto(readFile(`/proc/${pid}/comm`, 'utf8'));
  if (!name.startsWith('git')) return false;
  const cwd = await lookInto(readlink(`/proc/${pid}/cwd`));
  const words = await lookInto(readFile(`/proc/${pid}/cmdline`, 'utf8'));
  const settings = await lookInto(readFile(`/proc/${pid}/environ`, 'utf8'));
  if (cwd === gone || words === gone) return false;
  if ([cwd, words, settings].includes(hidden)) return true;
  return folders.some(
    (folder) => `${cwd}/`.startsWith(`${folder}/`) || words.includes(folder) || settings.includes(folder),
  );
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
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,comm=']);
  const line = stdout.split('\n').find((one) => /^\s*\d+\s+(\S*\/)?git(\s|-|$)/.test(one));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
