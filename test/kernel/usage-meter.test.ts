import { expect, test } from 'vitest';
import type { Json } from '../../src/base/index.ts';
import { addUsed, nothingUsed, UsageMeter } from '../../src/kernel/index.ts';
import type { Used } from '../../src/model/index.ts';

/** A process in this session. */
function by(session: string | undefined, attempt = 'first') {
  return { session, attempt };
}

/** A count of everything since the beginning of the session. */
function count(input: number, output: number, costUsd?: number) {
  return { type: 'usage', input, output, isCumulative: true, ...(costUsd !== undefined && { costUsd }) };
}

test('of what is counted from the beginning of a session, only what is new is used', () => {
  const meter = new UsageMeter();
  expect(meter.read(by('s'), [count(100, 10, 1)])).toMatchObject({ input: 100, output: 10, usd: 1 });
  expect(meter.read(by('s'), [count(150, 30, 1.5)])).toMatchObject({ input: 50, output: 20, usd: 0.5 });
});

test('a count whose tokens go down has begun anew: all of it is new', () => {
  const meter = new UsageMeter();
  meter.read(by('s'), [count(100, 10, 1)]);
  expect(meter.read(by('s'), [count(40, 5, 2)])).toMatchObject({ input: 40, output: 5, usd: 2 });
});

test('a count whose dollars go down has begun anew too, though its tokens do not: nothing is paid back', () => {
  const meter = new UsageMeter();
  meter.read(by('s'), [count(100, 10, 1)]);
  expect(meter.read(by('s'), [count(200, 20, 0.4)])).toMatchObject({ input: 200, output: 20, usd: 0.4 });
});

test('a count that stays as it was adds nothing', () => {
  const meter = new UsageMeter();
  meter.read(by('s'), [count(100, 10, 1)]);
  expect(meter.read(by('s'), [count(100, 10, 1)])).toMatchObject({
    input: 0,
    output: 0,
    usd: 0,
    unpricedTokens: 0,
  });
});

test('sessions are counted apart; a copy goes on where its original was', () => {
  const meter = new UsageMeter();
  meter.read(by('s'), [count(100, 10, 1)]);
  expect(meter.read(by('other'), [count(30, 1)])).toMatchObject({ input: 30, unpricedTokens: 31 });
  meter.copy('s', 'copied');
  expect(meter.read(by('copied'), [count(110, 10, 1.25)])).toMatchObject({ input: 10, output: 0, usd: 0.25 });
  meter.copy('s', 'other');
  expect(meter.read(by('other'), [count(40, 1)]), 'what has a count of its own keeps it').toMatchObject({
    input: 10,
  });
  meter.copy(undefined, 'new');
  expect(meter.read(by('new'), [count(5, 5)])).toMatchObject({ input: 5 });
});

test('what tells only what is new is added up as it is, and what is no usage is passed over', () => {
  const meter = new UsageMeter();
  const step = { type: 'usage', input: 3, output: 2, cachedInput: 1, costUsd: 0.5, isCumulative: false };
  expect(meter.read(by('s'), [step, 'noise', null, { type: 'message', input: 9 }, step])).toEqual({
    input: 6,
    output: 4,
    cachedInput: 2,
    usd: 1,
    unpricedTokens: 0,
  });
  expect(meter.read(by('s'), [{ type: 'message' }])).toBeUndefined();
});

test('a count without a session, or with what is no number, is taken as it is', () => {
  const meter = new UsageMeter();
  expect(meter.read(by(undefined), [count(7, 1), count(7, 1)])).toMatchObject({ input: 14 });
  const odd = { type: 'usage', input: 'many', output: 2, isCumulative: false };
  expect(meter.read(by('s'), [odd])).toMatchObject({ input: 0, output: 2, unpricedTokens: 2 });
});

/** What a process has used since its last count, told on the way. */
function soFar(input: number, output: number) {
  return { type: 'usage', input, output, isCumulative: false, isSoFar: true };
}

/** What is new, with its price. */
function news(input: number, output: number, costUsd: number) {
  return { type: 'usage', input, output, costUsd, isCumulative: false };
}

/** All that was added, as `state.usage` and `piton usage` sum it up. */
function sumOf(meter: UsageMeter, told: readonly [ReturnType<typeof by>, object][]): Used {
  return told
    .map(([teller, entry]) => meter.read(teller, [entry as Json]) ?? nothingUsed)
    .reduce(addUsed, nothingUsed);
}

test('what is told on the way counts when it is told, each time only what is new', () => {
  const meter = new UsageMeter();
  expect(meter.read(by('s'), [soFar(100, 10)])).toMatchObject({
    input: 100,
    output: 10,
    unpricedTokens: 110,
  });
  expect(meter.read(by('s'), [soFar(300, 20)])).toMatchObject({
    input: 200,
    output: 10,
    unpricedTokens: 210,
  });
  expect(meter.read(by('s'), [soFar(300, 20)])).toMatchObject({ input: 0, output: 0, unpricedTokens: 0 });
});

test('of a process that was killed, what it told stays; the next one in the session is counted beside it', () => {
  const killed = by('s', 'killed');
  for (const last of [news(200, 20, 2), count(200, 20, 2)]) {
    const sum = sumOf(new UsageMeter(), [
      [killed, soFar(400, 40)],
      [by('s', 'next'), soFar(150, 10)],
      [by('s', 'next'), last],
    ]);
    expect(sum).toEqual({ input: 600, output: 60, cachedInput: 0, usd: 2, unpricedTokens: 440 });
  }
});

test('a count of the session that is large enough to have what a killed process told, has it: that was used once', () => {
  const sum = sumOf(new UsageMeter(), [
    [by('s', 'first'), count(100, 10, 1)],
    [by('s', 'killed'), soFar(400, 40)],
    [by('s', 'next'), soFar(150, 10)],
    [by('s', 'next'), count(700, 70, 7)],
    [by('s', 'last'), count(900, 90, 9)],
  ]);
  expect(sum).toEqual({ input: 900, output: 90, cachedInput: 0, usd: 9, unpricedTokens: 0 });
});

test('the count at the end replaces what was told on the way, and prices it', () => {
  for (const last of [news(500, 50, 3), count(500, 50, 3)]) {
    const sum = sumOf(new UsageMeter(), [
      [by('s'), soFar(400, 40)],
      [by('s'), last],
    ]);
    expect(sum).toEqual({ input: 500, output: 50, cachedInput: 0, usd: 3, unpricedTokens: 0 });
  }
});

test('a count that knows less than what was told takes nothing back', () => {
  const sum = sumOf(new UsageMeter(), [
    [by('s'), soFar(400, 40)],
    [by('s'), news(0, 0, 0)],
  ]);
  expect(sum).toEqual({ input: 400, output: 40, cachedInput: 0, usd: 0, unpricedTokens: 440 });
});

test('after a count, what is told on the way is counted from there', () => {
  const sum = sumOf(new UsageMeter(), [
    [by('s'), soFar(400, 40)],
    [by('s'), news(400, 40, 4)],
    [by('s'), soFar(50, 5)],
  ]);
  expect(sum).toMatchObject({ input: 450, output: 45, usd: 4, unpricedTokens: 55 });
});

test('a copy of a session does not count again what the other has told and counted', () => {
  const meter = new UsageMeter();
  const first = sumOf(meter, [
    [by('s', 'a'), soFar(100, 0)],
    [by('s', 'a'), count(120, 0, 1)],
  ]);
  meter.copy('s', 'copy');
  const second = sumOf(meter, [
    [by('copy', 'b'), soFar(30, 0)],
    [by('copy', 'b'), count(150, 0, 1.25)],
  ]);
  expect(addUsed(first, second)).toMatchObject({ input: 150, usd: 1.25, unpricedTokens: 0 });
});
