import type { Json } from '../../../base/index.ts';
import type { RunEvent } from '../../../library/index.ts';
import { Speech, type Spoken } from '../conversation/index.ts';
import { isWithin } from '../logs/select-attempts.ts';
import { hitsIn, type Hit } from './hit.ts';
import type { Pattern } from './pattern.ts';

export interface Searching {
  readonly run: string;
  readonly workflow: string;
  readonly pattern: Pattern;
  /** An address, or the name of a task with all that it consists of. */
  readonly task: string | undefined;
  /** No more hits than that are kept: the newest. */
  readonly limit: number;
}

/** The newest lines of a run's conversations that match, newest first. Holds no more of them than are asked for. */
export async function searchRun(searching: Searching, events: AsyncIterable<RunEvent>): Promise<Hit[]> {
  const search = new RunSearch(searching);
  for await (const event of events) search.add(event);
  return search.hits.toReversed();
}

interface Talk {
  readonly number: number;
  readonly agent?: string;
  readonly speech: Speech;
}

class RunSearch {
  readonly #searching: Searching;
  readonly #talks = new Map<string, Talk>();
  hits: Hit[] = [];

  constructor(searching: Searching) {
    this.#searching = searching;
  }

  add(event: RunEvent): void {
    if (!('task' in event) || event.task === undefined || !this.#isMeant(event.task)) return;
    switch (event.type) {
      case 'attempt.started':
        this.#begin(event.attempt, event.data);
        return;
      case 'attempt.ended':
        this.#talks.delete(event.attempt);
        return;
      case 'transcript.added':
        this.#read(event, event.data.entries ?? []);
        return;
      case 'message.added':
        this.#look(event, { role: 'told', text: event.data.text });
        return;
      case 'check.failed':
        this.#look(event, { role: 'check', text: event.data.report });
        return;
    }
  }

  #isMeant(address: string): boolean {
    const { task } = this.#searching;
    return task === undefined || isWithin(address, task);
  }

  #begin(attempt: string, { number, agent }: Extract<RunEvent, { type: 'attempt.started' }>['data']): Talk {
    const talk = { number, ...(agent !== undefined && { agent: agent.name }), speech: new Speech() };
    this.#talks.set(attempt, talk);
    return talk;
  }

  #read(event: Extract<RunEvent, { type: 'transcript.added' }>, entries: readonly Json[]): void {
    const talk = this.#talks.get(event.attempt);
    if (talk === undefined) return;
    for (const entry of entries) {
      const spoken = talk.speech.add(entry);
      if (spoken !== undefined) this.#look(event, spoken, talk);
    }
  }

  #look({ at, task }: { readonly at: number; readonly task: string }, spoken: Spoken, talk?: Talk): void {
    const { run, workflow, pattern, limit } = this.#searching;
    const whose = talk && { attempt: talk.number, ...(talk.agent !== undefined && { agent: talk.agent }) };
    const found = hitsIn({ run, workflow, task, ...whose, at }, spoken, pattern);
    if (found.length > 0) this.hits = [...this.hits, ...found].slice(-limit);
  }
}
