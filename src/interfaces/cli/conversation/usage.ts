import type { RunEvent } from '../../../engine/index.ts';
import { entryOf, numberIn, textIn, type Entry } from './entry.ts';

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
  /** Of the conversation; until it is known, the attempt's own id. */
  session: string;
  usage?: Usage;
}

const none: Usage = { input: 0, output: 0, cachedInput: 0, unpricedTokens: 0 };

/**
 * What the agents of one run have used, by attempt. It must be told every event: a cumulative count goes on
 * over all attempts, and tasks, that share a session, and each is charged only what it has added.
 */
export class UsageTally {
  readonly #spenders = new Map<string, Spender>();
  /** The last cumulative count, by session. */
  readonly #counted = new Map<string, Usage>();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'attempt.started':
        this.#enter(event.attempt, event.task, event.data.agent?.session);
        return;
      case 'session.opened':
        this.#enter(event.attempt, event.task, event.data.session);
        return;
      case 'transcript.added':
        for (const value of event.data.entries) this.#read(event, entryOf(value));
        return;
    }
  }

  ofAttempt(attempt: string): Usage | undefined {
    return this.#spenders.get(attempt)?.usage;
  }

  ofTask(task: string): Usage | undefined {
    return this.#sum((spender) => spender.task === task);
  }

  total(): Usage | undefined {
    return this.#sum(() => true);
  }

  #enter(attempt: string, task: string, session = attempt): Spender {
    const spender = this.#spenders.get(attempt) ?? { task, session };
    spender.session = session;
    this.#spenders.set(attempt, spender);
    return spender;
  }

  #read({ attempt, task }: { readonly attempt: string; readonly task: string }, entry: Entry): void {
    if (textIn(entry, 'type') !== 'usage') return;
    const spender = this.#spenders.get(attempt) ?? this.#enter(attempt, task);
    const told = usageIn(entry);
    const isCumulative = entry['isCumulative'] === true;
    const before = isCumulative ? (this.#counted.get(spender.session) ?? none) : none;
    if (isCumulative) this.#counted.set(spender.session, told);
    spender.usage = combine(spender.usage ?? none, combine(told, before, -1));
  }

  #sum(isMeant: (spender: Spender) => boolean): Usage | undefined {
    return [...this.#spenders.values()]
      .filter(isMeant)
      .map(({ usage }) => usage)
      .filter((usage) => usage !== undefined)
      .reduce<Usage | undefined>((sum, usage) => combine(sum ?? none, usage), undefined);
  }
}

function usageIn(entry: Entry): Usage {
  const [input = 0, output = 0] = [numberIn(entry, 'input'), numberIn(entry, 'output')];
  const costUsd = numberIn(entry, 'costUsd');
  return {
    input,
    output,
    cachedInput: numberIn(entry, 'cachedInput') ?? 0,
    ...(costUsd === undefined ? { unpricedTokens: input + output } : { costUsd, unpricedTokens: 0 }),
  };
}

function combine(a: Usage, b: Usage, sign: 1 | -1 = 1): Usage {
  const isPriced = a.costUsd !== undefined || (sign === 1 && b.costUsd !== undefined);
  return {
    input: a.input + sign * b.input,
    output: a.output + sign * b.output,
    cachedInput: a.cachedInput + sign * b.cachedInput,
    ...(isPriced && { costUsd: (a.costUsd ?? 0) + sign * (b.costUsd ?? 0) }),
    unpricedTokens: Math.max(a.unpricedTokens + sign * b.unpricedTokens, 0),
  };
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

function countText(count: number): string {
  if (count < 1_000) return String(count);
  const [size, unit] = count < 999_950 ? [1_000, 'k'] : [1_000_000, 'M'];
  return `${Number((count / size).toFixed(1))}${unit}`;
}

/** Small sums to the hundredth of a cent. */
function moneyText(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
