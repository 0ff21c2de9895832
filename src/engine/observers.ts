import { asError, errorText, type JsonObject } from '../base/index.ts';
import type { RunEvent } from '../model/index.ts';
import type { CheckpointCause } from './checkpoint-buffer.ts';

/** What observers are told besides the facts of the journal. None of it is stored. */
export type Notice = { readonly run: string; readonly at: number } & (
  | ({
      readonly type: 'checkpoint.saved';
      readonly seq: number;
      /** Tasks whose attempts begin now that it is durable, by address. */
      readonly next: readonly string[];
    } & CheckpointCause)
  | { readonly type: 'checkpoint.loaded'; readonly seq: number }
  | { readonly type: 'checkpoint.resumed'; readonly seq: number }
  | { readonly type: 'run.stalled'; readonly reason: string }
  | { readonly type: 'lease.lost' }
  | { readonly type: 'cycle.entered'; readonly node: string; readonly visit: number }
  | { readonly type: 'node.entered'; readonly task: string; readonly before: JsonObject }
  | {
      readonly type: 'node.left';
      readonly task: string;
      readonly before: JsonObject;
      readonly after: JsonObject;
    }
);

/** What an observer is told: events that were committed, and notices about what is not in the journal. */
export type Observation = RunEvent | Notice;
/** Nobody waits for what it returns; should that be a promise that rejects, it counts as thrown. */
export type Observer = (observation: Observation) => unknown;

/** Tells several observers; one that throws or rejects harms nobody, and is heard of once. */
export class Observers {
  readonly #observers = new Set<Observer>();
  readonly #faulty = new WeakSet<Observer>();

  get isEmpty(): boolean {
    return this.#observers.size === 0;
  }

  add(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  tell(observation: Observation): void {
    for (const observer of this.#observers) {
      try {
        const returned = observer(observation);
        if (returned instanceof Promise) returned.catch((thrown: unknown) => this.#report(observer, thrown));
      } catch (thrown) {
        this.#report(observer, thrown);
      }
    }
  }

  #report(observer: Observer, thrown: unknown): void {
    if (this.#faulty.has(observer)) return;
    this.#faulty.add(observer);
    const message = errorText(asError(thrown), 'message') ?? 'an error that cannot be shown';
    process.emitWarning(`an observer threw, which harms no run: ${message}`, 'PitonWarning');
  }
}
