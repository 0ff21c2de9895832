import type { Budget } from '../model/index.ts';
import { entriesOf, invalid, readEach, unknownKey, type Setting } from './config-source.ts';

/** `budget`: what all runs together may use up on one day. */
export function readBudget(setting: Setting): { readonly budgetPerDay?: Budget } {
  const read = readEach(entriesOf(setting), ([key, entry]) => {
    if (key === 'per-day') return { budgetPerDay: readAmounts(entry) };
    const remedy = 'What one run may use up stands in its workflow; here stands only `per-day`.';
    throw invalid(entry, 'is no setting', remedy);
  });
  return read[0] ?? {};
}

const amounts: Readonly<Record<string, (value: number) => boolean>> = {
  usd: Number.isFinite,
  tokens: Number.isSafeInteger,
};

function readAmounts(setting: Setting): Budget {
  const entries = entriesOf(setting);
  if (entries.length === 0) throw invalid(setting, 'limits nothing', 'Give it `usd`, or `tokens`.');
  return Object.fromEntries(readEach(entries, ([key, entry]) => [key, amountIn(key, entry)] as const));
}

function amountIn(key: string, entry: Setting): number {
  const fits = Object.hasOwn(amounts, key) ? amounts[key] : undefined;
  if (fits === undefined) throw unknownKey(entry, 'amount', Object.keys(amounts));
  const { value } = entry;
  if (typeof value === 'number' && value >= 0 && fits(value)) return value;
  throw invalid(entry, `must be a ${key === 'tokens' ? 'whole ' : ''}number of at least 0`);
}
