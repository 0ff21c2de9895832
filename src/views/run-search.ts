import { cleanText } from '../base/index.ts';
import type { RunEvent } from '../model/index.ts';
import { inputLines } from './call-lines.ts';
import { ConversationReader, type SaidTurn } from './conversation.ts';
import { matchingLines, type SearchHit } from './search-hit.ts';
import type { SearchPattern } from './search-pattern.ts';
import type { Turn } from './turns.ts';
import { isWithin } from './within-task.ts';

export interface Searching {
  readonly run: string;
  readonly workflow: string;
  readonly pattern: SearchPattern;
  /** An address, or the name of a task with all that it consists of. */
  readonly task?: string | undefined;
  /** No more hits than that are given, at least one: the newest. */
  readonly limit: number;
}

/** Looks through what was said in one run, event by event. */
export class RunSearch {
  readonly #searching: Searching;
  readonly #reader = new ConversationReader();
  readonly #attempts = new Map<string, Pick<SearchHit, 'number' | 'agent'>>();
  #hits: SearchHit[] = [];

  constructor(searching: Searching) {
    this.#searching = searching;
  }

  add(event: RunEvent): void {
    if (!('task' in event) || event.task === undefined || !this.#isMeant(event.task)) return;
    if (event.type === 'attempt.started') {
      const { number, agent } = event.data;
      this.#attempts.set(event.attempt, { number, ...(agent !== undefined && { agent: agent.name }) });
    }
    for (const turn of this.#reader.read(event)) this.#look(event.task, turn);
  }

  /** What was found, newest first. */
  get hits(): SearchHit[] {
    return this.#hits.slice(-this.#searching.limit).toReversed();
  }

  #isMeant(address: string): boolean {
    const { task } = this.#searching;
    return task === undefined || isWithin(address, task);
  }

  #look(task: string, turn: SaidTurn): void {
    const { run, workflow, pattern, limit } = this.#searching;
    const { seq, at, role, tool, attempt } = turn;
    for (const found of matchingLines(wordsOf(turn), pattern)) {
      this.#hits.push({
        run,
        workflow,
        task,
        ...(attempt !== undefined && { attempt, ...this.#attempts.get(attempt) }),
        seq,
        at,
        role,
        ...(tool !== undefined && { tool }),
        ...found,
      });
    }
    // Some more than are asked for are kept, so that not every hit moves all of them.
    if (this.#hits.length > 2 * limit) this.#hits = this.#hits.slice(-limit);
  }
}

/** What is searched of a turn: of a call the fields of its input. The id of a session is nothing that anybody has said. */
function wordsOf({ role, input = null, text }: Turn): string {
  if (role === 'session') return '';
  return cleanText(role === 'call' || role === 'asked' ? inputLines(input).join('\n') : text);
}
