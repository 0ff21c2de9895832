import { expect, test } from 'vitest';
import { UsageMeter } from '../../src/kernel/index.ts';

/** A count of everything since the beginning of the session. */
function count(input: number, output: number, costUsd?: number) {
  return { type: 'usage', input, output, isCumulative: true, ...(costUsd !== undefined && { costUsd }) };
}

test('of what is counted from the beginning of a session, only what is new is used', () => {
  const meter = new UsageMeter();
  expect(meter.read('s', [count(100, 10, 1)])).toMatchObject({ input: 100, output: 10, usd: 1 });
  expect(meter.read('s', [count(150, 30, 1.5)])).toMatchObject({ input: 50, output: 20, usd: 0.5 });
});

test('a count whose tokens go down has begun anew: all of it is new', () => {
  const meter = new UsageMeter();
  meter.read('s', [count(100, 10, 1)]);
  expect(meter.read('s', [count(40, 5, 2)])).toMatchObject({ input: 40, output: 5, usd: 2 });
});

test('a count whose dollars go down has begun anew too, though its tokens do not: nothing is paid back', () => {
  const meter = new UsageMeter();
  meter.read('s', [count(100, 10, 1)]);
  expect(meter.read('s', [count(200, 20, 0.4)])).toMatchObject({ input: 200, output: 20, usd: 0.4 });
});

test('a count that stays as it was adds nothing', () => {
  const meter = new UsageMeter();
  meter.read('s', [count(100, 10, 1)]);
  expect(meter.read('s', [count(100, 10, 1)])).toMatchObject({
    input: 0,
    output: 0,
    usd: 0,
    unpricedTokens: 0,
  });
});

test('sessions are counted apart; a copy goes on where its original was', () => {
  const meter = new UsageMeter();
  meter.read('s', [count(100, 10, 1)]);
  expect(meter.read('other', [count(30, 1)])).toMatchObject({ input: 30, unpricedTokens: 31 });
  meter.copy('s', 'copied');
  expect(meter.read('copied', [count(110, 10, 1.25)])).toMatchObject({ input: 10, output: 0, usd: 0.25 });
  meter.copy('s', 'other');
  expect(meter.read('other', [count(40, 1)]), 'what has a count of its own keeps it').toMatchObject({
    input: 10,
  });
  meter.copy(undefined, 'new');
  expect(meter.read('new', [count(5, 5)])).toMatchObject({ input: 5 });
});

test('what tells only what is new is added up as it is, and what is no usage is passed over', () => {
  const meter = new UsageMeter();
  const step = { type: 'usage', input: 3, output: 2, cachedInput: 1, costUsd: 0.5, isCumulative: false };
  expect(meter.read('s', [step, 'noise', null, { type: 'message', input: 9 }, step])).toEqual({
    input: 6,
    output: 4,
    cachedInput: 2,
    usd: 1,
    unpricedTokens: 0,
  });
  expect(meter.read('s', [{ type: 'message' }])).toBeUndefined();
});

test('a count without a session, or with what is no number, is taken as it is', () => {
  const meter = new UsageMeter();
  expect(meter.read(undefined, [count(7, 1), count(7, 1)])).toMatchObject({ input: 14 });
  const odd = { type: 'usage', input: 'many', output: 2, isCumulative: false };
  expect(meter.read('s', [odd])).toMatchObject({ input: 0, output: 2, unpricedTokens: 2 });
});
