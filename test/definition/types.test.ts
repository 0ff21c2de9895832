import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/index.ts';
import { createTypes, elementOf, listOf } from '../../src/definition/expressions/types.ts';
import type { JsonSchema } from '../../src/model/index.ts';

describe('what expressions know of a value by its schema', () => {
  test.each<[JsonSchema, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'int'],
    [{ type: 'number' }, 'int'],
    [{ type: 'boolean' }, 'bool'],
    [{ type: 'null' }, 'dyn'],
    [{ type: ['string', 'null'] }, 'dyn'],
    [{}, 'dyn'],
    [{ type: 'array' }, 'list<dyn>'],
    [{ type: 'array', items: { type: 'string' } }, 'list<string>'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'list<list<int>>'],
    [{ type: 'object' }, 'map<string, dyn>'],
    [{ type: 'object', properties: { a: {} }, additionalProperties: true }, 'map<string, dyn>'],
    [{ type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } }, 'map<string, dyn>'],
  ])('%j', (schema, expected) => {
    expect(createTypes().ofSchema(schema)).toBe(expected);
  });

  test.each<[string, JsonSchema]>([
    ['says nothing of others', {}],
    ['forbids others', { additionalProperties: false }],
  ])('are the fields that it names, if it %s', (_case, others) => {
    const types = createTypes();
    const properties = { a: { type: 'string' }, b: { type: 'array', items: { type: 'boolean' } }, c: true };
    const record = types.ofSchema({ type: 'object', properties, ...others });
    expect(types.fieldsOf(record)).toEqual({ a: 'string', b: 'list<bool>', c: 'dyn' });
  });

  test('is the same wherever the schema is used', () => {
    const types = createTypes();
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(types.ofSchema(schema)).toBe(types.ofSchema(schema));
    expect(types.ofSchema(schema)).not.toBe(types.ofSchema({ ...schema }));
  });
});

describe('what expressions know of a literal', () => {
  test.each<[Json, string]>([
    ['a', 'string'],
    ['${{ a }}', 'dyn'],
    ['so: ${{ a }}', 'dyn'],
    [1, 'int'],
    [1.5, 'int'],
    [true, 'bool'],
    [null, 'dyn'],
    [[], 'list<dyn>'],
    [[1, 2], 'list<int>'],
    [[1, 'a'], 'list<dyn>'],
    [['a', '${{ b }}'], 'list<dyn>'],
    [[true, false], 'list<bool>'],
    [[[1], [2]], 'list<list<int>>'],
    [[1, { a: 1 }], 'list<dyn>'],
  ])('%j', (value, expected) => {
    expect(createTypes().ofValue(value)).toBe(expected);
  });

  test.each<[Json, Record<string, string>]>([
    [
      { a: 1, b: 'x', c: null },
      { a: 'int', b: 'string', c: 'dyn' },
    ],
    [[{ a: 1 }, { a: 2, b: true }], { a: 'int', b: 'bool' }],
    [[{ a: 1 }, { a: 'x' }], { a: 'dyn' }],
    [[{ a: null }, { b: [1] }], { a: 'dyn', b: 'list<int>' }],
  ])('of %j are the fields of all its records', (value, expected) => {
    const types = createTypes();
    const type = types.ofValue(value);
    expect(types.fieldsOf(elementOf(type) ?? type)).toEqual(expected);
  });

  test('are the fields of records in records too', () => {
    const types = createTypes();
    const outer = types.fieldsOf(types.ofValue([{ a: { b: 1 } }, { a: { c: 'x' } }]).slice(5, -1))!;
    expect(types.fieldsOf(outer['a']!)).toEqual({ b: 'int', c: 'string' });
  });
});

test('the elements of a list have its type, those of anything are anything', () => {
  expect(elementOf(listOf('string'))).toBe('string');
  expect(elementOf('list<list<int>>')).toBe('list<int>');
  expect(elementOf('list')).toBe('dyn');
  expect(elementOf('dyn')).toBe('dyn');
  for (const type of ['string', 'map<string, dyn>', 'object1', 'int'])
    expect(elementOf(type)).toBeUndefined();
});
