import { expect, test } from 'vitest';
import { checkInputs, compileSchema } from '../../src/definition/index.ts';
import { parsed } from './support.ts';

const text = `
name: x
inputs:
  feature: { type: string, description: What to build. }
  count: { type: integer, default: 3 }
  tags: { type: [string], required: false }
tasks: { a: { function: f } }
`;
const check = async (given: Parameters<typeof checkInputs>[1]) => checkInputs(await parsed(text), given);

test('what is not given gets its default, and what has none and is not required stays away', async () => {
  await expect(check({ feature: 'login' })).resolves.toEqual({ feature: 'login', count: 3 });
  await expect(check({ feature: 'login', count: 5, tags: ['a'] })).resolves.toEqual({
    feature: 'login',
    count: 5,
    tags: ['a'],
  });
});

test('everything that is wrong with inputs is told at once', async () => {
  const act = check({ count: 1.5, tags: ['a', 2], featur: 'login' });
  await expect(act).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    details: {
      problems: [
        'There is no input `featur`. Did you mean `feature`?',
        '`feature` is missing (What to build.).',
        '`count`: expected a whole number, found 1.5.',
        '`tags`: [1]: expected text, found 2.',
      ],
    },
  });
});

test('of an input that nobody knows it is told which there are, and why one is missing only if that is said', async () => {
  const workflow = await parsed(
    'name: x\ninputs: { color: string, size: string }\ntasks: { a: { function: f } }',
  );
  await expect(checkInputs(workflow, { other: 1 })).rejects.toMatchObject({
    details: {
      problems: [
        'There is no input `other`. It takes: color, size.',
        '`color` is missing.',
        '`size` is missing.',
      ],
    },
  });
});

test('a workflow without inputs takes none', async () => {
  const workflow = await parsed('name: x\ntasks: { a: { function: f } }');
  await expect(checkInputs(workflow, {})).resolves.toEqual({});
  await expect(checkInputs(workflow, { a: 1 })).rejects.toThrow('There is no input `a`. It takes none.');
});

test('a schema lists what is wrong with a value, each with its place', async () => {
  const fits = await compileSchema({
    type: 'object',
    properties: {
      parts: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      level: { enum: ['low', 'high'] },
      note: { type: ['string', 'null'] },
    },
    required: ['parts'],
    additionalProperties: false,
  });
  expect(fits({ parts: [{ name: 'ui' }], note: null })).toEqual([]);
  expect(fits({ parts: [{ name: 'ui' }, {}, { name: 3 }], level: 'hgh', note: 1, more: true })).toEqual([
    'parts[1].name: `name` is missing',
    'parts[2].name: expected text, found 3',
    'level: expected "low" or "high", found "hgh"',
    'note: expected text or nothing, found 1',
    'unknown: `more`',
  ]);
  expect(fits(null)).toEqual(['expected a mapping, found nothing']);
});

test('a schema is compiled once', async () => {
  const schema = { type: 'string' };
  expect(await compileSchema(schema)).toBe(await compileSchema(schema));
});

test('a schema that cannot be used is refused with the reason', async () => {
  await expect(compileSchema({ $ref: 'http://elsewhere' })).rejects.toMatchObject({
    code: 'SCHEMA_UNSUPPORTED',
    message: expect.stringContaining('External $ref is not supported'),
  });
});
