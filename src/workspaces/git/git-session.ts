import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { systemClock } from '../../base/index.ts';
import { collectTail, endGroup, signalGroup, type ProcessEnd, type ProcessOrder } from './git-process.ts';

/** What the bytes so far say: the answer and where it ends, or how many there must be before it is worth looking again. */
export type Parsed<T> = { readonly answer: T; readonly end: number } | { readonly needs: number };

export interface Question<T> {
  readonly input: string;
  /** Throws if it is no answer at all. */
  parse(bytes: Buffer): Parsed<T>;
}

interface Waiting {
  take(): void;
  fail(end: ProcessEnd): void;
}

/** How a session ended while it owed an answer. */
export class SessionEnded extends Error {
  readonly end: ProcessEnd;

  constructor(end: ProcessEnd) {
    super('git has ended before it answered');
    this.end = end;
  }
}

/**
 * One git that is asked many times, one question after the other. Like every git of ours it has no terminal, and is ended with
 * all that it has started. It ends by itself when its input is closed, as the death of this process does; and while it owes no
 * answer, it keeps nobody alive.
 */
export class GitSession {
  readonly startedAt = systemClock.elapsed();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answerMs: number;
  readonly #maxBytes: number;
  readonly #tail: () => string;
  #pieces: Buffer[] = [];
  #size = 0;
  #needed = 0;
  #waiting: Waiting | undefined;
  #end: ProcessEnd | undefined;
  #endedFor: ProcessEnd['endedFor'];

  constructor(order: Omit<ProcessOrder, 'input'>) {
    const { args, cwd, env, timeoutMs, maxBytes } = order;
    this.#answerMs = timeoutMs;
    this.#maxBytes = maxBytes;
    this.#child = spawn('git', args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.on('data', (piece: Buffer) => this.#receive(piece));
    this.#tail = collectTail(this.#child.stderr);
    this.#child.on('error', (failure) => this.#over({ code: undefined, signal: undefined, failure }));
    this.#child.on('close', (code, signal) =>
      this.#over({ code: code ?? undefined, signal: signal ?? undefined, failure: undefined }),
    );
    this.#holdProcess(false);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isOver(): boolean {
    return this.#end !== undefined || this.#endedFor !== undefined;
  }

  get isBusy(): boolean {
    return this.#waiting !== undefined;
  }

  /** One at a time. Throws `SessionEnded`. */
  ask<T>({ input, parse }: Question<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#end !== undefined) return Promise.reject(new SessionEnded(this.#end));
    // A git that is stopped, or waits for a disk that is gone, would be waited for without end.
    const timer = setTimeout(() => this.#kill('time'), this.#answerMs);
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      this.#waiting = undefined;
      this.#holdProcess(false);
      act();
    };
    this.#waiting = {
      take: () => {
        timer.refresh();
        try {
          const parsed = this.#parsed(parse);
          if (parsed === undefined) return;
          settle(() => resolve(parsed.answer));
          if (this.#size > 0) this.#kill('size');
        } catch (error) {
          this.#kill('size');
          settle(() => reject(error as Error));
        }
      },
      fail: (end) => settle(() => reject(new SessionEnded(end))),
    };
    this.#holdProcess(true);
    this.#child.stdin.write(input);
    return promise;
  }

  /** No more questions. While it owes no answer, it is in the middle of nothing: killed, it ends even if it is stopped. */
  close(): void {
    if (this.isOver) return;
    this.#child.stdin.end();
    if (!this.isBusy) signalGroup(this.#child.pid, 'SIGKILL');
  }

  #parsed<T>(parse: Question<T>['parse']): { readonly answer: T } | undefined {
    if (this.#size < this.#needed) return undefined;
    const bytes = Buffer.concat(this.#pieces);
    const parsed = parse(bytes);
    this.#pieces = [bytes];
    if ('needs' in parsed) {
      this.#needed = parsed.needs;
      if (parsed.needs > this.#maxBytes) this.#kill('size');
      return undefined;
    }
    this.#pieces = [bytes.subarray(parsed.end)];
    this.#size -= parsed.end;
    this.#needed = 0;
    return parsed;
  }

  #receive(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    // What nobody has asked for would be taken for the next answer; so would what comes behind one.
    if (this.#waiting === undefined) this.#kill('size');
    else this.#waiting.take();
  }

  #kill(why: 'time' | 'size'): void {
    this.#endedFor ??= why;
    endGroup(this.#child.pid);
  }

  #over(how: Pick<ProcessEnd, 'code' | 'signal' | 'failure'>): void {
    this.#end ??= { ...how, bytes: Buffer.alloc(0), stderr: this.#tail(), endedFor: this.#endedFor };
    this.#waiting?.fail(this.#end);
  }

  #holdProcess(isHeld: boolean): void {
    const method = isHeld ? 'ref' : 'unref';
    this.#child[method]();
    // The pipes of a child are sockets, which their types do not tell.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      (stream as unknown as Record<'ref' | 'unref', () => void>)[method]();
  }
}
