import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { asError, PitonError } from '../../base/index.ts';
import { exportInvalid, memberName, members } from './format.ts';
import { blockBytes, paddingOf, readTarHeader } from './tar.ts';

/** Of a member that is read as a whole, as text: longer ones are nobody's values. */
const mostTextBytes = 256 * 1024 * 1024;
/** What is nested deeper is nobody's data, and whoever walks it could run out of stack. */
const deepest = 1_000;
const pieceBytes = 1024 * 1024;

interface Member {
  readonly offset: number;
  readonly size: number;
  readonly sum: string;
}

/**
 * An export that is read with suspicion: whoever sent it may mean harm. Opening it reads it once from end to end: every name is
 * one that an export has, every length is that of bytes which are there, and every checksum is right. Nothing is unpacked.
 */
export class ExportFile {
  readonly path: string;
  readonly #descriptor: number;
  readonly #members = new Map<string, Member>();

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  /** Throws `FILE_UNREADABLE`, `EXPORT_INVALID`. */
  static open(path: string): ExportFile {
    const file = new ExportFile(path, openFile(path));
    try {
      file.#scan();
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  /** Names that begin so, in order. */
  names(prefix: string): string[] {
    return [...this.#members.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  /** Throws `EXPORT_INVALID` also if the file was changed since it was opened. */
  text(name: string): string {
    const member = this.#members.get(name);
    if (member === undefined) throw this.invalid(`${name} is missing`);
    if (member.size > mostTextBytes) throw this.invalid(`${name} is larger than ${mostTextBytes} bytes`);
    const bytes = this.#read(member.offset, member.size);
    if (sumOf(bytes) !== member.sum) throw this.invalid(`${name} was changed while it was read`);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw this.invalid(`${name} is not UTF-8`);
    }
  }

  /** Throws `EXPORT_INVALID` for what is no JSON, or nested too deep. */
  json(name: string): unknown {
    return this.parse(this.text(name), name);
  }

  parse(text: string, name: string): unknown {
    if (depthOf(text) > deepest) throw this.invalid(`${name} is nested more than ${deepest} deep`);
    try {
      return JSON.parse(text);
    } catch {
      throw this.invalid(`${name} is not JSON`);
    }
  }

  /** The bytes of a member, in pieces. */
  *pieces(name: string): Generator<Buffer> {
    const { offset, size } = this.#members.get(name)!;
    for (let done = 0; done < size; done += pieceBytes) {
      yield this.#read(offset + done, Math.min(pieceBytes, size - done));
    }
  }

  invalid(what: string): PitonError {
    return exportInvalid(this.path, what);
  }

  #scan(): void {
    const { size } = fstatSync(this.#descriptor);
    let offset = 0;
    for (;;) {
      const block = this.#read(offset, blockBytes);
      if (isEmpty(block)) break;
      offset = this.#addMember(block, offset + blockBytes);
    }
    if (offset + 2 * blockBytes !== size || !isEmpty(this.#read(offset, 2 * blockBytes)))
      throw this.invalid('there is something behind its end, or the end is missing');
    if (this.names('')[0] === undefined) throw this.invalid('it is empty');
    this.#checkSums();
  }

  /** Where the next one begins. */
  #addMember(header: Buffer, offset: number): number {
    const entry = readTarHeader(header);
    if (entry === undefined) throw this.invalid('it is no export of Piton, or was damaged');
    const { name, size } = entry;
    if (!memberName.test(name))
      throw this.invalid(`it has a member ${JSON.stringify(name)}, which no export has`);
    if (this.#members.has(name)) throw this.invalid(`it has ${name} twice`);
    const sum = createHash('sha256');
    this.#members.set(name, { offset, size, sum: '' });
    for (const piece of this.pieces(name)) sum.update(piece);
    this.#members.set(name, { offset, size, sum: sum.digest('hex') });
    const padding = paddingOf(size);
    if (!isEmpty(this.#read(offset + size, padding))) throw this.invalid(`there is something behind ${name}`);
    return offset + size + padding;
  }

  /** The last member has the checksums of all before it, in their order. */
  #checkSums(): void {
    const all = [...this.#members].filter(([name]) => name !== members.sums);
    const expected = all.map(([name, { sum }]) => `${sum}  ${name}\n`).join('');
    if (this.text(members.sums) !== expected)
      throw this.invalid('a checksum is wrong: it was damaged, or changed');
    const foreign = all.find(([name, { sum }]) => name.startsWith('blobs/') && name !== members.blob(sum));
    if (foreign !== undefined) throw this.invalid(`${foreign[0]} has another hash than its name says`);
  }

  #read(offset: number, size: number): Buffer {
    const bytes = Buffer.alloc(Math.min(size, fstatSync(this.#descriptor).size));
    for (let done = 0; done < size;) {
      const read = readSync(this.#descriptor, bytes, done, bytes.length - done, offset + done);
      if (read === 0) throw this.invalid('it ends too early: a part of it is missing');
      done += read;
    }
    return bytes;
  }
}

function openFile(path: string): number {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (cause) {
    throw new PitonError('FILE_UNREADABLE', `${path} cannot be read: ${asError(cause).message}.`, {
      file: path,
      cause,
    });
  }
  throw new PitonError('FILE_UNREADABLE', `${path} is no file.`, { file: path });
}

function isEmpty(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function sumOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of brackets outside of texts, whether it is JSON or not. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') at = endOfText(text, at);
    else if (character === '[' || character === '{') most = Math.max(most, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return most;
}

/** Where the quote is that ends it. */
function endOfText(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
