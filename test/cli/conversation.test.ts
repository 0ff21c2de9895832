import { WatchedRun } from '../../src/views/index.ts';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { UsageTally } from '../support/usage-tally.ts';
import type { AgentEvent } from '../../src/agents/index.ts';
import type { Json } from '../../src/base/index.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import { usageText } from '../../src/interfaces/cli/conversation/index.ts';
import { planRun } from '../../src/project/plan/plan.ts';
import { agentLines } from '../../src/interfaces/cli/drive/agent-lines.ts';
import { Conversations } from '../../src/interfaces/cli/logs/conversations.ts';
import type { Reading } from '../../src/interfaces/cli/logs/reading.ts';
import { createOutput } from '../../src/interfaces/cli/output/index.ts';
import { drawFrame } from '../../src/interfaces/cli/progress/frame.ts';
import { describeEvent } from '../../src/interfaces/cli/progress/index.ts';
import type { AgentWork, Event } from '../../src/model/index.ts';
import { task, workflow } from '../support/workflows.ts';

const work: AgentWork = {
  type: 'agent',
  agents: ['claude', 'codex'],
  prompt: 'Mend ${{ inputs.part }}.',
  permissions: 'edit',
  session: { fork: 'look' },
  model: 'big',
  args: [],
  env: {},
  secrets: [],
};

let seq = 0;

function happening(event: Event): RunEvent {
  return { ...event, run: 'r1', seq: ++seq, at: 1_800_000_000_000 } as RunEvent;
}

function starts(name: string, number = 1, session = `${name}-session`): RunEvent {
  const agent = { name: 'claude', session, how: number === 1 ? 'new' : 'continue' } as const;
  return happening({
    type: 'attempt.started',
    task: name,
    attempt: `${name}-${number}`,
    data: { number, agent },
  });
}

function says(name: string, entries: readonly (AgentEvent | Json)[], number = 1): RunEvent {
  const data = { upTo: 1, entries: entries as readonly Json[] };
  return happening({ type: 'transcript.added', task: name, attempt: `${name}-${number}`, data });
}

function ends(name: string, number = 1): RunEvent {
  const data = { outcome: 'succeeded' } as const;
  return happening({ type: 'attempt.ended', task: name, attempt: `${name}-${number}`, data });
}

/** What `logs` prints of these events. */
async function shown(events: readonly RunEvent[], form: Partial<Reading> = {}): Promise<string> {
  const stdout = new PassThrough();
  const stream = stdout as unknown as NodeJS.WriteStream;
  const output = createOutput({ stdout: stream, stderr: stream, env: {} }, false);
  const conversations = new Conversations({
    // Conversations are read from the events alone.
    piton: undefined as never,
    output,
    choice: { task: 'fix' },
    known: ['fix'],
    head: seq,
    follow: false,
    isRaw: false,
    isMarkdown: false,
    isFull: false,
    tail: undefined,
    signal: new AbortController().signal,
    ...form,
  });
  for (const event of events) expect(await conversations.tell(event)).toBe(true);
  conversations.end();
  await output.flush();
  return String(stdout.read() ?? '');
}

const talk: readonly AgentEvent[] = [
  { type: 'session', id: 'abc', model: 'big' },
  { type: 'message', role: 'user', text: 'Mend it.' },
  { type: 'reasoning', text: 'Where is it?' },
  { type: 'tool-started', id: '1', name: 'Bash', input: { command: 'npm test', timeout: 5 } },
  { type: 'tool-finished', id: '1', isError: true, output: 'a\nb\nc\nd\ne\nf\ng\n' },
  { type: 'message', role: 'assistant', text: 'Mended.' },
  { type: 'usage', input: 1_200, output: 30, cachedInput: 1_000, costUsd: 0.0123, isCumulative: true },
  { type: 'result', text: 'Mended.' },
];

test('a conversation shows what was said, thought and done, cuts results and tells the usage once at the end', async () => {
  expect(await shown([starts('fix'), says('fix', talk), ends('fix')]))
    .toBe(`── claude, attempt 1, in a new session
○ session abc · big

> Mend it.

Where is it?
▸ Bash: npm test
  ✗ a
  ✗ b
  ✗ c
  ✗ d
  ✗ e
  ✗ … 2 more lines (--full shows all)

Mended.

── 1.2k tokens in (1k cached), 30 out, $0.0123
`);
});

test('with --full nothing of a conversation is cut, and the input of tools is shown', async () => {
  const text = await shown([starts('fix'), says('fix', talk)], { isFull: true });
  expect(text).toContain('  ✗ g\n');
  expect(text).toContain('"timeout": 5');
  expect(text).not.toContain('--full');
});

test('an answer that does not stand below its call says whose it is', async () => {
  const text = await shown([
    starts('fix'),
    says('fix', [
      { type: 'tool-started', id: '1', name: 'Read', input: { file_path: 'a.ts' } },
      { type: 'tool-started', id: '2', name: 'Read', input: { file_path: 'b.ts' } },
    ]),
    says('fix', [
      { type: 'tool-finished', id: '2', isError: false, output: 'two' },
      { type: 'tool-finished', id: '1', isError: false, output: '' },
      { type: 'tool-finished', id: '9', isError: false, output: 'lost' },
    ]),
  ]);
  expect(text.split('\n').slice(1, -1)).toEqual([
    '▸ Read: a.ts',
    '▸ Read: b.ts',
    '  │ two',
    '◂ Read: a.ts',
    '  │ (no output)',
    '◂ an earlier call',
    '  │ lost',
  ]);
});

test('entries of unknown types and shapes are shown as their type, without control characters', async () => {
  const odd: Json[] = [
    { type: 'dream\u001b[2J', of: 'sheep' },
    { type: 'toString' },
    { type: 'message' },
    { type: 'tool-finished' },
    { type: 'tool-started', input: [['a', 1], null] },
    { type: 'limit', until: 'soon', text: 7 },
    { type: 'usage', input: 'much' },
    {},
    null,
    [1],
    'text',
    { type: 'message', role: 'assistant', text: 'red \u001b[31mletters\u0007' },
  ];
  const text = await shown([starts('fix'), says('fix', odd), ends('fix')]);
  expect(text).toContain('· dream\n');
  expect(text).toContain('· toString\n');
  expect(text).toContain('· an entry without a type\n');
  expect(text).toContain('· unknown\n');
  expect(text).toContain('✗ usage limit: 7\n');
  expect(text).toContain('red letters\n');
  // eslint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('conversations that were held at once are told apart line by line, and one after the other in a document', async () => {
  const message = (text: string): AgentEvent => ({ type: 'message', role: 'assistant', text });
  const events = [
    starts('fix'),
    starts('look'),
    says('fix', [message('one')]),
    says('look', [message('two')]),
    says('fix', [message('three')]),
    ends('look'),
    ends('fix'),
  ];
  const both = { choice: {}, known: ['fix', 'look'] };
  const lines = (await shown(events, both)).split('\n').filter((line) => /one|two|three/.test(line));
  expect(lines).toEqual(['fix  │ one', 'look │ two', 'fix  │ three']);
  const pages = await shown(events, { ...both, isMarkdown: true });
  expect(pages).toBe(`## look: claude, attempt 1, in a new session

two

## fix: claude, attempt 1, in a new session

one

three

`);
});

test('in a document nothing that a tool has printed can end the text that is marked as code', async () => {
  const text = await shown(
    [
      starts('fix'),
      says('fix', [
        { type: 'tool-started', id: '1', name: 'Bash', input: { command: 'echo `x`' } },
        { type: 'tool-finished', id: '1', isError: false, output: '```\n# no heading\n````' },
        { type: 'result', text: '', structured: { ok: true } },
      ]),
    ],
    { isMarkdown: true },
  );
  expect(text).toContain('▸ `` Bash: echo `x` ``\n\n`````\n```\n# no heading\n````\n`````\n');
  expect(text).toContain('**Result**\n\n```\n{\n  "ok": true\n}\n```\n');
});

test('of a conversation only the last lines are shown if so many are asked for, and what comes while following in full', async () => {
  const lines = (text: string): AgentEvent => ({ type: 'message', role: 'assistant', text });
  const past = [starts('fix'), says('fix', [lines('1\n2\n3\n4')])];
  expect(await shown([...past, ends('fix')], { tail: 2 })).toBe('3\n4\n');
  const head = seq;
  // Something else was the last that had happened.
  const last = { ...ends('look'), seq: head } as RunEvent;
  const news = says('fix', [lines('5\n6\n7')]);
  const followed = await shown([...past, last, news], { tail: 2, follow: true, head });
  expect(followed).toBe('3\n4\n\n5\n6\n7\n');
});

test('counts that go on over a session are charged once, to who added to them; others are added', () => {
  const tally = new UsageTally();
  const used = (input: number, costUsd: number | undefined, isCumulative: boolean): AgentEvent => ({
    type: 'usage',
    input,
    output: 10,
    ...(costUsd !== undefined && { costUsd }),
    isCumulative,
  });
  const events = [
    starts('fix', 1, 's'),
    says('fix', [used(100, 0.1, true), used(200, 0.2, true)]),
    starts('fix', 2, 's'),
    says('fix', [used(300, 0.3, true), used(50, undefined, false)], 2),
    starts('next', 1, 's'),
    says('next', [used(450, 0.5, true)]),
    happening({
      type: 'attempt.started',
      task: 'copy',
      attempt: 'copy-1',
      data: { number: 1, agent: { name: 'claude', how: 'fork', of: 's' } },
    }),
    happening({
      type: 'session.opened',
      task: 'copy',
      attempt: 'copy-1',
      data: { agent: 'claude', session: 'c' },
    }),
    says('copy', [used(470, 0.6, true)]),
    starts('other', 1, 't'),
    says('other', [used(7, undefined, false), used(8, undefined, false)]),
  ];
  for (const event of events) tally.add(event);
  expect(tally.ofAttempt('fix-1')).toMatchObject({ input: 200, output: 10, costUsd: 0.2 });
  expect(tally.ofTask('fix')).toMatchObject({ input: 350, unpricedTokens: 60 });
  expect(tally.ofTask('next')!.input).toBe(150);
  expect(tally.ofTask('next')!.costUsd).toBeCloseTo(0.2);
  expect(tally.ofTask('copy')!.input).toBe(20);
  expect(usageText(tally.ofTask('fix')!)).toBe('350 tokens in, 20 out, $0.3000, 60 tokens unpriced');
  expect(usageText(tally.ofTask('other')!)).toBe('15 tokens in, 20 out, unpriced');
  expect(tally.total()).toMatchObject({ input: 535 });
  expect(tally.ofTask('nobody')).toBeUndefined();
});

test('the last line of an agent at work is its last message or tool call, never what it prints for machines', () => {
  const view = new WatchedRun('r1');
  const created = { workflow: workflow([task('fix', { work })]), inputs: {} };
  const tell = (event: RunEvent): string | undefined => {
    view.add(event);
    return describeEvent(view, event)?.text;
  };
  const frame = (): string =>
    drawFrame(view, { columns: 80, rows: 24, now: view.at, lastLine: () => '{"type":"x"}' })[0]!.text;
  tell(happening({ type: 'run.created', data: created }));
  expect(tell(starts('fix'))).toBe('fix started with claude');
  expect(frame()).toBe('▶ fix  0s');
  tell(says('fix', talk.slice(0, 5)));
  expect(frame()).toBe('▶ fix  0s  ▸ Bash: npm test');
  tell(says('fix', talk.slice(5)));
  expect(frame()).toBe('▶ fix  0s  Mended.');
  tell(says('fix', [{ type: 'notice', text: 'retrying' }]));
  expect(frame()).toBe('▶ fix  0s  Mended.');
});

test('a plan tells who would do it, in which session, with which permissions, and the prompt where the inputs decide it', async () => {
  const definition = { workflow: workflow([task('fix', { work })]), functions: {} };
  const { levels } = await planRun(definition as never, { part: 'the roof' }, {
    root: '/',
    workspaces: {},
  } as never);
  const planned = levels[0]![0]!;
  expect(planned.work).toBe('Mend the roof.');
  expect(planned.agent).toMatchObject({ permissions: 'edit', session: 'a copy of that of look' });
  expect(agentLines(planned.agent!)).toEqual([
    'agent: claude, or else codex · model big',
    'session: a copy of that of look',
    'permissions: edit',
    expect.stringContaining('  claude: --permission-mode acceptEdits'),
    expect.stringContaining('  codex: sandbox workspace-write'),
    'prompt:',
  ]);
});
