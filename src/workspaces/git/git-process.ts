import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface ProcessOrder {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | Uint8Array;
  /** A descriptor that is read instead. */
  readonly inputFile?: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Is given what git prints, as it comes, instead of keeping it. */
  readonly onPiece?: (piece: Buffer) => void;
}

export interface ProcessEnd {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly bytes: Buffer;
  /** The end of it. */
  readonly stderr: string;
  /** Why we ended it, if we did. */
  readonly endedFor: 'time' | 'size' | undefined;
  /** It could not be started at all. */
  readonly failure: Error | undefined;
}

/** As long as git gets to remove its lock files, once it was asked to end. */
const graceMs = 2_000;
const stderrKept = 64 * 1024;

/**
 * Runs git in a session of its own: without a terminal neither git nor ssh can ask anybody anything, a Ctrl-C meant for
 * us does not cut a write in two, and whatever git starts (filters, merge drivers) can be ended together with it.
 */
export async function runProcess(order: ProcessOrder): Promise<ProcessEnd> {
  const child = spawn('git', order.args, {
    cwd: order.cwd,
    env: order.env,
    detached: true,
    stdio: [order.inputFile ?? 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  let endedFor: ProcessEnd['endedFor'];
  const end = (why: 'time' | 'size'): void => {
    if (endedFor !== undefined) return;
    endedFor = why;
    endGroup(child.pid);
  };
  const timer = setTimeout(() => end('time'), order.timeoutMs);
  // A git that ends without reading all of its input is judged by its exit code.
  child.stdin?.on('error', () => undefined).end(order.input);
  const { onPiece } = order;
  if (onPiece !== undefined) child.stdout.on('data', onPiece);
  const stdout = onPiece === undefined ? collect(child.stdout, order.maxBytes, () => end('size')) : [];
  const stderr = collectTail(child.stderr);
  const ending = Promise.withResolvers<Pick<ProcessEnd, 'code' | 'signal' | 'failure'>>();
  child.on('error', (failure) => ending.resolve({ code: undefined, signal: undefined, failure }));
  child.on('close', (code, signal) =>
    ending.resolve({ code: code ?? undefined, signal: signal ?? undefined, failure: undefined }),
  );
  const how = await ending.promise;
  clearTimeout(timer);
  return { ...how, bytes: Buffer.concat(stdout), stderr: stderr(), endedFor };
}

/** Ends a git with all that it has started. */
export function endGroup(pid: number | undefined): void {
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs).unref();
}

export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function collect(stream: Readable, maxBytes: number, onExcess: () => void): Buffer[] {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= maxBytes) return void pieces.push(piece);
    pieces.length = 0;
    onExcess();
  });
  return pieces;
}

export function collectTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (piece: Buffer) => {
    tail = Buffer.concat([tail, piece]).subarray(-stderrKept);
  });
  return () => tail.toString('utf8');
}
