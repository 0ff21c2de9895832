import { describe, expect, test } from 'vitest';
import {
  calledFunctions,
  splitCondition,
  statusCalls,
  withDefaultStatus,
} from '../../src/definition/expressions/conditions.ts';

describe('a condition is one expression, with `${{ }}` around it or without', () => {
  test.each([
    ['a > 1', 'a > 1', 0],
    ['  a > 1 ', 'a > 1', 2],
    ['${{ a > 1 }}', 'a > 1', 4],
    ['  ${{a > 1}}   ', 'a > 1', 5],
    ['\n${{\n  a > 1 }}\n', 'a > 1', 7],
    ['${{ {"a": 1}.a == 1 }}', '{"a": 1}.a == 1', 4],
  ])('%j', (text, expression, start) => {
    expect(splitCondition(text)).toStrictEqual({ parts: [{ expression, start }] });
    expect(text.slice(start)).toMatch(expression);
  });

  test.each([
    ['', 'empty', 0],
    ['   ', 'empty', 0],
    ['${{ }}', 'empty', 0],
    ['  ${{ }}', 'empty', 2],
    ['  ${{ a', 'unclosed', 2],
    ['${{ a }} ${{ b', 'unclosed', 9],
    ['${{ a }} || b', 'partial', 0],
    ['  x ${{ a }}', 'partial', 2],
    ['${{ a }}${{ b }}', 'partial', 0],
    ['${{ a }} ${{ b }}', 'partial', 0],
  ])('%j is none', (text, type, offset) => {
    expect(splitCondition(text)).toStrictEqual({ parts: [], fault: { type, offset } });
  });
});

describe('the functions that an expression calls', () => {
  test('are names before a parenthesis, each with its place', () => {
    expect(calledFunctions('size(a) > 1 && always()')).toStrictEqual([
      { name: 'size', start: 0 },
      { name: 'always', start: 15 },
    ]);
  });

  test.each([
    'a',
    'size',
    'a.size()',
    '(a)',
    '"size(" + a',
    'a.b.failure ()',
    '// size()',
    'a.size(b.c)',
    '(1)',
    '3 (a)',
  ])('are none in %j', (expression) => {
    expect(calledFunctions(expression)).toEqual([]);
  });

  test('are also found behind a point that is no access', () => {
    expect(calledFunctions('failure().a')).toEqual([{ name: 'failure', start: 0 }]);
  });

  test('that ask for the status are told from others', () => {
    const all = 'success() || failure() || always() || cancelled() || size(successes) > 1';
    expect(statusCalls(all).map(({ name }) => name)).toEqual(['success', 'failure', 'always', 'cancelled']);
    expect(statusCalls('size(a) > 1')).toEqual([]);
    expect(statusCalls('size(success) > 1')).toEqual([]);
  });
});

test('a condition without a status function holds only after success', () => {
  expect(withDefaultStatus('a')).toBe('success() && (a)');
  expect(withDefaultStatus('a // b')).toBe('success() && (a // b\n)');
  expect(withDefaultStatus('size(a) > 1')).toBe('success() && (size(a) > 1)');
  expect(withDefaultStatus('a.failure()')).toBe('success() && (a.failure())');
  for (const name of ['success', 'failure', 'always'])
    expect(withDefaultStatus(`a || ${name}()`)).toBe(`a || ${name}()`);
});
