import type { RunEvent } from '../model/index.ts';
import { TurnReader, type Turn } from './turns.ts';

/** A turn, and when it was said in which attempt. */
export interface SaidTurn extends Turn {
  readonly seq: number;
  readonly at: number;
  /** The id of the attempt; absent for what was said between two. */
  readonly attempt?: string;
}

/** A part of the conversation of a task with its agents, in the order in which it was said. */
export interface ConversationView {
  readonly run: string;
  readonly task: string;
  readonly turns: readonly SaidTurn[];
  /** To go on from here: give it as `after`. Absent: this was the last part so far. */
  readonly next?: number;
}

/** Collects the turns of one task. Calls have their answers, if these are among the events. */
export class TaskConversation {
  readonly #task: string;
  readonly #readers = new Map<string, TurnReader>();
  readonly #turns: SaidTurn[] = [];
  /** Where the calls are that have no answer yet, by attempt and id. */
  readonly #calls = new Map<string, number>();

  constructor(task: string) {
    this.#task = task;
  }

  get turns(): readonly SaidTurn[] {
    return this.#turns;
  }

  add(event: RunEvent): void {
    if (!('task' in event) || event.task !== this.#task) return;
    const { seq, at } = event;
    switch (event.type) {
      case 'transcript.added':
        for (const entry of event.data.entries ?? []) this.#read(entry, { seq, at, attempt: event.attempt });
        return;
      case 'message.added':
        this.#turns.push({ seq, at, role: 'told', text: event.data.text });
        return;
      case 'check.failed':
        this.#turns.push({ seq, at, role: 'check', text: event.data.report });
        return;
    }
  }

  #read(entry: unknown, said: { readonly seq: number; readonly at: number; readonly attempt: string }): void {
    const reader = this.#readers.get(said.attempt) ?? new TurnReader();
    this.#readers.set(said.attempt, reader);
    const turn = reader.read(entry);
    if (turn === undefined || this.#answered(turn, said.attempt)) return;
    if (turn.role === 'call') this.#calls.set(`${said.attempt} ${turn.call}`, this.#turns.length);
    this.#turns.push({ ...said, ...turn });
  }

  /** An answer belongs to its call, wherever that is. */
  #answered({ role, call, text, isError }: Turn, attempt: string): boolean {
    const key = `${attempt} ${call}`;
    const index = role === 'answer' ? this.#calls.get(key) : undefined;
    if (index === undefined) return false;
    this.#calls.delete(key);
    this.#turns[index] = { ...this.#turns[index]!, answer: { text, ...(isError && { isError }) } };
    return true;
  }
}
