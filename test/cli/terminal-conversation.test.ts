/** The conversation with an agent on a terminal, piece by piece, and how its pieces come about. */
import { expect, test } from 'vitest';
import { countText, moneyText } from '../../src/base/index.ts';
import type { Usage } from '../../src/views/index.ts';
import { UsageTally } from '../support/usage-tally.ts';
import {
  askedLines,
  Conversation,
  introduce,
  terminalForm,
  usageText,
  type AttemptStarted,
  type Block,
} from '../../src/interfaces/cli/conversation/index.ts';
import { clockText, type Style } from '../../src/interfaces/cli/output/index.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import type { Json } from '../../src/base/index.ts';
import { callText, lastWord } from '../../src/model/index.ts';

/** Colours that can be read. */
const named = Object.fromEntries(
  ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].map((colour) => [
    colour,
    (text: string) => `${colour}(${text})`,
  ]),
) as unknown as Style;

type Given = Partial<Block> & Pick<Block, 'kind'>;

function shown(block: Given, look: { isFull?: boolean; columns?: number } = {}): string[] {
  const form = terminalForm({ style: named, columns: 80, isFull: false, ...look });
  return form.block({ head: '', text: '', ...block });
}

test.each<[Given, string[]]>([
  [{ kind: 'session', head: 'session abc' }, ['dim(○ session abc)']],
  [{ kind: 'prompt', text: 'Mend it.\n\nNow.' }, ['', 'blue(> Mend it.)', 'blue(>)', 'blue(> Now.)']],
  [{ kind: 'message', text: 'one\ntwo' }, ['', 'one', 'two']],
  [{ kind: 'reasoning', text: 'Hm.\nSo.' }, ['', 'dim(Hm.)', 'dim(So.)']],
  [{ kind: 'call', head: 'Bash: ls', detail: 'a' }, ['cyan(▸ Bash: ls)']],
  [{ kind: 'question', head: 'may it?', detail: 'a' }, ['yellow(? may it?)']],
  [{ kind: 'answer', text: 'a\nb' }, ['dim(  │ a)', 'dim(  │ b)']],
  [{ kind: 'answer', text: 'a', head: 'ls' }, ['dim(◂ ls)', 'dim(  │ a)']],
  [{ kind: 'answer', text: 'a', isError: true }, ['red(  ✗ a)']],
  [{ kind: 'answer', text: 'a', isError: false }, ['dim(  │ a)']],
  [{ kind: 'result', head: 'result', text: 'a\nb' }, ['', 'green(✓ result)', 'a', 'b']],
  [{ kind: 'told', head: 'told', text: 'a\n\nb' }, ['', 'magenta(» told: a)', 'magenta(»)', 'magenta(» b)']],
  [{ kind: 'trouble', head: 'denied' }, ['red(✗ denied)']],
  [{ kind: 'notice', head: 'compacted' }, ['dim(· compacted)']],
])('on a terminal %j has its mark and its colour', (block, expected) => {
  expect(shown(block)).toEqual(expected);
});

test('no line of calls and answers is wider than the terminal, unless all is wanted', () => {
  const long = 'x'.repeat(30);
  expect(shown({ kind: 'call', head: long }, { columns: 10 })).toEqual(['cyan(▸ xxxxxxx…)']);
  expect(shown({ kind: 'answer', head: long, text: long }, { columns: 10 })).toEqual([
    'dim(◂ xxxxxxx…)',
    'dim(  │ xxxxx…)',
  ]);
  expect(shown({ kind: 'answer', text: long }, { columns: 3 })).toEqual(['dim(  │ …)']);
  const full = { columns: 10, isFull: true };
  expect(shown({ kind: 'call', head: long, detail: 'a\nb' }, full)).toEqual([
    `cyan(▸ ${long})`,
    'dim(  a)',
    'dim(  b)',
  ]);
  expect(shown({ kind: 'call', head: 'ls', detail: '' }, full)).toEqual(['cyan(▸ ls)']);
  expect(shown({ kind: 'call', head: 'ls' }, full)).toEqual(['cyan(▸ ls)']);
  expect(shown({ kind: 'answer', text: long }, full)).toEqual([`dim(  │ ${long})`]);
});

test('of a long answer five lines are shown, and the others are counted', () => {
  const answer = (count: number): string[] =>
    shown({ kind: 'answer', text: Array.from({ length: count }, (_, index) => `\t${index}`).join('\n') });
  expect(answer(5)).toEqual([0, 1, 2, 3, 4].map((index) => `dim(  │   ${index})`));
  expect(answer(6).slice(4)).toEqual(['dim(  │   4)', 'dim(  │ … 1 more line (--full shows all))']);
  expect(answer(7).at(-1)).toBe('dim(  │ … 2 more lines (--full shows all))');
});

function begun(data: object): AttemptStarted {
  return {
    type: 'attempt.started',
    task: 'fix',
    attempt: 'a',
    data,
    run: 'r',
    seq: 1,
    at: 0,
  } as AttemptStarted;
}

const claude = { name: 'claude', how: 'new' };

test.each([
  [{ number: 2 }, 'attempt 2'],
  [{ number: 2, kind: 'check' }, 'check, attempt 2'],
  [{ number: 2, kind: 'setup', agent: claude }, 'setup, attempt 2'],
  [{ number: 2, kind: 'verify' }, 'check together with the work of others, attempt 2'],
  [{ number: 1, agent: claude }, 'claude, attempt 1, in a new session'],
  [{ number: 2, agent: { ...claude, how: 'continue' } }, 'claude, attempt 2, goes on in its session'],
  [{ number: 2, agent: { ...claude, how: 'fork' } }, 'claude, attempt 2, in a copy of a session'],
  [{ number: 2, agent: { ...claude, rung: 'session' } }, 'claude, attempt 2, goes on in its session'],
  [
    { number: 2, agent: { ...claude, rung: 'transcript' } },
    'claude, attempt 2, in a new session, told what was done before',
  ],
  [{ number: 2, agent: { ...claude, rung: 'restart' } }, 'claude, attempt 2, started again'],
  [
    { number: 3, kind: 'revision', agent: { ...claude, how: 'continue' } },
    'claude, attempt 3 (a revision), goes on in its session',
  ],
])('who speaks in %j is told', (data, expected) => {
  expect(introduce(begun(data))).toBe(expected);
  expect(terminalForm({ style: named, columns: 80, isFull: false }).head(begun(data))).toEqual([
    `dim(── ${expected})`,
  ]);
});

test.each<[Json, Partial<Block> | undefined]>([
  [
    { type: 'session', id: 'abc', version: '2' },
    { kind: 'session', head: 'session abc · 2' },
  ],
  [
    { type: 'message', role: 'user', text: ' a ' },
    { kind: 'prompt', head: '', text: 'a' },
  ],
  [{ type: 'message', role: 'user', text: ' ' }, undefined],
  [
    { type: 'message', role: 'assistant', text: ' a ' },
    { kind: 'message', head: '', text: 'a' },
  ],
  [
    { type: 'reasoning', text: 'a\u0007' },
    { kind: 'reasoning', text: 'a' },
  ],
  [
    { type: 'tool-started', id: '1', name: 'Bash', input: 'ls\u0007' },
    { kind: 'call', head: String.raw`Bash: ls\u{7}`, detail: 'ls' },
  ],
  [
    { type: 'tool-started', id: '1', name: 'Bash' },
    { kind: 'call', head: 'Bash', detail: '' },
  ],
  [
    { type: 'tool-finished', id: '1', output: 'a \n', isError: true },
    { kind: 'answer', head: 'an earlier call', text: 'a', isError: true },
  ],
  [{ type: 'tool-finished', output: '', isError: true }, { text: '(failed without a word)' }],
  [
    { type: 'tool-finished', output: '', isError: 'yes' },
    { text: '(no output)', isError: false },
  ],
  [
    { type: 'asked', tool: 'Web', input: { url: 'u' }, reason: 'far' },
    { kind: 'question', head: 'asks whether it may use Web: u (far)', detail: '{\n  "url": "u"\n}' },
  ],
  [
    { type: 'asked', tool: 'Web' },
    { kind: 'question', head: 'asks whether it may use Web', detail: '' },
  ],
  [
    { type: 'denied', tool: 'Web', reason: 'far' },
    { kind: 'trouble', head: 'denied: Web: far' },
  ],
  [
    { type: 'limit', text: 'full' },
    { kind: 'trouble', head: 'usage limit: full' },
  ],
  [
    { type: 'result', text: ' a ' },
    { kind: 'result', head: 'result', text: 'a', isData: false },
  ],
  [
    { type: 'result', structured: { a: 1 } },
    { kind: 'result', text: '{\n  "a": 1\n}', isData: true },
  ],
  [{ type: 'result', text: ' ' }, undefined],
  [{ type: 'failure', kind: 'asked', message: 'm' }, undefined],
  [
    { type: 'failure', kind: 'crashed', message: 'm' },
    { kind: 'trouble', head: 'crashed: m' },
  ],
  [
    { type: 'notice', text: 'n' },
    { kind: 'notice', head: 'n' },
  ],
  [{ type: 'usage' }, undefined],
])('the entry %j of a transcript becomes what is shown of it', (entry, expected) => {
  const block = new Conversation().add(entry);
  expect([block]).toMatchObject([expected]);
});

test('the end of a usage limit is told with its day', () => {
  const until = new Date(2026, 0, 5, 7, 8, 9).getTime();
  expect(new Conversation().add({ type: 'limit', text: 'full', until })!.head).toBe(
    `usage limit: full (until Mon Jan 05 2026 ${clockText(until)})`,
  );
});

test('an answer names its call unless it stands right below it', () => {
  const conversation = new Conversation();
  const heads = (entries: readonly Json[]): (string | undefined)[] =>
    entries.map((entry) => conversation.add(entry)?.head);
  const started = (id: string): Json => ({ type: 'tool-started', id, name: 'Read', input: { path: id } });
  const finished = (id: string): Json => ({ type: 'tool-finished', id, output: 'x' });
  const words: Json = { type: 'message', role: 'assistant', text: 'Well.' };
  expect(heads([started('1'), finished('1')])).toEqual(['Read: 1', '']);
  expect(heads([finished('1')])).toEqual(['Read: 1']);
  expect(heads([started('2'), words, finished('2')])).toEqual(['Read: 2', '', 'Read: 2']);
  // What is not shown stands in between for nobody.
  expect(heads([started('3'), { type: 'usage' }, finished('3')])).toEqual(['Read: 3', undefined, '']);
});

test('a result that repeats the last message is not shown again', () => {
  const conversation = new Conversation();
  conversation.add({ type: 'message', role: 'assistant', text: ' Done. ' });
  conversation.add({ type: 'message', role: 'user', text: 'Thanks.' });
  expect(conversation.add({ type: 'result', text: 'Done.' })).toBeUndefined();
  expect(conversation.add({ type: 'result', text: 'Thanks.' })!.text).toBe('Thanks.');
});

test.each<[string, unknown, string]>([
  ['Bash', { command: 'ls', path: '.' }, 'Bash: ls'],
  ['shell', { command: ['ls', ['-l', null], { a: 1 }] }, 'shell: ls -l {"a":1}'],
  ['Read', { command: '', file_path: 'a.ts' }, 'Read: a.ts'],
  ['Tool', { other: 1 }, 'Tool: {"other":1}'],
  ['Tool', {}, 'Tool'],
  ['Tool', null, 'Tool'],
  ['Tool', undefined, 'Tool'],
  ['Tool', 'words', 'Tool: words'],
  ['Tool', 7, 'Tool: 7'],
  ['Tool', ['a', 'b'], 'Tool: a b'],
  ['', { command: 'ls' }, 'a tool: ls'],
])('a call of %j with %j is told in one line', (name, input, expected) => {
  expect(callText(name, input)).toBe(expected);
});

test.each<[Json[], string | undefined]>([
  [[], undefined],
  [[{ type: 'notice', text: 'n' }], undefined],
  [[{ type: 'message', role: 'user', text: 'Mend it.' }], undefined],
  [
    [
      { type: 'message', role: 'assistant', text: 'one' },
      { type: 'message', role: 'assistant', text: ' ' },
    ],
    'one',
  ],
  [
    [
      { type: 'message', role: 'assistant', text: 'one' },
      { type: 'message', role: 'user', text: 'two' },
    ],
    'one',
  ],
  [
    [
      { type: 'message', text: 'one' },
      { type: 'tool-started', name: 'Bash', input: 'ls' },
    ],
    '▸ Bash: ls',
  ],
  [
    [
      { type: 'tool-started', name: 'Bash', input: 'ls' },
      { type: 'message', text: 'a\nb' },
    ],
    'a b',
  ],
])('of %j the last word of the agent is told', (entries, expected) => {
  expect(lastWord(entries)).toBe(expected);
});

test('a call to decide about shows each field, and counts what does not fit', () => {
  const call = { tool: 'Bash', input: { command: 'a\nb', n: { m: 1 }, 'x\ny': '\tz' } };
  const all = ['tool: Bash', 'command:', '  a', '  b', 'n:', '  {', '    "m": 1', '  }', 'x y:   z'];
  expect(askedLines(call)).toEqual(all);
  expect(askedLines(call, { lines: 9, columns: 80 })).toEqual(all);
  expect(askedLines(call, { lines: 8, columns: 80 })).toEqual([...all.slice(0, 8), '… 1 more line']);
  expect(askedLines(call, { lines: 2, columns: 80 })).toEqual([...all.slice(0, 2), '… 7 more lines']);
  expect(askedLines({ tool: '', input: 'abcdefgh' }, { lines: 2, columns: 10 })).toEqual([
    'tool: unn… (4 more characters)',
    'input: ab… (6 more characters)',
  ]);
  expect(askedLines({ tool: 'Web', input: null })).toEqual(['tool: Web', 'input: null']);
  expect(askedLines({ tool: 'Web', input: ['a'] })).toEqual(['tool: Web', 'input:', '  [', '    "a"', '  ]']);
});

test.each<[Usage, string]>([
  [{ input: 1, output: 2, cachedInput: 0, unpricedTokens: 0 }, '1 tokens in, 2 out'],
  [{ input: 1, output: 2, cachedInput: 1, unpricedTokens: 3 }, '1 tokens in (1 cached), 2 out, unpriced'],
  [{ input: 1, output: 2, cachedInput: 0, unpricedTokens: 0, costUsd: 0 }, '1 tokens in, 2 out, $0.0000'],
  [
    { input: 1, output: 2, cachedInput: 0, unpricedTokens: 3, costUsd: 1 },
    '1 tokens in, 2 out, $1.00, 3 tokens unpriced',
  ],
])('what was used (%j) is told in one line', (usage, expected) => {
  expect(usageText(usage)).toBe(expected);
  expect(terminalForm({ style: named, columns: 80, isFull: false }).foot(usage)).toEqual([
    '',
    `dim(── ${expected})`,
  ]);
});

test('large numbers are rounded, small sums of money are not', () => {
  const counts = [999, 1_000, 1_049, 999_949, 999_950, 1_000_000, 2_500_000];
  expect(counts.map(countText)).toEqual(['999', '1k', '1k', '999.9k', '1M', '1M', '2.5M']);
  expect([0.00014, 0.99994, 1, 12.345].map(moneyText)).toEqual(['$0.0001', '$0.9999', '$1.00', '$12.35']);
});

function spent(...events: readonly object[]): UsageTally {
  const tally = new UsageTally();
  for (const event of events) tally.add({ task: 'fix', attempt: 'a', ...event } as unknown as RunEvent);
  return tally;
}

function uses(input: number, isCumulative: boolean, more: object = {}): object {
  const usage = { type: 'usage', input, output: 0, costUsd: input, isCumulative };
  return { type: 'transcript.added', data: { upTo: 1, entries: [usage] }, ...more };
}

test('what an attempt has used is known though its beginning was never told', () => {
  const tally = spent(uses(5, true), uses(7, true));
  expect(tally.ofAttempt('a')).toEqual({
    input: 7,
    output: 0,
    cachedInput: 0,
    costUsd: 7,
    unpricedTokens: 0,
  });
  expect([tally.ofTask('fix')?.input, tally.ofAttempt('b')]).toEqual([7, undefined]);
});

test('only a copy of a session begins with the count of what it is a copy of', () => {
  const starts = (agent: object): object => ({
    type: 'attempt.started',
    attempt: 'b',
    task: 'copy',
    data: { number: 1, agent: { name: 'claude', ...agent } },
  });
  const opens = { type: 'session.opened', attempt: 'b', task: 'copy', data: { session: 'new' } };
  const first = [{ type: 'session.opened', data: { session: 'old' } }, uses(10, true)];
  const copied = uses(12, true, { attempt: 'b', task: 'copy' });
  const input = (agent: object): number | undefined =>
    spent(...first, starts(agent), opens, copied).ofTask('copy')?.input;
  expect(input({ how: 'fork', of: 'old' })).toBe(2);
  expect(input({ how: 'fork' })).toBe(12);
  expect(input({ how: 'new', of: 'old' })).toBe(12);
  expect(input({ how: 'continue', session: 'old' })).toBe(12);
  expect(spent(...first, starts({ how: 'continue', session: 'old' }), copied).ofTask('copy')?.input).toBe(2);
});

test('what costs nothing, as far as was told, has no price unless nothing is unpriced', () => {
  const free = { type: 'usage', input: 1, output: 0, isCumulative: false };
  const usageOf = (entries: readonly object[]): Usage | undefined =>
    spent({ type: 'transcript.added', data: { upTo: 1, entries } }).total();
  expect(usageOf([free])).not.toHaveProperty('costUsd');
  expect(usageOf([{ ...free, costUsd: 0 }])).toHaveProperty('costUsd', 0);
  expect(usageOf([free, { ...free, costUsd: 2 }])).toMatchObject({ costUsd: 2, unpricedTokens: 1 });
  expect(usageOf([])).toBeUndefined();
});
