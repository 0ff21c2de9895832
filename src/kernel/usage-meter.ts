import { isPlainObject, setKey, type Json } from '../base/index.ts';
import type { Used } from '../model/index.ts';

export const nothingUsed: Used = { input: 0, output: 0, cachedInput: 0, usd: 0, unpricedTokens: 0 };

/** What was told on the way, and no count of its process has replaced yet. */
export interface ToldSoFar {
  readonly used: Used;
  readonly session?: string;
}

export interface MeterMemory {
  /** The last count of each session that counts from its beginning. */
  readonly counted: Record<string, Used>;
  /** By attempt. Of one that was killed it stays, and is what it has used. */
  readonly toldSoFar: Record<string, ToldSoFar>;
}

/** Who tells it. */
export interface Teller {
  readonly attempt: string;
  readonly session: string | undefined;
}

/**
 * Counts what agents say they have used, when they say it. Some tell on the way what it is so far, and at the end a count
 * that replaces it. Some counts are from the beginning of the session: of that, only what is new is used.
 */
export class UsageMeter {
  readonly #memory: MeterMemory;

  constructor(memory: MeterMemory = { counted: {}, toldSoFar: {} }) {
    this.#memory = memory;
  }

  /** A copy of a session goes on counting where that was: what is in both was used once. */
  copy(from: string | undefined, session: string): void {
    const count = from === undefined ? undefined : this.#countOf(from);
    if (count !== undefined && this.#countOf(session) === undefined) this.#remember(session, count);
  }

  /** What these entries of a transcript add. Tokens that were told without a price get one later: then those are less. */
  read(teller: Teller, entries: readonly Json[]): Used | undefined {
    return entries
      .map((entry) => this.#readEntry(teller, entry))
      .filter((used) => used !== undefined)
      .reduce<Used | undefined>((sum, used) => addUsed(sum ?? nothingUsed, used), undefined);
  }

  #readEntry(teller: Teller, entry: Json): Used | undefined {
    if (!isPlainObject(entry) || entry['type'] !== 'usage') return undefined;
    const told = usedIn(entry);
    if (entry['isSoFar'] === true) return this.#tellSoFar(teller, told);
    const { session } = teller;
    if (entry['isCumulative'] !== true || session === undefined) {
      return complete(told, this.#settle(teller).own);
    }
    return this.#count({ ...teller, session }, told);
  }

  #tellSoFar({ attempt, session }: Teller, used: Used): Used {
    const { toldSoFar } = this.#memory;
    const before = toldSoFar[attempt]?.used ?? nothingUsed;
    toldSoFar[attempt] = { used, ...(session !== undefined && { session }) };
    return subtract(used, before);
  }

  /**
   * Whether the count of a session has what a killed process of it has used, depends on the agent and on how it was killed. If
   * it is large enough to have all that was told since the last count, it has.
   */
  #count(teller: Teller & { readonly session: string }, told: Used): Used {
    const before = this.#countOf(teller.session) ?? nothingUsed;
    this.#remember(teller.session, told);
    const hasBegunAnew = isAnew(told, before);
    const news = hasBegunAnew ? told : difference(told, before);
    const { own, others } = this.#settle(teller);
    const all = addUsed(own, others);
    const hasAll = !hasBegunAnew && tokensOf(news) >= tokensOf(all);
    return complete(news, hasAll ? all : own);
  }

  /** The agent names its session: it may be `constructor`. */
  #countOf(session: string): Used | undefined {
    const { counted } = this.#memory;
    return Object.hasOwn(counted, session) ? counted[session] : undefined;
  }

  #remember(session: string, count: Used): void {
    setKey(this.#memory.counted, session, count);
  }

  /** A count has come: takes away what was told on the way in the same session. */
  #settle({ attempt, session }: Teller): { readonly own: Used; readonly others: Used } {
    const { toldSoFar } = this.#memory;
    const own = toldSoFar[attempt]?.used ?? nothingUsed;
    delete toldSoFar[attempt];
    let others = nothingUsed;
    for (const [other, told] of Object.entries(toldSoFar)) {
      if (session === undefined || told.session !== session) continue;
      others = addUsed(others, told.used);
      delete toldSoFar[other];
    }
    return { own, others };
  }
}

/** Never less than what was told before: a process that fails early may count nothing. */
function complete(count: Used, told: Used): Used {
  if (tokensOf(told) === 0 && told.usd === 0) return count;
  const input = Math.max(count.input, told.input);
  const output = Math.max(count.output, told.output);
  const priced = Math.max(tokensOf(count) - count.unpricedTokens, tokensOf(told) - told.unpricedTokens, 0);
  const whole: Used = {
    input,
    output,
    cachedInput: Math.max(count.cachedInput, told.cachedInput),
    usd: Math.max(count.usd, told.usd),
    unpricedTokens: Math.max(input + output - priced, 0),
  };
  return subtract(whole, told);
}

/** A count that is lower than before has begun anew: then all of it is new. */
function isAnew(told: Used, before: Used): boolean {
  return told.input + told.output < before.input + before.output || told.usd < before.usd;
}

function usedIn(entry: Readonly<Record<string, unknown>>): Used {
  const [input, output] = [numberIn(entry, 'input'), numberIn(entry, 'output')];
  const isPriced = typeof entry['costUsd'] === 'number';
  return {
    input,
    output,
    cachedInput: numberIn(entry, 'cachedInput'),
    usd: numberIn(entry, 'costUsd'),
    unpricedTokens: isPriced ? 0 : input + output,
  };
}

/** More than anybody can use up, and few enough to be summed up exactly. */
const most = 1e12;

/** An agent that says it has used less than nothing would give itself a budget. */
function numberIn(entry: Readonly<Record<string, unknown>>, field: string): number {
  const value = entry[field];
  return typeof value === 'number' && value > 0 ? Math.min(value, most) : 0;
}

export function addUsed(one: Used, other: Used): Used {
  return combine(one, other, 1);
}

function subtract(one: Used, other: Used): Used {
  return combine(one, other, -1);
}

/** Between two counts: what had no price before is not said to have one now. */
function difference(now: Used, before: Used): Used {
  const used = subtract(now, before);
  return { ...used, unpricedTokens: Math.max(used.unpricedTokens, 0) };
}

function combine(one: Used, other: Used, sign: 1 | -1): Used {
  return {
    input: one.input + sign * other.input,
    output: one.output + sign * other.output,
    cachedInput: one.cachedInput + sign * other.cachedInput,
    usd: one.usd + sign * other.usd,
    unpricedTokens: one.unpricedTokens + sign * other.unpricedTokens,
  };
}

export function tokensOf({ input, output }: Used): number {
  return input + output;
}
