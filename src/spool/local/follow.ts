import { setTimeout as pause } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';
import type { FollowOptions } from '../contract.ts';
import type { OutputPiece, OutputStream } from '../order.ts';
import { readFully, withFile } from './output.ts';

const pollMs = 50;
const pieceBytes = 64 * 1024;
const newlineByte = 10;

/** What is there, then what comes, until it is over and all is read, or the signal is given. */
export async function* followFiles(
  paths: Readonly<Record<OutputStream, string>>,
  { from = {}, signal, isOver }: FollowOptions,
): AsyncGenerator<OutputPiece> {
  const streams = ['stdout', 'stderr'] as const;
  const readers = streams.map((stream) => new Reader(stream, paths[stream], from[stream] ?? 0));
  while (!isGiven(signal)) {
    // Asked before reading: what was written before it was over is then surely read.
    const isLast = await isOver();
    for (const reader of readers) {
      for (let piece = reader.next(); piece !== undefined && !isGiven(signal); piece = reader.next())
        yield piece;
    }
    if (isLast) return yield* readers.flatMap((reader) => reader.rest());
    await pause(pollMs, undefined, signal && { signal }).catch(() => undefined);
  }
}

function isGiven(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** One stream, read piece by piece; a character that is not complete yet waits for its rest. */
class Reader {
  readonly #stream: OutputStream;
  readonly #file: string;
  readonly #decoder = new StringDecoder('utf8');
  #position: number;
  #lines: number;

  constructor(stream: OutputStream, file: string, position: number) {
    this.#stream = stream;
    this.#file = file;
    this.#position = position;
    this.#lines = position;
  }

  next(): OutputPiece | undefined {
    for (let bytes = this.#read(); bytes.length > 0; bytes = this.#read()) {
      const newline = bytes.lastIndexOf(newlineByte);
      if (newline >= 0) this.#lines = this.#position + newline + 1;
      this.#position += bytes.length;
      const text = this.#decoder.write(bytes);
      if (text !== '') return this.#piece(text);
    }
    return undefined;
  }

  rest(): OutputPiece[] {
    const text = this.#decoder.end();
    return text === '' ? [] : [this.#piece(text)];
  }

  #piece(text: string): OutputPiece {
    return { stream: this.#stream, text, lines: this.#lines, end: this.#position };
  }

  #read(): Buffer {
    const read = withFile(this.#file, (descriptor, { size }) => {
      const length = Math.min(Math.max(size - this.#position, 0), pieceBytes);
      return readFully(descriptor, this.#position, length);
    });
    return read ?? Buffer.alloc(0);
  }
}
