import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorField, isPlainObject, PitonError, type ProcessIdentity } from '../base/index.ts';
import type { Exit, WrittenOrder } from './order.ts';

/** The files of an attempt's folder. All that must be written to a full disk is allocated beforehand, filled with blanks. */
export const files = {
  order: 'attempt.json',
  /** A directory: making it is the right to start. */
  claim: 'claim',
  /** Who the wrapper is, written after the claim and before the command begins. */
  wrapper: 'wrapper',
  timedOut: 'timed-out',
  /** Why somebody has asked it to stop, if so: written before it is asked. */
  stopping: 'stopping',
  exit: 'exit',
  stdout: 'stdout',
  stderr: 'stderr',
  result: 'output',
  input: 'input',
  /** A folder: of a contained process, its result is in it, and its temporary folder. */
  own: 'own',
  temporary: 'own/tmp',
  ownResult: 'own/output',
} as const;

export const blankWrapper = `${' '.repeat(127)}\n`;
export const blankTimedOut = '0\n';

/** Of one length, so that blanks can be made for it beforehand. */
export const nonceLength = 32;

/** `nonce` shows that the wrapper has written it, which alone was given it. */
export type ExitRecord = Exit & { readonly nonce: string };

export function exitRecord(attempt: string, { code, timedOut, nonce }: ExitRecord): string {
  return `${attempt} ${String(code).padStart(3, '0')} ${timedOut ? 1 : 0} ${nonce} end\n`;
}

export function blankExit(attempt: string): string {
  const nonce = ' '.repeat(nonceLength);
  return exitRecord(attempt, { code: 0, timedOut: false, nonce }).replace(/[^\n]/g, ' ');
}

/**
 * Only the whole record counts: what is empty, cut short, mixed with blanks or of another attempt is none. Whether the nonce
 * is the right one is another question; a record of before there were nonces has an empty one.
 */
export function readExit(folder: string, attempt: string): ExitRecord | undefined {
  const text = readIfThere(join(folder, files.exit));
  const match = /^\S+ (\d{3}) ([01])(?: (\S+))? end\n$/.exec(text ?? '');
  if (match?.[0].startsWith(`${attempt} `) !== true) return undefined;
  return { code: Number(match[1]), timedOut: match[2] === '1', nonce: match[3] ?? '' };
}

/** Where and when the attempt was prepared: the wrapper, started by the same process, lives there too. */
export type Origin = Pick<ProcessIdentity, 'host' | 'bootId' | 'pidNamespace'> & {
  /** By the clock that start times of processes are told in. */
  readonly bornMs: number;
};

/** Undefined if the preparation was not finished, thus nothing can have begun. */
export function readOrigin(folder: string): Origin | undefined {
  return readDescription(folder)?.origin;
}

/** What `attempt.json` tells: the order but for its environment. */
export function readOrder(folder: string): WrittenOrder | undefined {
  return readDescription(folder);
}

type Description = WrittenOrder & { readonly origin: Origin };

function readDescription(folder: string): Description | undefined {
  const text = readIfThere(join(folder, files.order));
  if (text === undefined) return undefined;
  try {
    const description = JSON.parse(text) as Description;
    return isOrigin(description.origin) ? description : undefined;
  } catch {
    return undefined;
  }
}

function isOrigin(value: unknown): value is Origin {
  if (!isPlainObject(value)) return false;
  const texts = [value['host'], value['bootId'], value['pidNamespace']];
  return texts.every((text) => typeof text === 'string') && typeof value['bornMs'] === 'number';
}

/** Undefined: no wrapper has come so far as to say who it is. */
export function readWrapper(folder: string, attempt: string): ProcessIdentity | undefined {
  const line = readIfThere(join(folder, files.wrapper)) ?? '';
  const match = /^(\S+) (\d+) (.+) end *\n$/.exec(line);
  const origin = readOrigin(folder);
  if (match?.[1] !== attempt || origin === undefined) return undefined;
  const { host, bootId, pidNamespace } = origin;
  return { host, bootId, pidNamespace, pid: Number(match[2]), startTime: match[3]! };
}

/** Whether a wrapper has begun to say who it is, whatever else can be read of the folder. */
export function hasBegun(folder: string): boolean {
  return (readIfThere(join(folder, files.wrapper)) ?? '').trim() !== '';
}

/** False: somebody else has made the claim before. */
export function makeClaim(folder: string): boolean {
  try {
    // Also where nothing was prepared: whoever wants to prepare it later, finds it taken.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, files.claim));
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw new PitonError('SPOOL_UNWRITABLE', `The attempt in ${folder} could not be claimed.`, {
      folder,
      cause,
      remedy: 'Make sure that the disk is not full and that the folder may be written to.',
    });
  }
}

/** More than any prompt; a command may have written over what is ours. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Only a file that is not there reads as undefined, and what a command has put in its place: a pipe would be waited for, and what
 * is huge would fill the memory. Other errors (too many open files, a folder) must not look like absence.
 */
export function readIfThere(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    const isReadable = stat.isDirectory() || (stat.isFile() && stat.size <= mostBytes);
    return isReadable ? readFileSync(descriptor, 'utf8') : undefined;
  } finally {
    closeSync(descriptor);
  }
}

export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

export function codeOf(error: unknown): string {
  return error instanceof Error ? String(errorField(error, 'code')) : '';
}
