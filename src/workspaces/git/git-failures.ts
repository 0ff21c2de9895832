import { stat, statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hasCode, PitonError } from '../../base/index.ts';
import { filterRemedy } from './known-filters.ts';
import type { ProcessEnd } from './git-process.ts';

/** Why git failed, as far as it can be told from what it said. */
export type GitFailureReason =
  | 'locked'
  | 'disk-full'
  | 'not-a-repository'
  | 'dubious-ownership'
  | 'no-identity'
  | 'filter'
  | 'no-such-folder'
  | 'no-git'
  | 'time'
  | 'size'
  | 'killed'
  | 'other';

export interface Attempted {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

interface Diagnosis {
  readonly reason: GitFailureReason;
  readonly what: string;
  readonly remedy?: string;
  readonly lockFile?: string;
}

const linesKept = 20;

export async function failureOf(end: ProcessEnd, attempted: Attempted): Promise<PitonError> {
  const { what, ...diagnosis } = await diagnose(end, attempted);
  const command = `git ${attempted.args.join(' ')}`.slice(0, 500);
  const stderr = end.stderr.trim().split('\n').slice(-linesKept).join('\n');
  const said = stderr === '' ? '' : ` It said: ${stderr}`;
  return new PitonError('GIT_FAILED', `\`${command}\` in ${attempted.cwd} ${what}.${said}`, {
    ...diagnosis,
    command,
    cwd: attempted.cwd,
    exitCode: end.code,
    signal: end.signal,
    stderr,
    ...(end.failure !== undefined && { cause: end.failure }),
  });
}

/** The reason of an error that `Git.run` threw; undefined if it is another error. */
export function gitFailureReason(error: unknown): GitFailureReason | undefined {
  if (!(error instanceof PitonError) || error.code !== 'GIT_FAILED') return undefined;
  return error.details['reason'] as GitFailureReason;
}

async function diagnose(end: ProcessEnd, attempted: Attempted): Promise<Diagnosis> {
  if (end.failure !== undefined) return diagnoseStart(end.failure, attempted.cwd);
  if (end.endedFor === 'time') return tooSlow(attempted.timeoutMs);
  if (end.endedFor === 'size') return tooLarge(attempted.maxBytes);
  if (end.signal !== undefined) return { reason: 'killed', what: `was killed by ${end.signal}` };
  const complaint = readComplaint(end.stderr, attempted.cwd);
  const isFull = complaint.reason === 'other' && (await isForWantOfRoom(end.stderr, attempted.cwd));
  return { what: `ended with ${end.code}`, ...(isFull ? fullDisk : complaint) };
}

/** At a checkout git tells only that a file could not be written, and not why. */
async function isForWantOfRoom(stderr: string, folder: string): Promise<boolean> {
  if (!/(unable to|cannot|could not|failed to) (write|create)|write error/i.test(stderr)) return false;
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && (disk.bavail * disk.bsize < leastRoomBytes || disk.ffree === 0);
}

const leastRoomBytes = 1024 * 1024;

async function diagnoseStart(failure: Error, cwd: string): Promise<Diagnosis> {
  if (!hasCode(failure, 'ENOENT') && !hasCode(failure, 'ENOTDIR')) {
    return { reason: 'other', what: `could not be started (${failure.message})` };
  }
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    return {
      reason: 'no-such-folder',
      what: 'could not be started: there is no such folder',
      remedy: 'If it was moved, bring it back to where it was; then try again.',
    };
  }
  return {
    reason: 'no-git',
    what: 'could not be started: there is no git on the PATH',
    remedy: 'Install git, or put it on the PATH of Piton.',
  };
}

function tooSlow(timeoutMs: number): Diagnosis {
  return { reason: 'time', what: `was ended after ${timeoutMs} ms` };
}

function tooLarge(maxBytes: number): Diagnosis {
  return { reason: 'size', what: `was ended, because its output is larger than ${maxBytes} bytes` };
}

function readComplaint(stderr: string, cwd: string): Omit<Diagnosis, 'what'> {
  const [, lock] = /Unable to create '(.+\.lock)': File exists/.exec(stderr) ?? [];
  if (lock !== undefined) return lockedBy(resolve(cwd, lock));
  const [, filter] = /: (?:clean|smudge) filter '?(.+?)'? failed$/m.exec(stderr) ?? [];
  if (filter !== undefined) return brokenFilter(filter, stderr);
  const known = complaints.find(({ said }) => said.test(stderr));
  return known === undefined ? { reason: 'other' } : { reason: known.reason, remedy: known.remedy };
}

function lockedBy(lockFile: string): Omit<Diagnosis, 'what'> {
  return {
    reason: 'locked',
    lockFile,
    remedy: `If no git is at work there, a killed one has left ${lockFile}: remove that file.`,
  };
}

/** One that is `required`, such as that of git-lfs: without it git would take the wrong content. */
function brokenFilter(filter: string, stderr: string): Omit<Diagnosis, 'what'> {
  const [, command] = /(?:external filter|subprocess) '(.+)'/.exec(stderr) ?? [];
  return { reason: 'filter', remedy: filterRemedy(filter, command) };
}

const fullDisk = {
  reason: 'disk-full',
  remedy: 'Make room on that disk, then try again: nothing that was finished is lost.',
} as const;

const complaints: readonly { said: RegExp; reason: GitFailureReason; remedy: string }[] = [
  { said: /No space left on device|Disk quota exceeded/, ...fullDisk },
  {
    said: /detected dubious ownership/,
    reason: 'dubious-ownership',
    remedy:
      'The repository belongs to another user: allow it with `git config --global --add safe.directory`.',
  },
  {
    said: /not a git repository/i,
    reason: 'not-a-repository',
    remedy: 'Run `git init` there, or choose a folder inside a repository.',
  },
  {
    said: /Please tell me who you are|no (email|name) was given|empty ident name/,
    reason: 'no-identity',
    remedy: 'Set user.name and user.email with `git config --global`.',
  },
];
