import { expect, test } from 'vitest';
import { explainCelError } from '../../src/definition/expressions/cel-errors.ts';
import { toCelSource } from '../../src/definition/expressions/cel-source.ts';

const source = toCelSource('a.b', new Set());
const celError = (given: object): Error =>
  Object.assign(new Error('as CEL says it'), { code: 'other', summary: 'it is odd', ...given });

test('what CEL did not throw itself is told as it is', () => {
  expect(explainCelError(new Error('out of paper'), source)).toStrictEqual({
    code: 'unknown',
    message: 'out of paper',
    offset: 0,
  });
  expect(explainCelError('out of paper', source)).toMatchObject({ message: 'out of paper' });
});

test('what has no words of ours is told in those of CEL, with types as users know them', () => {
  const error = celError({ summary: 'dyn<map<string, int>> is no bool', range: { start: 2 } });
  expect(explainCelError(error, source)).toStrictEqual({
    code: 'other',
    message: 'map<string, number> is no boolean.',
    offset: 2,
  });
  expect(explainCelError(Object.assign(celError({}), { name: 'ParseError' }), source).message).toBe(
    'It is not an expression: it is odd.',
  );
});

test('a field that is missing is told though nobody knows of what', () => {
  const error = celError({ code: 'no_such_key', summary: 'No such key: b', node: { op: 'call' } });
  expect(explainCelError(error, source)).toStrictEqual({
    code: 'no_such_key',
    message: 'There is no field `b`.',
    offset: 0,
    node: { op: 'call' },
  });
});
