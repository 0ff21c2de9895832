import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { LastLine, ReadFromOptions, ReadOptions } from '../contract.ts';
import { codeOf, isAbsence } from '../layout.ts';
import type { OutputText } from '../order.ts';

/** Undefined if there is no such file, or it is none that could be read to an end. */
export function readText(file: string, { maxBytes, from }: ReadOptions): OutputText | undefined {
  return withFile(file, (descriptor, { size: bytes, mtimeMs: writtenAt }) => {
    const isCut = bytes > maxBytes;
    const start = from === 'end' && isCut ? bytes - maxBytes : 0;
    const read = readFully(descriptor, start, Math.min(bytes, maxBytes));
    const whole = isCut ? withoutSplitCharacter(read, from) : read;
    return { text: whole.toString('utf8'), bytes, isCut, writtenAt };
  });
}

/** What is there after a place; nothing if there is no such file. */
export function readBytes(file: string, { position, maxBytes }: Omit<ReadFromOptions, 'stream'>): Buffer {
  const read = withFile(file, (descriptor, { size: bytes }) =>
    readFully(descriptor, position, Math.min(Math.max(bytes - position, 0), maxBytes)),
  );
  return read ?? Buffer.alloc(0);
}

const tailBytes = 4096;

/** The last line that shows anything, as a terminal would have it: what `\r` has overwritten and colours are left out. */
export function lastLineOf(files: readonly string[]): LastLine | undefined {
  const tails = files.map((file) => ({ changedMs: changeTime(file), line: lastLine(file) }));
  const filled = tails.filter(({ line }) => line !== undefined);
  return filled.sort((a, b) => b.changedMs - a.changedMs)[0]?.line;
}

function lastLine(file: string): LastLine | undefined {
  const tail = readText(file, { maxBytes: tailBytes, from: 'end' });
  const lines = (tail?.text ?? '').split(/[\r\n]/).map(withoutControls);
  const last = lines.findLastIndex((line) => line !== '');
  return last < 0 ? undefined : { text: lines[last]!, isCut: last === 0 && tail!.isCut };
}

function withoutControls(line: string): string {
  return (
    stripVTControlCharacters(line)
      .replaceAll('\t', ' ')
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '')
      .trim()
  );
}

/** Undefined if none of them is there. */
export function lastChange(files: readonly string[]): number | undefined {
  const last = Math.max(...files.map(changeTime));
  return last === 0 ? undefined : last;
}

function changeTime(file: string): number {
  return withFile(file, (_, { mtimeMs }) => Math.floor(mtimeMs)) ?? 0;
}

/** A command may have put a pipe in the place of a file: opening must not wait, and reading must end. */
export function withFile<T>(file: string, use: (descriptor: number, stat: Stats) => T): T | undefined {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return undefined;
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() ? use(descriptor, stat) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    // Never what a link leads to: a contained process can make one to what it may not read itself.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (isAbsence(error) || codeOf(error) === 'ELOOP') return undefined;
    throw error;
  }
}

/** Less than asked for only if the file has become shorter. */
export function readFully(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(descriptor, buffer, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function withoutSplitCharacter(bytes: Buffer, from: 'start' | 'end'): Buffer {
  return from === 'start' ? withoutSplitEnd(bytes) : withoutSplitStart(bytes);
}

function withoutSplitStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start]!)) start++;
  return bytes.subarray(start);
}

function withoutSplitEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && lead > 0 && isContinuation(bytes[lead]!)) lead--;
  const isSplit = lead >= 0 && bytes.length - lead < lengthByLead(bytes[lead]!);
  return isSplit ? bytes.subarray(0, lead) : bytes;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function lengthByLead(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
