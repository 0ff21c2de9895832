/** The limits of a run as a whole that an operator may change while it goes on. */
export const limitNames = ['max-parallel', 'max-steps', 'budget.usd', 'budget.tokens'] as const;

/** As they are written in `piton set`; in a workflow file they are keys with the same names. */
export type LimitName = (typeof limitNames)[number];

/** What a limit is set to. `none`: there is none. Absent: the one in the workflow is in force again. */
export interface LimitChange {
  readonly limit: LimitName;
  readonly to?: number | 'none';
}

interface Values {
  /** For people: what it must be. */
  readonly wanted: string;
  holds(value: unknown): boolean;
}

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isWhole = (value: unknown): boolean => isAmount(value) && Number.isSafeInteger(value);

const values: Readonly<Record<LimitName, Values>> = {
  'max-parallel': {
    wanted: 'a whole number above zero, or none',
    holds: (value) => value === 'none' || (isWhole(value) && value !== 0),
  },
  // Without it a graph could go round for ever.
  'max-steps': { wanted: 'a whole number above zero', holds: (value) => isWhole(value) && value !== 0 },
  'budget.usd': {
    wanted: 'an amount of dollars, or none',
    holds: (value) => value === 'none' || isAmount(value),
  },
  'budget.tokens': {
    wanted: 'a whole number, or none',
    holds: (value) => value === 'none' || isWhole(value),
  },
};

/** Why that is no value of such a limit, as a part of a sentence; undefined if it is one. It may come from anybody. */
export function whyNotLimit(change: { readonly limit: string; readonly to?: unknown }): string | undefined {
  const { limit, to } = change;
  if (!Object.hasOwn(values, limit)) return `there is no limit ${limit}`;
  const { holds, wanted } = values[limit as LimitName];
  return to === undefined || holds(to) ? undefined : `${limit} must be ${wanted}`;
}
