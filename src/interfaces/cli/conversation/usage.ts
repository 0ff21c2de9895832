import { addUsed, nothingUsed, UsageMeter, type RunEvent } from '../../../engine/index.ts';
import { usageEntriesOf, type Used } from '../../../model/index.ts';

/** Tokens and money. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  /** Part of `input`. */
  readonly cachedInput: number;
  /** Absent if nothing was priced. */
  readonly costUsd?: number;
  /** Tokens of which nobody said what they cost. */
  readonly unpricedTokens: number;
}

interface Spender {
  readonly task: string;
  /** Of the conversation; absent until it is known. */
  session?: string;
  /** The conversation that this one is a copy of. */
  copyOf?: string | undefined;
  used?: Used;
}

/**
 * What the agents of one run have used, by attempt. It must be told every event: a cumulative count goes on
 * over all attempts, and tasks, that share a session, and each is charged only what it has added.
 */
export class UsageTally {
  readonly #spenders = new Map<string, Spender>();
  readonly #meter = new UsageMeter();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'attempt.started':
        this.#begin(event);
        return;
      case 'session.opened':
        this.#meter.copy(this.#spenders.get(event.attempt)?.copyOf, event.data.session);
        this.#enter(event.attempt, event.task, event.data.session);
        return;
      case 'transcript.added':
        this.#read(event);
        return;
    }
  }

  ofAttempt(attempt: string): Usage | undefined {
    return this.#sum(([id]) => id === attempt);
  }

  ofTask(task: string): Usage | undefined {
    return this.#sum(([, spender]) => spender.task === task);
  }

  total(): Usage | undefined {
    return this.#sum(() => true);
  }

  #begin({ attempt, task, data: { agent } }: Extract<RunEvent, { type: 'attempt.started' }>): void {
    const spender = this.#enter(attempt, task, agent?.session);
    if (agent?.how === 'fork') spender.copyOf = agent.of;
  }

  #enter(attempt: string, task: string, session?: string): Spender {
    const spender = this.#spenders.get(attempt) ?? { task };
    if (session !== undefined) spender.session = session;
    this.#spenders.set(attempt, spender);
    return spender;
  }

  #read({ attempt, task, data }: Extract<RunEvent, { type: 'transcript.added' }>): void {
    const spender = this.#spenders.get(attempt) ?? this.#enter(attempt, task);
    // Until the session is known, the attempt stands for it.
    const { session = attempt } = spender;
    const added = this.#meter.read({ attempt, session }, usageEntriesOf(data));
    if (added !== undefined) spender.used = addUsed(spender.used ?? nothingUsed, added);
  }

  #sum(isMeant: (entry: [attempt: string, spender: Spender]) => boolean): Usage | undefined {
    const used = [...this.#spenders]
      .filter(isMeant)
      .map(([, spender]) => spender.used)
      .filter((part) => part !== undefined);
    return used.length === 0 ? undefined : usageIn(used.reduce(addUsed, nothingUsed));
  }
}

/** What costs nothing, as far as was told, has no price unless nothing is unpriced. */
function usageIn({ usd, ...tokens }: Used): Usage {
  return usd === 0 && tokens.unpricedTokens > 0 ? tokens : { ...tokens, costUsd: usd };
}

/** `12.3k in (8k cached), 450 out, $0.0123`. What has no price is said to have none. */
export function usageText({ input, output, cachedInput, costUsd, unpricedTokens }: Usage): string {
  const cached = cachedInput > 0 ? ` (${countText(cachedInput)} cached)` : '';
  const priced = costUsd === undefined ? [] : [moneyText(costUsd)];
  const rest = costUsd === undefined ? 'unpriced' : `${countText(unpricedTokens)} tokens unpriced`;
  return [
    `${countText(input)} tokens in${cached}`,
    `${countText(output)} out`,
    ...priced,
    ...(unpricedTokens > 0 ? [rest] : []),
  ].join(', ');
}

export function countText(count: number): string {
  if (count < 1_000) return String(count);
  const [size, unit] = count < 999_950 ? [1_000, 'k'] : [1_000_000, 'M'];
  return `${Number((count / size).toFixed(1))}${unit}`;
}

/** Small sums to the hundredth of a cent. */
export function moneyText(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
