import { AssertionError } from 'node:assert';
import { isPlainObject } from '../base/index.ts';

/** What can be said of a value. Each throws an `AssertionError` that every framework knows how to show. */
export interface Expectation {
  toBe(expected: unknown): void;
  /** The same data; a property that is undefined is as one that is not there. */
  toEqual(expected: unknown): void;
  /** Has at least the properties of `expected`; lists are of the same length. */
  toMatchObject(expected: object): void;
  toBeUndefined(): void;
  toHaveLength(length: number): void;
  toBeGreaterThan(least: number): void;
}

interface Rejection {
  readonly rejects: { toMatchObject(expected: object): Promise<void> };
}

/** The few assertions that the suites need, so that they need no framework of their own. */
export function expect(actual: unknown): Expectation & Rejection {
  const check = (holds: boolean, expected: unknown): void => assertThat(holds, actual, expected);
  return {
    toBe: (expected) => check(Object.is(actual, expected), expected),
    toEqual: (expected) => check(isEqual(actual, expected), expected),
    toMatchObject: (expected) => check(isMatch(actual, expected), expected),
    toBeUndefined: () => check(actual === undefined, undefined),
    toHaveLength: (length) => check((actual as ArrayLike<unknown>).length === length, { length }),
    toBeGreaterThan: (least) => check((actual as number) > least, `more than ${least}`),
    rejects: { toMatchObject: (expected) => assertRejects(actual as Promise<unknown>, expected) },
  };
}

function assertThat(holds: boolean, actual: unknown, expected: unknown): void {
  if (holds) return;
  throw new AssertionError({ actual, expected, operator: 'deepStrictEqual', stackStartFn: assertThat });
}

async function assertRejects(promise: Promise<unknown>, expected: object): Promise<void> {
  const ended = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in ended) assertThat(false, { resolved: ended.value }, { rejected: expected });
  else expect(ended.error).toMatchObject(expected);
}

function isEqual(actual: unknown, expected: unknown): boolean {
  if (Object.is(actual, expected)) return true;
  if (actual instanceof Map && expected instanceof Map) return isEqual([...actual], [...expected]);
  if (Array.isArray(actual) && Array.isArray(expected)) return haveSameItems(actual, expected, isEqual);
  if (!isPlainObject(actual) || !isPlainObject(expected)) return false;
  return haveSameKeys({ ...expected, ...actual }, (key) => isEqual(actual[key], expected[key]));
}

function isMatch(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(actual) && Array.isArray(expected)) return haveSameItems(actual, expected, isMatch);
  if (!isPlainObject(expected)) return isEqual(actual, expected);
  if (typeof actual !== 'object' || actual === null) return false;
  return haveSameKeys(expected, (key) => isMatch((actual as Record<string, unknown>)[key], expected[key]));
}

function haveSameKeys(keys: object, isSame: (key: string) => boolean): boolean {
  return Object.keys(keys).every(isSame);
}

function haveSameItems(
  actual: readonly unknown[],
  expected: readonly unknown[],
  isSame: (actual: unknown, expected: unknown) => boolean,
): boolean {
  return actual.length === expected.length && actual.every((item, index) => isSame(item, expected[index]));
}
