import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { PitonError } from '../../base/index.ts';
import { members } from './format.ts';
import { mostMemberBytes, paddingOf, tarHeader } from './tar.ts';

const pieceBytes = 1024 * 1024;

/** Writes the members of an export one after the other; the last one has the checksums of all others. */
export class MemberWriter {
  readonly #file: FileHandle;
  readonly #seconds: number;
  readonly #sums: string[] = [];

  /** `at`: the time that every member has. The same run is to give the same bytes, whenever it is exported. */
  constructor(file: FileHandle, at: number) {
    this.#file = file;
    this.#seconds = Math.max(0, Math.floor(at / 1000));
  }

  async add(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    await this.#begin(name, bytes.length);
    await this.#file.writeFile(bytes);
    await this.#end(name, bytes.length, createHash('sha256').update(bytes).digest('hex'));
  }

  async addFile(name: string, path: string): Promise<void> {
    const source = await open(path, 'r');
    try {
      const { size } = await source.stat();
      await this.#begin(name, size);
      await this.#end(name, size, await this.#copy(source, size));
    } finally {
      await source.close();
    }
  }

  async finish(): Promise<void> {
    await this.add(members.sums, this.#sums.join(''));
    // Two empty blocks are the end of a tar file.
    await this.#file.writeFile(Buffer.alloc(2 * 512));
    await this.#file.sync();
  }

  async #begin(name: string, size: number): Promise<void> {
    if (size > mostMemberBytes) throw tooLarge(name, size);
    await this.#file.writeFile(tarHeader({ name, size }, this.#seconds));
  }

  async #end(name: string, size: number, sum: string): Promise<void> {
    await this.#file.writeFile(Buffer.alloc(paddingOf(size)));
    this.#sums.push(`${sum}  ${name}\n`);
  }

  async #copy(source: FileHandle, size: number): Promise<string> {
    const sum = createHash('sha256');
    const piece = Buffer.alloc(pieceBytes);
    for (let left = size; left > 0;) {
      const { bytesRead } = await source.read(piece, 0, Math.min(left, pieceBytes));
      if (bytesRead === 0) throw new Error('the bundle has become shorter while it was copied');
      const part = piece.subarray(0, bytesRead);
      sum.update(part);
      await this.#file.writeFile(part);
      left -= bytesRead;
    }
    return sum.digest('hex');
  }
}

function tooLarge(name: string, size: number): PitonError {
  return new PitonError('EXPORT_FAILED', `${name} would have ${size} bytes, more than a tar file can hold.`, {
    remedy: 'Export the run without its files: --no-files.',
  });
}
