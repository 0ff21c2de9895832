import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentNamed, type AgentEvent, type AgentRequest } from '../../src/agents/index.ts';
import { agentContract, parseStream, type RecordedStream } from '../contracts/agent.ts';
import { acpPlace, puppet, type AcpAttempt } from '../support/acp-attempt.ts';
import { eventually } from '../support/eventually.ts';
import type { AcpStep } from '../support/acp-steps.ts';

const acp = agentNamed('acp');

const opened = '{"event":"opened","session":"s1","version":"Puppet 3.2.1","model":"heron"}';
const begun = '{"event":"tool","id":"call-1","name":"execute","input":{"command":"ls"}}';
const announced = '{"event":"tool","id":"call-1","name":"execute","input":{"title":"bash"},"pending":true}';
const over = '{"event":"tool-ended","id":"call-1","failed":false,"output":"a"}';
const asked = '{"event":"asked","tool":"execute","input":{"command":"make"},"reason":"no"}';
const streams: readonly RecordedStream[] = [
  {
    title: 'it answers',
    lines: [opened, '{"event":"said","text":"a"}', '{"event":"ended","text":"a"}'],
    outcome: 'result',
  },
  {
    title: 'it uses a tool',
    lines: [
      opened,
      '{"event":"thought","text":"hm"}',
      announced,
      begun,
      over,
      '{"event":"used","input":0,"output":0,"costUsd":0.5,"cumulative":true}',
      '{"event":"said","text":"done"}',
      '{"event":"used","input":3,"output":4,"costUsd":0,"cumulative":false}',
      '{"event":"ended","text":"done"}',
    ],
    outcome: 'result',
  },
  {
    title: 'it asks',
    lines: [opened, announced, asked, '{"event":"failed","kind":"asked","message":"It asks for make."}'],
    outcome: 'asked',
  },
  {
    title: 'it has acted unasked',
    lines: [
      opened,
      begun,
      over,
      '{"event":"denied","tool":"execute","reason":"unasked"}',
      '{"event":"failed","kind":"denied","message":"It has made a call unasked."}',
    ],
    outcome: 'denied',
  },
  {
    title: 'it is at its limit',
    lines: [opened, '{"event":"failed","kind":"limit","message":"Suggested retry after 3600s."}'],
    outcome: 'limit',
  },
  {
    title: 'it is not logged in',
    lines: ['{"event":"failed","kind":"auth","message":"Authentication required"}'],
    outcome: 'auth',
  },
  {
    title: 'it dies in a call',
    lines: [opened, begun],
    exit: { code: 137, timedOut: false },
    outcome: 'error',
  },
];

agentContract(acp, {
  streams,
  listedPermissions: ['edit', 'execute(make)'],
  notInteractive: 'its session does not tell which program it is',
  fork: ({ of }) => `"session":${JSON.stringify({ type: 'fork', of })}`,
});

type Played = { readonly code: number; readonly events: readonly AgentEvent[] };

function play(steps: readonly AcpStep[], more: Partial<AgentRequest> = {}): Promise<Played> {
  return acpPlace().start(steps, more).ended();
}

const types = ({ events }: Played): readonly string[] => events.map(({ type }) => type);
const last = ({ events }: Played): AgentEvent => events.at(-1)!;
const sessionOf = ({ events }: Played): string =>
  events.flatMap((event) => (event.type === 'session' ? [event.id] : []))[0]!;

describe('the stream of our ACP client', () => {
  test('tells of a call that was announced only, when it ends there: it may have begun without a word', () => {
    const events = parseStream(acp, { lines: [opened, announced], exit: { code: 137, timedOut: false } });
    expect(events).toContainEqual({
      type: 'tool-started',
      id: 'call-1',
      name: 'execute',
      input: { title: 'bash' },
    });
  });

  test('tells of a call as it began, and not as it was announced', () => {
    const started = parseStream(acp, streams[1]!).filter(({ type }) => type === 'tool-started');
    expect(started).toEqual([
      { type: 'tool-started', id: 'call-1', name: 'execute', input: { command: 'ls' } },
    ]);
  });
});

describe('a conversation over ACP', () => {
  test('is told in whole messages, thoughts, calls and a result', async () => {
    const played = await play([
      { think: 'hm' },
      { say: ['I lo', 'ok.'] },
      { tool: { input: { command: 'ls' }, output: 'a b' } },
      { say: 'One.', as: 'first' },
      { say: ['Two', '.'], as: 'second' },
      { usage: { inputTokens: 3, outputTokens: 2, cachedReadTokens: 4, totalTokens: 9 } },
    ]);
    expect(played).toEqual({
      code: 0,
      events: [
        { type: 'session', id: expect.stringMatching(/^session-/), model: 'heron', version: 'Puppet 3.2.1' },
        { type: 'reasoning', text: 'hm' },
        { type: 'message', role: 'assistant', text: 'I look.' },
        { type: 'tool-started', id: 'call-1', name: 'execute', input: { command: 'ls' } },
        { type: 'tool-finished', id: 'call-1', isError: false, output: 'a b' },
        { type: 'message', role: 'assistant', text: 'One.' },
        { type: 'message', role: 'assistant', text: 'Two.' },
        { type: 'usage', input: 7, output: 2, cachedInput: 4, reasoning: 0, isCumulative: false },
        { type: 'result', text: 'Two.' },
      ],
    });
  });

  test('tells plans, prices, noise and what it does not know, and goes on', async () => {
    const entries = [
      { content: 'look', priority: 'high', status: 'completed' },
      { content: 'do', priority: 'high', status: 'pending' },
    ];
    const { events } = await play([
      { update: { sessionUpdate: 'plan', entries } },
      { update: { sessionUpdate: 'plan', entries } },
      { garbage: 'Welcome to the puppet theatre' },
      { update: { sessionUpdate: 'brand_new_thing' } },
      {
        update: { sessionUpdate: 'usage_update', used: 9, size: 10, cost: { amount: 0.25, currency: 'USD' } },
      },
      { demand: '/etc/hostname' },
      { say: 'never' },
    ]);
    expect(events.slice(1, -1)).toEqual([
      { type: 'notice', text: 'Plan: [x] look; [ ] do' },
      { type: 'unknown', text: 'Welcome to the puppet theatre' },
      { type: 'unknown', kind: 'brand_new_thing', text: 'event brand_new_thing' },
      {
        type: 'usage',
        input: 0,
        output: 0,
        costUsd: 0.25,
        isCumulative: true,
      },
      { type: 'unknown', kind: 'fs/read_text_file', text: 'event fs/read_text_file' },
    ]);
    // What a client does not offer, an agent must not rely on: here it does, and says so.
    expect(events.at(-1)).toMatchObject({
      type: 'failure',
      message: expect.stringContaining('Method not found'),
    });
  });

  test('that stops before its end has failed, and tells how', async () => {
    const kinds = { refusal: 'refused', max_tokens: 'truncated', max_turn_requests: 'max-turns' } as const;
    const played = Object.keys(kinds).map((stop) => play([{ say: 'half' }, { stop: stop as 'refusal' }]));
    expect((await Promise.all(played)).map(last)).toMatchObject(
      Object.values(kinds).map((kind) => ({ type: 'failure', kind })),
    );
  });

  test('that ends in an error, has failed by what the error says', async () => {
    const errors = [
      [{ code: -32_000, message: 'Authentication required' }, 'auth', 'puppet login'],
      [{ code: 429, message: 'Suggested retry after 3600s.' }, 'limit', '3600'],
      [
        { code: -32_603, message: 'Internal error', data: { errorKind: 'rate_limit' } },
        'limit',
        'rate_limit',
      ],
      [{ code: -32_603, message: 'Internal error', data: { details: 'a loose thread' } }, 'error', 'loose'],
    ] as const;
    const played = await Promise.all(errors.map(([error]) => play([{ error }])));
    expect(played.map(last)).toMatchObject(
      errors.map(([, kind, text]) => ({ type: 'failure', kind, message: expect.stringContaining(text) })),
    );
    expect(played.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  });

  test('takes the model that is asked for, and fails rather than take another', async () => {
    const place = acpPlace();
    const played = await place.start([{ say: 'big' }], { model: 'albatross', effort: 'high' }).ended();
    expect(played.events[0]).toMatchObject({ model: 'albatross' });
    expect(place.kept('model')).toBe('which=albatross');
    expect(played.events[1]).toMatchObject({ type: 'notice', text: expect.stringContaining('"high"') });
    const other = await place.start([{ say: 'no' }], { model: 'penguin' }).ended();
    expect(last(other)).toMatchObject({
      type: 'failure',
      kind: 'model-unknown',
      message: expect.stringContaining('heron, albatross'),
    });
  });
});

describe('a session over ACP', () => {
  test.each([
    ['resumed', []],
    ['loaded, and its history is not told again', ['--without', 'resume']],
  ] as const)('is %s', async (_how, options) => {
    const place = acpPlace();
    const args = [...puppet, ...options];
    const first = await place.start([{ say: 'planned' }], { args }).ended();
    const session = { type: 'continue', id: sessionOf(first) } as const;
    const second = await place.start([{ recall: true }], { args, session }).ended();
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(types(second)).toEqual(['session', 'message', 'result']);
    expect(last(second)).toMatchObject({ text: expect.stringContaining('planned') });
  });

  test('is copied where the agent can, and the copy has an id of its own', async () => {
    const place = acpPlace();
    const first = await place.start([{ say: 'planned' }]).ended();
    const session = { type: 'fork', of: sessionOf(first) } as const;
    const copy = await place.start([{ recall: true }], { session }).ended();
    expect(sessionOf(copy)).not.toBe(sessionOf(first));
    expect(last(copy)).toMatchObject({ type: 'result', text: expect.stringContaining('planned') });
    const unable = await place.start([], { session, args: [...puppet, '--without', 'fork'] }).ended();
    expect(last(unable)).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('cannot copy a session'),
    });
  });

  test.each([
    ['is not known', puppet],
    ['cannot be gone on in', [...puppet, '--without', 'resume,load']],
  ] as const)('that %s is missing, and nothing is said of it', async (_why, args) => {
    const played = await play([{ say: 'no' }], { args, session: { type: 'continue', id: 'nobody' } });
    expect(played.events).toEqual([
      { type: 'failure', kind: 'session-missing', message: expect.any(String) },
    ]);
  });
});

describe('permissions over ACP', () => {
  const touch = {
    kind: 'execute',
    title: 'make it',
    input: { command: 'touch made', description: 'I make' },
  };

  test('let an allowed call pass, once, and tell it before it begins', async () => {
    const place = acpPlace();
    const steps = [{ tool: { ...touch, ask: true, run: 'touch made' } }, { say: 'made' }] as const;
    const played = await place.start(steps, { permissions: 'edit', allowedCommands: ['touch made'] }).ended();
    expect(types(played)).toEqual(['session', 'tool-started', 'tool-finished', 'message', 'result']);
    expect(place.kept('chosen')).toBe('once');
  });

  test('turn what is not allowed into a question, and the agent ends before it has done it', async () => {
    const place = acpPlace();
    const steps = [{ tool: { ...touch, ask: true, run: 'touch made' } }, { say: 'made' }] as const;
    const played = await place.start(steps, { permissions: 'edit' }).ended();
    expect(played.code).toBe(1);
    expect(played.events.slice(1)).toEqual([
      { type: 'asked', tool: 'execute', input: touch.input, reason: expect.stringContaining('edit') },
      { type: 'failure', kind: 'asked', message: expect.stringContaining('touch made') },
    ]);
    expect(existsSync(join(place.folder, 'made'))).toBe(false);
  });

  test('let a call pass that a person has allowed, in the same session, however it is explained', async () => {
    const place = acpPlace();
    const tool = { ...touch, ask: true, run: 'touch made' } as const;
    const first = await place.start([{ tool }], { permissions: 'read' }).ended();
    const { tool: name, input } = first.events.find((event) => event.type === 'asked')!;
    const again = { ...tool, input: { command: 'touch made', description: 'in other words' } };
    const request: Partial<AgentRequest> = {
      permissions: 'read',
      allowed: [{ tool: name, input }],
      session: { type: 'continue', id: sessionOf(first) },
    };
    const second = await place.start([{ tool: again }, { say: 'made' }], request).ended();
    expect(last(second)).toEqual({ type: 'result', text: 'made' });
    expect(existsSync(join(place.folder, 'made'))).toBe(true);
    const other = { ...tool, input: { command: 'touch other' } };
    expect(last(await place.start([{ tool: other }], request).ended())).toMatchObject({ kind: 'asked' });
  });

  test('never choose to allow for ever what was allowed once', async () => {
    const steps = [{ tool: { ...touch, ask: 'always' } }, { say: 'made' }] as const;
    const limited = await play(steps, { permissions: 'edit', allowedCommands: ['touch made'] });
    expect(last(limited)).toMatchObject({ kind: 'asked' });
    expect(last(await play(steps))).toEqual({ type: 'result', text: 'made' });
  });

  test('stop an agent that has acted without asking', async () => {
    const steps = [{ tool: { ...touch, run: 'touch made' } }, { say: 'made' }] as const;
    const played = await play(steps, { permissions: 'edit' });
    expect(played.events.find(({ type }) => type === 'denied')).toMatchObject({
      reason: expect.stringContaining('without asking'),
    });
    expect(last(played)).toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('permissions: full'),
    });
  });
});

function endTool(folder: string): void {
  process.kill(Number(readFileSync(join(folder, 'tool'), 'utf8')), 'SIGKILL');
}

async function inCall(attempt: AcpAttempt, folder: string): Promise<void> {
  await eventually('the tool runs', () => existsSync(join(folder, 'started')));
  await eventually('the call is told', () => attempt.printed().includes('"command":"slow"'));
}

describe('an end of the conversation over ACP', () => {
  const slow = {
    title: 'slow',
    input: { command: 'slow' },
    run: 'echo $$ > tool; touch started; exec sleep 300',
  };

  test('asked for, comes at once: the turn is cancelled, and it can go on', async () => {
    const place = acpPlace();
    const attempt = place.start([{ say: 'begun' }, { await: join(place.folder, 'never') }]);
    await eventually('the turn has begun', () => attempt.printed().includes('opened'));
    attempt.child.kill('SIGTERM');
    const played = await attempt.ended();
    expect(played.code).toBe(143);
    expect(attempt.printed()).not.toContain('"failed"');
    const session = { type: 'continue', id: sessionOf(played) } as const;
    expect(last(await place.start([{ say: 'went on' }], { session }).ended())).toMatchObject({
      text: 'went on',
    });
  });

  test('asked for, comes also from an agent that does not listen', async () => {
    const place = acpPlace();
    const args = [...puppet, '--without', 'manners'];
    const attempt = place.start([{ tool: slow }], { args });
    onTestFinished(() => endTool(place.folder));
    await inCall(attempt, place.folder);
    attempt.child.kill('SIGTERM');
    const { code, events } = await attempt.ended();
    expect(code).toBe(143);
    expect(events.map(({ type }) => type)).toEqual(['session', 'tool-started', 'failure']);
  });

  test('by force takes nothing away from what was told', async () => {
    const place = acpPlace();
    const attempt = place.start([{ say: 'begun' }, { tool: slow }]);
    onTestFinished(() => endTool(place.folder));
    await inCall(attempt, place.folder);
    attempt.child.kill('SIGKILL');
    const played = await attempt.ended();
    expect(types(played)).toEqual(['session', 'message', 'tool-started', 'failure']);
  });

  test('of the agent alone is that of the client: killed is killed, and an exit code is passed on', async () => {
    const killed = await play([{ say: 'begun' }, { die: 'SIGKILL' }]);
    expect(killed.code).toBe(137);
    expect(types(killed)).toEqual(['session', 'message', 'failure']);
    const ended = await play([{ exit: 3 }]);
    expect(ended.code).toBe(3);
    expect(last(ended)).toMatchObject({ kind: 'error', message: expect.stringContaining('exit code 3') });
  });

  test('that was none: a program that is not there, not named, or speaks otherwise', async () => {
    expect((await play([], { args: ['no-such-program', 'acp'] })).code).toBe(127);
    expect(last(await play([], { args: [] }))).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('args: [opencode, acp]'),
    });
    const later = await play([], { args: [...puppet, '--protocol', '2'] });
    expect(last(later)).toMatchObject({ kind: 'unsupported', message: expect.stringContaining('version 2') });
    const silent = await acpPlace()
      .start([], { args: [...puppet, '--without', 'answers'] }, 100)
      .ended();
    expect(last(silent)).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('within 0.1 s'),
    });
    const closed = await play([], { args: [...puppet, '--without', 'new'] });
    expect(last(closed)).toMatchObject({ kind: 'auth', message: expect.stringContaining('By key') });
  });
});
