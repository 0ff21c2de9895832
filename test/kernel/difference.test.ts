import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson, type Json } from '../../src/base/index.ts';
import { applyPatch, difference } from '../../src/kernel/index.ts';
import type { Patch } from '../../src/model/index.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** Few keys and few values, so that two random values have much in common; `__proto__` is a key like any other. */
const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json[]>(null, true, false, 0, 1, 1.5, '', 'a', 'b'),
    fc.array(tie('value'), { maxLength: 6 }),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '0', '10'), tie('value'), {
        maxKeys: 5,
        noNullPrototype: true,
      })
      .map((record) => JSON.parse(JSON.stringify(record)) as Json),
  ),
}));

/** As it comes back from the journal: the same text, other objects. */
function reread<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const settings = { numRuns: propertyRuns * 5 };

describe('a difference', () => {
  test('leads from the one value to the other, also after it went through the journal', () => {
    fc.assert(
      fc.property(json, json, (given, after) => {
        const before = toJson(given);
        const { value, patch } = difference(before, after);
        expect(value).toEqual(after);
        expect(applyPatch(before, reread(patch))).toEqual(after);
      }),
      settings,
    );
  });

  test('gives exactly what folding it anew gives, down to the order of keys', () => {
    fc.assert(
      fc.property(json, json, (given, after) => {
        const before = toJson(given);
        const { value, patch } = difference(before, after);
        expect(JSON.stringify(applyPatch(before, reread(patch)))).toBe(JSON.stringify(value));
      }),
      settings,
    );
  });

  test('of equal values is nothing, and the old value is kept as it is', () => {
    fc.assert(
      fc.property(json, (given) => {
        const before = toJson(given);
        const { value, patch } = difference(before, reread(before));
        expect(patch).toEqual([]);
        expect(Object.is(value, before)).toBe(true);
      }),
      settings,
    );
  });

  test('is frozen and shares every part that has not changed', () => {
    const before = toJson({ same: { deep: [1, 2] }, list: [{ id: 1 }, { id: 2 }], other: 0 });
    const { value } = difference(before, { same: { deep: [1, 2] }, list: [{ id: 1 }, { id: 3 }], other: 0 });
    const parts = value as unknown as { same: object; list: object[] };
    expect(parts.same).toBe((before as unknown as typeof parts).same);
    expect(parts.list[0]).toBe((before as unknown as typeof parts).list[0]);
    expect(Object.isFrozen(parts.list)).toBe(true);
  });

  test.for<[string, Json, unknown, Patch]>([
    ['a changed field', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ op: 'set', path: ['b'], value: 3 }]],
    ['a new field', { a: 1 }, { a: 1, b: [] }, [{ op: 'set', path: ['b'], value: [] }]],
    ['a removed field', { a: 1, b: 2 }, { a: 1 }, [{ op: 'delete', path: ['b'] }]],
    [
      'a field that is undefined now',
      { a: 1, b: 2 },
      { a: 1, b: undefined },
      [{ op: 'delete', path: ['b'] }],
    ],
    [
      'something deep',
      { a: { b: [0, { c: 1 }] } },
      { a: { b: [0, { c: 2 }] } },
      [{ op: 'set', path: ['a', 'b', 1, 'c'], value: 2 }],
    ],
    ['an added item', [1, 2], [1, 2, 3], [{ op: 'splice', path: [], at: 2, remove: 0, items: [3] }]],
    ['an item put first', [1, 2], [0, 1, 2], [{ op: 'splice', path: [], at: 0, remove: 0, items: [0] }]],
    ['a removed item', [1, 2, 3], [1, 3], [{ op: 'splice', path: [], at: 1, remove: 1, items: [] }]],
    [
      'an item replaced by two',
      [1, 2, 3],
      [1, 8, 9, 3],
      [{ op: 'splice', path: [], at: 1, remove: 1, items: [8, 9] }],
    ],
    ['an item changed in its place', [1, 2, 3], [1, 8, 3], [{ op: 'set', path: [1], value: 8 }]],
    [
      'an item of a list in a list',
      [[1], 2],
      [[1, 2], 2],
      [{ op: 'splice', path: [0], at: 1, remove: 0, items: [2] }],
    ],
    [
      'a list in a list that got shorter, beside one that is new',
      [[1, 2], [3]],
      [[1], [3], 4],
      [{ op: 'splice', path: [], at: 0, remove: 2, items: [[1], [3], 4] }],
    ],
    [
      'a field of an item that has one more, beside an item that is new',
      [{ a: 1 }],
      [{ a: 1, b: 2 }, 5],
      [{ op: 'splice', path: [], at: 0, remove: 1, items: [{ a: 1, b: 2 }, 5] }],
    ],
    ['one of equal items', [1, 1, 1], [1, 1], [{ op: 'splice', path: [], at: 2, remove: 1, items: [] }]],
    ['what a value became', 1, [1], [{ op: 'set', path: [], value: [1] }]],
    [
      'a list that became a record',
      { a: [1] },
      { a: { 0: 1 } },
      [{ op: 'set', path: ['a'], value: { 0: 1 } }],
    ],
  ])('says no more than %s', ([, before, after, patch]) => {
    expect(difference(toJson(before), after).patch).toEqual(patch);
  });

  test('treats __proto__ as a key: it is kept, changed and removed, and no prototype changes', () => {
    const before = toJson(JSON.parse('{ "__proto__": { "admin": false } }'));
    const after = JSON.parse('{ "__proto__": { "admin": true }, "b": 1 }') as Json;
    const { patch } = difference(before, after);
    const applied = applyPatch(before, reread(patch));
    expect(JSON.stringify(applied)).toBe('{"__proto__":{"admin":true},"b":1}');
    expect(Object.getPrototypeOf(applied)).toBe(Object.prototype);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(difference(applied, { b: 1 }).patch).toEqual([{ op: 'delete', path: ['__proto__'] }]);
  });

  test('of lists with 200,000 items is found and applied without running out of stack', () => {
    const list = Array.from({ length: 200_000 }, (_, index) => index);
    const before = toJson(list);
    const grown = [...list, ...list];
    const { patch } = difference(before, grown);
    expect(patch).toHaveLength(1);
    expect(applyPatch(before, reread(patch))).toEqual(grown);
    expect(applyPatch(toJson([]), difference(toJson([]), list).patch)).toHaveLength(200_000);
  });

  test('with something that JSON cannot keep is refused, naming the place', () => {
    const before = toJson({ list: [{ at: 1 }] });
    expect(() => difference(before, { list: [{ at: () => 1 }] })).toThrow('state.list[0].at');
    expect(() => difference(before, { list: [{ at: 1n }] })).toThrow('state.list[0].at');
    expect(() => difference(before, { list: [{ at: Number.NaN }] })).toThrow('state.list[0].at');
    expect(() => difference(before, { list: [{ at: 1 }, { at: 2 }, () => 1] })).toThrow('state.list[2]');
    expect(() => difference(before, { list: [], other: { at: 1n } })).toThrow('state.other.at');
    const sparse = [1, 2, 3];
    delete sparse[1];
    expect(() => difference(before, { list: sparse })).toThrow('state.list[1] is undefined');
    expect(() => difference(toJson([1, 2, 3]), sparse)).toThrow('state[1] is undefined');
  });

  test('is applied to the value that it was found for, and to another one as what it says', () => {
    const before = toJson({ a: 1 });
    const { patch } = difference(before, { a: 2 });
    expect(applyPatch(toJson({ a: 1, b: 1 }), patch)).toEqual({ a: 2, b: 1 });
    const again = difference(before, { a: 3 });
    expect(applyPatch(before, [{ op: 'set', path: ['a'], value: 4 }])).toEqual({ a: 4 });
    expect(applyPatch(before, again.patch)).toEqual({ a: 3 });
  });
});
