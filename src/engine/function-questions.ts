import { PitonError, toJson, type Clock, type Json } from '../base/index.ts';
import { answerTo, assertAskable, type FunctionQuestion, type TaskState } from '../kernel/index.ts';
import type { AskedOfPerson } from './program.ts';

interface Ports {
  readonly task: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Puts it to the driver, which tells the answer once that is durable. */
  put(question: FunctionQuestion): void;
}

interface Open {
  readonly question: FunctionQuestion;
  readonly since: number;
  resolve(answer: Json): void;
  reject(error: Error): void;
}

/** The questions that the function of one attempt asks people: one at a time, each known by its key or its text. */
export class FunctionQuestions {
  readonly #ports: Ports;
  readonly #times = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();
  #open: Open | undefined;
  #waitedMs = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
    ports.signal.addEventListener('abort', () => this.#open?.reject(ports.signal.reason as Error), {
      once: true,
    });
  }

  /** Waiting for people is no running time. */
  get waitedMs(): number {
    const { clock } = this.#ports;
    return this.#waitedMs + (this.#open === undefined ? 0 : clock.elapsed() - this.#open.since);
  }

  async ask(asked: AskedOfPerson): Promise<Json> {
    const question = this.#read(asked);
    const before = this.#last;
    const answer = (async () => {
      await before.catch(() => {});
      return this.#wait(question);
    })();
    this.#last = answer;
    return answer;
  }

  /** What the journal knows of its questions now. */
  learn(task: TaskState): void {
    const open = this.#open;
    const answered = open && answerTo(task, open.question);
    if (answered === undefined) return;
    if ('answer' in answered) open!.resolve(answered.answer);
    else open!.reject(refused(this.#ports.task, answered.refusal));
  }

  /** The same text asked again is another question, unless a key says otherwise. */
  #read({ text, key, ...form }: AskedOfPerson): FunctionQuestion {
    const times = (this.#times.get(text) ?? 0) + 1;
    this.#times.set(text, times);
    const question = toJson({ ...form, text, key: key ?? `${text}#${times}` }) as unknown as FunctionQuestion;
    assertAskable(this.#ports.task, question);
    return question;
  }

  async #wait(question: FunctionQuestion): Promise<Json> {
    const { clock, signal, put } = this.#ports;
    signal.throwIfAborted();
    const since = clock.elapsed();
    try {
      return await new Promise<Json>((resolve, reject) => {
        this.#open = { question, since, resolve, reject };
        put(question);
      });
    } finally {
      this.#waitedMs += clock.elapsed() - since;
      this.#open = undefined;
    }
  }
}

function refused(
  task: string,
  { code, message }: { readonly code: string; readonly message: string },
): PitonError {
  const error = new PitonError(code, `The question of ${task} has no answer: ${message}.`);
  return Object.assign(error, { retryable: false });
}
