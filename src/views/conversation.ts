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

/** Reads what was said in a run, event by event. */
export class ConversationReader {
  readonly #attempts = new Map<string, TurnReader>();

  /** What an event adds to the conversation of its task. */
  read(event: RunEvent): SaidTurn[] {
    const { seq, at } = event;
    switch (event.type) {
      case 'transcript.added':
        return this.#readEntries(event.data.entries ?? [], { seq, at, attempt: event.attempt });
      case 'attempt.ended':
        this.#attempts.delete(event.attempt);
        return [];
      case 'message.added':
        return [{ seq, at, role: 'told', text: event.data.text }];
      case 'check.failed':
        return [{ seq, at, role: 'check', text: event.data.report }];
      default:
        return [];
    }
  }

  #readEntries(
    entries: readonly unknown[],
    said: { readonly seq: number; readonly at: number; readonly attempt: string },
  ): SaidTurn[] {
    const reader = this.#attempts.get(said.attempt) ?? new TurnReader();
    this.#attempts.set(said.attempt, reader);
    return entries.flatMap((entry) => {
      const turn = reader.read(entry);
      return turn === undefined ? [] : [{ ...said, ...turn }];
    });
  }
}

/** Collects the turns of one task. Calls have their answers, if these are among the events. */
export class TaskConversation {
  readonly #task: string;
  readonly #reader = new ConversationReader();
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
    for (const turn of this.#reader.read(event)) this.#say(turn);
  }

  #say(turn: SaidTurn): void {
    if (turn.role === 'answer' && this.#answer(turn)) return;
    if (turn.role === 'call') this.#calls.set(callKey(turn), this.#turns.length);
    this.#turns.push(turn);
  }

  /** An answer belongs to its call, wherever that is. */
  #answer(turn: SaidTurn): boolean {
    const index = this.#calls.get(callKey(turn));
    if (index === undefined) return false;
    this.#calls.delete(callKey(turn));
    const { text, isError } = turn;
    this.#turns[index] = { ...this.#turns[index]!, answer: { text, ...(isError && { isError }) } };
    return true;
  }
}

function callKey({ attempt, call }: SaidTurn): string {
  return `${attempt} ${call}`;
}
