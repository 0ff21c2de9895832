import { expect, test } from 'vitest';
import type { Json } from '../../src/base/index.ts';
import type { RunEvent } from '../../src/model/index.ts';
import { RunSearch, searchPattern, type SearchHit } from '../../src/views/index.ts';
import { matchingLines } from '../../src/views/search-hit.ts';
import { undocumented } from '../support/documented.ts';

type Matching = ReturnType<typeof matchingLines>[number];

async function found(text: string, given: string, isRegex = false): Promise<Matching[]> {
  return matchingLines(text, await searchPattern(given, isRegex));
}

function marks({ line, places }: Matching): string[] {
  return places.map(({ start, end }) => line.slice(start, end));
}

test('a text is found as it is, in any case, line by line, with all its places', async () => {
  const hits = await found('One (a.b) two (A.B)\nnothing: axb\n  the (a.B)', '(a.b)');
  expect(hits.map(({ line }) => line)).toEqual(['One (a.b) two (A.B)', 'the (a.B)']);
  expect(hits.map(marks)).toEqual([['(a.b)', '(A.B)'], ['(a.B)']]);
  expect((await found('STRASSE ÄÖÜ İ', 'äöü')).map(marks)).toEqual([['ÄÖÜ']]);
});

test('an expression finds places by their offsets, also behind signs that take two, and does not look around', async () => {
  expect((await found('😀 Grün 😀 grün', 'gr.n', true)).map(marks)).toEqual([['Grün', 'grün']]);
  await expect(searchPattern('(?=a)b', true)).rejects.toMatchObject({ code: 'USAGE_INVALID' });
});

test('a regular expression is taken as one; one that matches nothing finds nothing; a wrong one is refused', async () => {
  expect((await found('error TS2304 and ts1', String.raw`ts\d{4}`, true)).map(marks)).toEqual([['TS2304']]);
  expect(await found('abc', 'x*', true)).toEqual([]);
  await expect(searchPattern('(', true)).rejects.toThrow(/missing closing/);
  await expect(searchPattern('', false)).rejects.toThrow(/empty/);
});

test('of a line as long as a file the part around the first place is shown, with the marks in their places', async () => {
  const [hit] = await found(`${'x'.repeat(50_000)} needle ${'y'.repeat(50_000)} needle`, 'needle');
  expect(hit!.line.length).toBeLessThan(500);
  expect(hit!.line).toMatch(/^…x+ needle y+…$/);
  expect(marks(hit!)).toEqual(['needle']);
});

const says = (attempt: string, entries: Json[], task = 'fix'): object => ({
  type: 'transcript.added',
  task,
  attempt,
  data: { upTo: 1, entries },
});
const starts = (attempt: string, number: number, task = 'fix'): object => ({
  type: 'attempt.started',
  task,
  attempt,
  data: { number, agent: { name: 'claude', how: 'new' } },
});

async function search(
  events: readonly object[],
  { text = 'road', task, limit = 50 }: { text?: string; task?: string; limit?: number } = {},
): Promise<SearchHit[]> {
  const pattern = await searchPattern(text, text !== 'road');
  const found = new RunSearch({ run: 'r', workflow: 'flow', pattern, task, limit });
  for (const [index, event] of events.entries())
    found.add({ ...event, run: 'r', seq: index + 1, at: index } as RunEvent);
  return found.hits;
}

test('everything that is said, thought, called, answered, told and reported is searched, the newest first and each once', async () => {
  const hits = await search([
    starts('a1', 1),
    says('a1', [
      { type: 'session', id: 'road' },
      { type: 'message', role: 'user', text: 'Mend the road.' },
      { type: 'reasoning', text: 'Which road?' },
      { type: 'tool-started', id: '1', name: 'Bash', input: { command: 'ls road', timeout: 1 } },
      { type: 'tool-finished', id: '1', isError: false, output: 'road.txt' },
      { type: 'tool-finished', id: '9', isError: false, output: 'road 9' },
      { type: 'asked', tool: 'Web', input: { url: 'http://road' }, reason: 'far' },
      { type: 'message', role: 'assistant', text: 'The road is mended.' },
      { type: 'result', text: 'The road is mended.' },
      { type: 'usage', input: 1, output: 1, isCumulative: false },
      { type: 'dream', of: 'roads' },
      null,
    ]),
    { type: 'attempt.ended', task: 'fix', attempt: 'a1', data: { outcome: 'succeeded' } },
    { type: 'check.failed', task: 'fix', data: { report: 'no road\nend', revision: 1 } },
    { type: 'message.added', task: 'fix', data: { text: 'the other road' } },
  ]);
  for (const hit of hits) expect(undocumented('SearchHit', hit)).toEqual([]);
  expect(hits.map(({ attempt, seq }) => [attempt, seq])).toEqual([
    [undefined, 5],
    [undefined, 4],
    ...Array.from({ length: 7 }, () => ['a1', 2]),
  ]);
  expect(hits.map(({ role, tool, number, agent, line }) => [role, tool, number, agent, line])).toEqual([
    ['told', undefined, undefined, undefined, 'the other road'],
    ['check', undefined, undefined, undefined, 'no road'],
    ['assistant', undefined, 1, 'claude', 'The road is mended.'],
    ['asked', 'Web', 1, 'claude', 'url: http://road'],
    ['answer', undefined, 1, 'claude', 'road 9'],
    ['answer', 'Bash', 1, 'claude', 'road.txt'],
    ['call', 'Bash', 1, 'claude', 'command: ls road'],
    ['reasoning', undefined, 1, 'claude', 'Which road?'],
    ['user', undefined, 1, 'claude', 'Mend the road.'],
  ]);
});

test('no more lines are kept than are asked for, the newest, and only of the task that is meant', async () => {
  const message = (text: string): Json => ({ type: 'message', role: 'assistant', text });
  const events = [
    starts('a1', 1),
    starts('b1', 1, 'fix[ui]'),
    starts('c1', 1, 'fixture'),
    says('a1', [message('road 1\nroad 2')]),
    says('b1', [message('road 3')], 'fix[ui]'),
    says('c1', [message('road 4')], 'fixture'),
  ];
  expect((await search(events, { limit: 2 })).map(({ line }) => line)).toEqual(['road 4', 'road 3']);
  expect((await search(events, { task: 'fix' })).map(({ line }) => line)).toEqual([
    'road 3',
    'road 2',
    'road 1',
  ]);
});

test('everything that is said is found by its words, with its speaker and the tool it is about', async () => {
  const entries = [
    { type: 'session', id: 's' },
    { type: 'message', role: 'user', text: 'Hi.\u0007' },
    { type: 'message', role: 'assistant', text: ' Yo. ' },
    { type: 'tool-started', id: '1', name: 'Bash', input: { command: 'ls\u001b[1m', in: 'a\nb' } },
    { type: 'tool-finished', id: '1', output: 'x' },
    { type: 'tool-finished', id: '1', output: 'y' },
    { type: 'result', text: 'Yo.' },
    { type: 'result', text: 'Hi.' },
    { type: 'result', text: 'Yo.', structured: { a: 1 } },
    { type: 'reasoning', text: 'r' },
    { type: 'asked', tool: 'Web' },
    { type: 'denied', tool: 'Web', reason: 'no' },
    { type: 'limit', text: 'l' },
    { type: 'failure', message: 'f' },
    { type: 'notice', text: 'n' },
    { type: 'toString' },
    { type: 'usage' },
  ];
  const hits = await search([starts('a1', 1), says('a1', entries)], { text: '.' });
  expect(hits.toReversed().map(({ role, tool = '', line }) => `${role} ${tool}: ${line}`)).toEqual([
    'user : Hi.',
    'assistant : Yo.',
    String.raw`call Bash: command: ls\u{1b}[1m`,
    'call Bash: in:',
    'call Bash: a',
    'call Bash: b',
    'answer Bash: x',
    'answer : y',
    'result : Hi.',
    'result : {"a":1}',
    'reasoning : r',
    'asked Web: input: null',
    'denied Web: no',
    'limit : l',
    'failure : f',
    'notice : n',
    'notice : toString',
  ]);
});

test('what an attempt says is found though its beginning was never told', async () => {
  const message = { type: 'message', role: 'assistant', text: 'road' };
  expect(await search([says('a1', [message])])).toEqual([
    expect.not.objectContaining({ number: expect.anything() }),
  ]);
});
