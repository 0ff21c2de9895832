import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { openStore, type Store } from '../src/index.ts';
import { expect as expectHere } from '../src/testing/expect.ts';
import { testStore, type TestFramework } from '../src/testing/index.ts';

/** Runs a suite by itself, and gives the names of the tests that failed. */
async function failuresOf(wrap: (store: Store) => Store): Promise<{ failed: string[]; ran: number }> {
  const tests: { readonly name: string; readonly body: () => unknown }[] = [];
  const hooks: { before: (() => unknown)[]; after: (() => unknown)[] } = { before: [], after: [] };
  const framework: TestFramework = {
    describe: (_, body) => {
      const outer = { before: [...hooks.before], after: [...hooks.after] };
      body();
      Object.assign(hooks, outer);
    },
    test: (name, body) => {
      const { before, after } = { before: [...hooks.before], after: [...hooks.after] };
      const whole = async (): Promise<void> => {
        for (const hook of before) await hook();
        try {
          await body();
        } finally {
          for (const hook of after) await hook();
        }
      };
      tests.push({ name, body: whole });
    },
    beforeEach: (body) => hooks.before.push(body),
    afterEach: (body) => hooks.after.push(body),
  };
  let places = 0;
  testStore(framework, {
    name: 'a store',
    prepare({ clock }) {
      const url = `memory:testing-${++places}`;
      const openAt = async (given: string): Promise<Store> =>
        wrap(await openStore(given, { durability: 'full', clock }));
      return { open: () => openAt(url), openSilent: () => openAt(`${url}?heartbeat=off`) };
    },
    cannot: { backup: 'it is in memory', damage: 'it is in memory' },
  });
  const failed: string[] = [];
  for (const { name, body } of tests) {
    try {
      await body();
    } catch {
      failed.push(name);
    }
  }
  return { failed, ran: tests.length };
}

function changed(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const member = own[name] ?? target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('the conformance suite of stores', () => {
  test('passes on a store that keeps all promises, in any framework', async () => {
    const { failed, ran } = await failuresOf((store) => store);
    expect(failed).toEqual([]);
    expect(ran).toBeGreaterThan(60);
  });

  test.each<[string, (store: Store) => Store]>([
    ['loses a commit', (store) => changed(store, { append: async () => {} })],
    [
      'hides a refusal',
      (store) => changed(store, { append: (request) => store.append(request).catch(() => {}) }),
    ],
    [
      'reads backwards',
      (store) =>
        changed(store, { readCommits: async (...given) => (await store.readCommits(...given)).toReversed() }),
    ],
    [
      'gives every lease to everyone',
      (store) =>
        changed(store, {
          takeLease: async (request) => ({ ...(await store.takeLease(request)), taken: true }),
        }),
    ],
    ['forgets commands', (store) => changed(store, { pendingCommands: async () => [] })],
    ['tells nobody of changes', (store) => changed(store, { readChanges: async () => [] })],
  ])('fails on one that %s', async (_, wrap) => {
    expect((await failuresOf(wrap)).failed).not.toEqual([]);
  });
});

describe('the assertions of the suites', () => {
  test.each<[string, () => void]>([
    ['another value', () => expectHere(1).toBe(2)],
    ['another property', () => expectHere({ a: 1 }).toEqual({ a: 2 })],
    ['a property too many', () => expectHere({ a: 1, b: 2 }).toEqual({ a: 1 })],
    ['a property too few', () => expectHere({ a: 1 }).toEqual({ a: 1, b: 2 })],
    ['an item too many', () => expectHere([1, 2]).toEqual([1])],
    ['an item too many, of a part', () => expectHere({ list: [1, 2] }).toMatchObject({ list: [1] })],
    ['another order', () => expectHere([1, 2]).toEqual([2, 1])],
    ['a part that differs', () => expectHere({ a: { b: 1 }, c: 1 }).toMatchObject({ a: { b: 2 } })],
    ['nothing where a part is expected', () => expectHere(undefined).toMatchObject({ a: 1 })],
    ['another entry of a map', () => expectHere(new Map([['a', 1]])).toEqual(new Map([['a', 2]]))],
    ['a value', () => expectHere(null).toBeUndefined()],
    ['another length', () => expectHere([1]).toHaveLength(2)],
    ['as much', () => expectHere(1).toBeGreaterThan(1)],
  ])('refuse %s', (_, check) => {
    expect(check).toThrow(AssertionError);
  });

  test.each<[string, () => unknown]>([
    ['a property that is undefined', () => expectHere({ a: 1, b: undefined }).toEqual({ a: 1 })],
    [
      'an object without prototype',
      () => expectHere(Object.assign(Object.create(null) as object, { a: [1] })).toEqual({ a: [1] }),
    ],
    ['a map', () => expectHere(new Map([['a', { b: 1 }]])).toEqual(new Map([['a', { b: 1 }]]))],
    [
      'an error',
      () =>
        expectHere(Object.assign(new Error('x'), { code: 'X' })).toMatchObject({ code: 'X', message: 'x' }),
    ],
    [
      'a rejection',
      () =>
        expectHere(Promise.reject(Object.assign(new Error('x'), { code: 'X' }))).rejects.toMatchObject({
          code: 'X',
        }),
    ],
  ])('accept %s', async (_, check) => {
    await expect(Promise.resolve(check())).resolves.toBeUndefined();
  });

  test('refuse a promise that does not reject, or otherwise than expected', async () => {
    await expect(expectHere(Promise.resolve(1)).rejects.toMatchObject({ code: 'X' })).rejects.toThrow(
      AssertionError,
    );
    const other = Promise.reject(Object.assign(new Error('y'), { code: 'Y' }));
    await expect(expectHere(other).rejects.toMatchObject({ code: 'X' })).rejects.toThrow(AssertionError);
  });
});
