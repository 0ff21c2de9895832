import { isPlainObject, type Json } from '../base/index.ts';
import type { Used } from '../model/index.ts';

export const nothingUsed: Used = { input: 0, output: 0, cachedInput: 0, usd: 0, unpricedTokens: 0 };

/** Counts what agents say they have used. Some count from the beginning of the session: of that, only what is new is used. */
export class UsageMeter {
  /** The last count of each session that counts from its beginning. */
  readonly #counted: Record<string, Used>;

  constructor(counted: Record<string, Used> = {}) {
    this.#counted = counted;
  }

  /** A copy of a session goes on counting where that was: what is in both was used once. */
  copy(from: string | undefined, session: string): void {
    const count = from === undefined ? undefined : this.#counted[from];
    if (count !== undefined) this.#counted[session] ??= count;
  }

  /** What these entries of a transcript add. */
  read(session: string | undefined, entries: readonly Json[]): Used | undefined {
    return entries
      .map((entry) => this.#readEntry(session, entry))
      .filter((used) => used !== undefined)
      .reduce<Used | undefined>((sum, used) => addUsed(sum ?? nothingUsed, used), undefined);
  }

  #readEntry(session: string | undefined, entry: Json): Used | undefined {
    if (!isPlainObject(entry) || entry['type'] !== 'usage') return undefined;
    const told = usedIn(entry);
    if (entry['isCumulative'] !== true || session === undefined) return told;
    const before = this.#counted[session] ?? nothingUsed;
    this.#counted[session] = told;
    return isAnew(told, before) ? told : combine(told, before, -1);
  }
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

function numberIn(entry: Readonly<Record<string, unknown>>, field: string): number {
  const value = entry[field];
  return typeof value === 'number' ? value : 0;
}

export function addUsed(one: Used, other: Used): Used {
  return combine(one, other, 1);
}

function combine(one: Used, other: Used, sign: 1 | -1): Used {
  return {
    input: one.input + sign * other.input,
    output: one.output + sign * other.output,
    cachedInput: one.cachedInput + sign * other.cachedInput,
    usd: one.usd + sign * other.usd,
    unpricedTokens: Math.max(one.unpricedTokens + sign * other.unpricedTokens, 0),
  };
}

export function tokensOf({ input, output }: Used): number {
  return input + output;
}
