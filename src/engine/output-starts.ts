import type { OutputStream, Spool } from '../spool/index.ts';

/** Where in a stream reading begins. */
export interface OutputStart {
  readonly position: number;
  /** In the middle of a line, whose beginning is too far away. */
  readonly isCut: boolean;
}

interface Asked {
  readonly after?: Readonly<Partial<Record<OutputStream, number>>>;
  readonly tail?: number;
}

interface Place {
  readonly attempt: string;
  readonly stream: OutputStream;
}

export async function startsOf(
  spool: Spool,
  attempt: string,
  asked: Asked,
): Promise<Readonly<Record<OutputStream, OutputStart>>> {
  const startOf = async (stream: OutputStream): Promise<OutputStart> => {
    const given = asked.after?.[stream] ?? 0;
    const tail = await lastLines(spool, { attempt, stream }, asked.tail);
    return lineAround(spool, { attempt, stream }, Math.max(given, tail));
  };
  return { stdout: await startOf('stdout'), stderr: await startOf('stderr') };
}

const newline = 10;
const pieceBytes = 64 * 1024;

/** Where the last lines of a stream begin. */
async function lastLines(spool: Spool, place: Place, count: number | undefined): Promise<number> {
  if (count === undefined) return 0;
  const { attempt, stream } = place;
  const { bytes: size } = await spool.readOutput(attempt, stream, { maxBytes: 0, from: 'end' });
  let left = count;
  for (let end = size; end > 0 && left > 0;) {
    const start = Math.max(0, end - pieceBytes);
    const bytes = await spool.readFrom(attempt, { stream, position: start, maxBytes: end - start });
    // What ends the last line begins no other.
    let at = start + bytes.length === size ? bytes.length - 1 : bytes.length;
    while (left > 0 && at > 0) {
      at = bytes.lastIndexOf(newline, at - 1);
      if (at < 0) break;
      left--;
      if (left === 0) return start + at + 1;
    }
    end = start;
  }
  return left === 0 ? size : 0;
}

/** Where the line begins that a place is in: a secret must not be cut in two, and so not be known any more. */
async function lineAround(spool: Spool, { attempt, stream }: Place, place: number): Promise<OutputStart> {
  if (place <= 0) return { position: 0, isCut: false };
  const start = Math.max(0, place - pieceBytes);
  const bytes = await spool.readFrom(attempt, { stream, position: start, maxBytes: place - start });
  const found = bytes.lastIndexOf(newline);
  if (found >= 0) return { position: start + found + 1, isCut: false };
  return start === 0 ? { position: 0, isCut: false } : { position: start, isCut: true };
}
