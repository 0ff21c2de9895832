import { appendFileSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { followAttempt } from './attempt-programs.ts';
import { FrameReader, type Frame, type RemoteEnd } from './frames.ts';
import { endOf, openLine, type Line } from './ssh.ts';

export interface Followed {
  /** There. */
  readonly folder: string;
  readonly attempt: string;
  /** Here: what it has written to `$PITON_OUTPUT`. */
  readonly resultFile: string;
}

const retryMs = 500;
const longestRetryMs = 10_000;

/** Prints what it prints, each byte once, over as many connections as it takes. */
export async function follow(line: Line, followed: Followed): Promise<RemoteEnd> {
  const printed = { o: 0, e: 0 };
  for (let waitMs = retryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
    const before = printed.o + printed.e;
    const end = await followOnce(line, followed, printed);
    if (end !== undefined) return end;
    if (printed.o + printed.e > before) waitMs = retryMs;
    await pause(waitMs);
  }
}

/** Undefined: the connection is lost. */
async function followOnce(
  line: Line,
  { folder, attempt, resultFile }: Followed,
  printed: { o: number; e: number },
): Promise<RemoteEnd | undefined> {
  const args = [folder, attempt, String(printed.o), String(printed.e)];
  const child = openLine(line, { program: followAttempt, args });
  let end: RemoteEnd | undefined;
  let isResultBegun = false;
  const reader = new FrameReader((frame: Frame) => {
    if (frame.type === 'end') end = frame.end;
    else if (frame.stream === 'r') {
      if (!isResultBegun) writeFileSync(resultFile, '', { mode: 0o600 });
      isResultBegun = true;
      appendFileSync(resultFile, frame.bytes);
    } else {
      print(frame.stream === 'o' ? 1 : 2, frame.bytes);
      printed[frame.stream] += frame.bytes.length;
    }
  });
  child.stdout!.on('data', (piece: Buffer) => reader.read(piece));
  child.stderr!.resume();
  await endOf(child);
  return end;
}

function print(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
