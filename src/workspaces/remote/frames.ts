import { answerMark } from './program-line.ts';

export type RemoteEnd =
  | { readonly type: 'exited'; readonly code: number; readonly isLate: boolean; readonly nonce: string }
  /** Nobody runs it any more, and nobody knows how it ended. */
  | { readonly type: 'vanished' };

export type Frame =
  | { readonly type: 'piece'; readonly stream: 'o' | 'e' | 'r'; readonly bytes: Buffer }
  | { readonly type: 'end'; readonly end: RemoteEnd };

/** Reads what the follower there sends: lines, some of which announce so many bytes. Pieces are handed on as they come. */
export class FrameReader {
  readonly #tell: (frame: Frame) => void;
  #isAnswer = false;
  #line = Buffer.alloc(0);
  #stream: 'o' | 'e' | 'r' = 'o';
  #left = 0;

  constructor(tell: (frame: Frame) => void) {
    this.#tell = tell;
  }

  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0;)
      rest = this.#left > 0 ? this.#readPiece(rest) : this.#readLine(rest);
  }

  #readPiece(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, this.#left);
    this.#left -= piece.length;
    this.#tell({ type: 'piece', stream: this.#stream, bytes: piece });
    return bytes.subarray(piece.length);
  }

  #readLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(10);
    this.#line = Buffer.concat([this.#line, end === -1 ? bytes : bytes.subarray(0, end)]);
    if (end === -1) return Buffer.alloc(0);
    const line = this.#line.toString('latin1');
    this.#line = Buffer.alloc(0);
    if (this.#isAnswer) this.#understand(line);
    else this.#isAnswer = line === answerMark;
    return bytes.subarray(end + 1);
  }

  #understand(line: string): void {
    const piece = /^([oer]) (\d+)$/.exec(line);
    if (piece !== null) {
      this.#stream = piece[1] as 'o' | 'e' | 'r';
      this.#left = Number(piece[2]);
    }
    const exit = /^x (\d{3}) ([01]) (\S+)$/.exec(line);
    if (exit !== null) {
      const [, code, late, nonce = ''] = exit;
      const end = { type: 'exited', code: Number(code), isLate: late === '1', nonce } as const;
      this.#tell({ type: 'end', end });
    }
    if (line === 'd') this.#tell({ type: 'end', end: { type: 'vanished' } });
  }
}
