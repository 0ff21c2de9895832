import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentNamed, type AgentEvent, type AgentRequest } from '../../src/agents/index.ts';
import { identityOf, livenessOf, type ProcessIdentity } from '../../src/base/index.ts';
import { agentContract, type RecordedStream } from '../contracts/agent.ts';
import { eventually } from '../support/eventually.ts';
import { promptFor, startPlaying, theatre } from './play.ts';

const scripted = agentNamed('scripted');

const opened = '{"event":"opened","session":"s1","turn":0,"version":"1.0.0"}';
const streams: readonly RecordedStream[] = [
  {
    title: 'it answers',
    lines: [opened, '{"event":"said","text":"a"}', '{"event":"ended","text":"a"}'],
    outcome: 'result',
  },
  {
    title: 'it uses tools',
    lines: [
      opened,
      '{"event":"thought","text":"hm"}',
      '{"event":"tool","id":"call-1","name":"Shell","input":{"command":"ls"}}',
      '{"event":"tool-ended","id":"call-1","failed":false,"output":"a"}',
      '{"event":"used","input":3,"output":4,"costUsd":0.5}',
      '{"event":"said","text":"done"}',
      '{"event":"ended","text":"done","output":{"ok":true}}',
    ],
    outcome: 'result',
  },
  {
    title: 'it is denied something',
    lines: [
      opened,
      '{"event":"denied","tool":"Shell","reason":"no"}',
      '{"event":"said","text":"a"}',
      '{"event":"ended","text":"a"}',
    ],
    outcome: 'denied',
  },
  {
    title: 'it asks for something',
    lines: [
      opened,
      '{"event":"asked","tool":"Shell","input":{"command":"ls"},"reason":"no"}',
      '{"event":"failed","kind":"asked","message":"A person has to allow Shell."}',
    ],
    outcome: 'asked',
  },
  {
    title: 'it hits a limit',
    lines: [opened, '{"event":"failed","kind":"limit","message":"later","until":5}'],
    outcome: 'limit',
  },
  { title: 'it ends without a result', lines: [opened, '{"event":"said","text":"a"}'], outcome: 'error' },
];

agentContract(scripted, {
  streams,
  listedPermissions: ['Edit', 'Shell(ls)'],
  fork: (copy) => `"session":${JSON.stringify(copy)}`,
});

type Played = { readonly code: number; readonly events: readonly AgentEvent[] };

function play(part: object, more: Partial<AgentRequest> = {}, folder = theatre()): Promise<Played> {
  return startPlaying(folder, { prompt: promptFor(part), ...more }).ended();
}

/** A person with the session open, who types this. */
function talk(folder: string, session: string, input: string): SpawnSyncReturns<string> {
  const [program, ...args] = scripted.interactive(session);
  const env = { PITON_SCRIPTED_HOME: join(folder, 'sessions') };
  return spawnSync(program!, args, { cwd: folder, env, input, encoding: 'utf8' });
}

function endIfAlive(left: ProcessIdentity): void {
  if (livenessOf(left) === 'alive') process.kill(left.pid, 'SIGKILL');
}

const types = ({ events }: Played): readonly string[] => events.map(({ type }) => type);
const last = ({ events }: Played): AgentEvent => events.at(-1)!;

describe('the scripted agent', () => {
  test('says lines and ends with the last of them', async () => {
    const played = await play({ steps: [{ think: 'hm' }, { say: 'one' }, { say: 'two' }] });
    expect(played.code).toBe(0);
    expect(types(played)).toEqual(['session', 'reasoning', 'message', 'message', 'result']);
    expect(last(played)).toEqual({ type: 'result', text: 'two' });
  });

  test('really runs, edits and reads, and tells of each start and end', async () => {
    const folder = theatre();
    const steps = [
      { run: 'echo hi; echo there > made.txt' },
      { edit: { file: 'sub/a.txt', text: 'A' } },
      { read: 'made.txt' },
    ];
    const { events } = await play({ steps }, {}, folder);
    expect(events.slice(1, 7)).toEqual([
      {
        type: 'tool-started',
        id: 'call-1',
        name: 'Shell',
        input: { command: 'echo hi; echo there > made.txt' },
      },
      { type: 'tool-finished', id: 'call-1', isError: false, output: 'hi\n' },
      { type: 'tool-started', id: 'call-2', name: 'Edit', input: { file: 'sub/a.txt', text: 'A' } },
      { type: 'tool-finished', id: 'call-2', isError: false, output: 'sub/a.txt was written.' },
      { type: 'tool-started', id: 'call-3', name: 'Read', input: { file: 'made.txt' } },
      { type: 'tool-finished', id: 'call-3', isError: false, output: 'there\n' },
    ]);
    expect(readFileSync(join(folder, 'sub/a.txt'), 'utf8')).toBe('A');
  });

  test('goes on when a tool fails', async () => {
    const played = await play({ steps: [{ run: 'echo no; exit 3' }, { say: 'so be it' }] });
    expect(played.events).toContainEqual({
      type: 'tool-finished',
      id: 'call-1',
      isError: true,
      output: 'no\nExit code 3',
    });
    expect(last(played)).toEqual({ type: 'result', text: 'so be it' });
  });

  test('stops before what its permissions do not allow, and does it when a person has allowed it', async () => {
    const steps = [{ run: 'true' }, { run: 'echo x >> made.txt' }, { say: 'done' }];
    const folder = theatre();
    const limits = { permissions: 'edit', allowedCommands: ['true'] } as const;
    const played = await play({ steps }, { ...limits, session: { type: 'new', id: 's' } }, folder);
    expect(types(played)).toEqual(['session', 'tool-started', 'tool-finished', 'asked', 'failure']);
    expect(last(played)).toMatchObject({ kind: 'asked' });
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);

    const { tool, input } = played.events.find((event) => event.type === 'asked')!;
    const session = { type: 'continue', id: 's' } as const;
    const again = startPlaying(folder, { ...limits, session, prompt: 'Go on.', allowed: [{ tool, input }] });
    expect(last(await again.ended())).toEqual({ type: 'result', text: 'done' });
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('x\n');
  });

  test.each([
    ['read', { edit: { file: 'a', text: 'b' } }, 'Edit'],
    ['edit', { use: { name: 'Web', input: { url: 'x' } } }, 'Web'],
    [['Shell(ls)'], { run: 'ls -l' }, 'Shell'],
  ] as const)('under %j asks for %j', async (permissions, step, tool) => {
    const played = await play({ steps: [step, { say: 'done' }] }, { permissions });
    expect(played.events.at(-2)).toMatchObject({ type: 'asked', tool });
    expect(last(played)).toMatchObject({ kind: 'asked' });
  });

  test('asks as its part says, unless that call was allowed, whatever the order of its keys', async () => {
    const ask = { tool: 'Deploy', input: { where: 'here', when: [1, 2] }, reason: 'it is Friday' };
    const part = { steps: [{ ask }, { say: 'done' }] };
    const allowing = (input: object): Promise<Played> =>
      play(part, { allowed: [{ tool: 'Deploy', input: input as Record<string, string> }] });
    expect((await play(part)).events.slice(-2)).toEqual([
      { type: 'asked', ...ask },
      { type: 'failure', kind: 'asked', message: 'A person has to allow Deploy: it is Friday.' },
    ]);
    expect(last(await allowing({ where: 'there', when: [1, 2] }))).toMatchObject({ kind: 'asked' });
    expect(last(await allowing({ when: [1, 2], where: 'here' }))).toMatchObject({ text: 'done' });
  });

  test('plays turn after turn of a session, and remembers the earlier ones', async () => {
    const folder = theatre();
    const part = { turns: [[{ say: 'first' }], [{ recall: true }], [{ say: 'and so on' }]] };
    const session = { type: 'continue', id: 's-1' } as const;
    const first = startPlaying(folder, {
      prompt: promptFor(part, 'Begin.'),
      session: { type: 'new', id: 's-1' },
    });
    expect(last(await first.ended())).toEqual({ type: 'result', text: 'first' });
    const second = await startPlaying(folder, { prompt: 'Go on.', session }).ended();
    expect(last(second)).toMatchObject({ text: expect.stringContaining('Begin.') });
    for (const prompt of ['More.', 'Even more.']) {
      const later = await startPlaying(folder, { prompt, session }).ended();
      expect(last(later)).toEqual({ type: 'result', text: 'and so on' });
    }
  });

  test('copies a session, and the original does not change', async () => {
    const folder = theatre();
    const part = { turns: [[{ say: 'one' }], [{ say: 'two' }], [{ say: 'three' }]] };
    const start = (session: AgentRequest['session'], prompt = 'Go on.'): Promise<Played> =>
      startPlaying(folder, { prompt, session }).ended();
    await start({ type: 'new', id: 'a' }, promptFor(part));
    expect(last(await start({ type: 'fork', of: 'a', id: 'b' }))).toMatchObject({ text: 'two' });
    expect(last(await start({ type: 'continue', id: 'b' }))).toMatchObject({ text: 'three' });
    expect(last(await start({ type: 'continue', id: 'a' }))).toMatchObject({ text: 'two' });
  });

  test.each([
    ['unknown', { type: 'continue', id: 'nobody' }, 'session-missing'],
    ['unknown and to be copied', { type: 'fork', of: 'nobody' }, 'session-missing'],
    ['outside of its folder', { type: 'continue', id: '../x' }, 'session-missing'],
    ['damaged', { type: 'continue', id: 'damaged' }, 'session-missing'],
    ['taken', { type: 'new', id: 'damaged' }, 'session-in-use'],
  ] as const)('fails when its session is %s', async (_, session, kind) => {
    const folder = theatre();
    await startPlaying(folder, { session: { type: 'new', id: 'damaged' } }).ended();
    writeFileSync(join(folder, 'sessions/damaged.jsonl'), '{"prompt": "cut in the mid');
    expect(last(await startPlaying(folder, { session }).ended())).toMatchObject({ type: 'failure', kind });
  });

  test('finds its part in a file named by the prompt, the arguments or the environment', async () => {
    const folder = theatre();
    for (const name of ['a', 'b', 'c'])
      writeFileSync(join(folder, `${name}.yaml`), `steps:\n  - say: part ${name}\n`);
    const texts = async (more: Partial<AgentRequest>, env = {}): Promise<AgentEvent> =>
      last(await startPlaying(folder, more, env).ended());
    expect(await texts({ prompt: 'Play [[part: a.yaml]].' }, { PITON_PART: 'c.yaml' })).toMatchObject({
      text: 'part a',
    });
    expect(await texts({ args: ['--part', 'b.yaml'] }, { PITON_PART: 'c.yaml' })).toMatchObject({
      text: 'part b',
    });
    expect(await texts({}, { PITON_PART: 'c.yaml' })).toMatchObject({ text: 'part c' });
    expect(await texts({})).toMatchObject({ text: 'ok' });
  });

  test('says what is wrong with a part', async () => {
    const played = await play({ steps: [{ recal: 'x' }] });
    expect(played.code).toBe(2);
    expect(last(played)).toMatchObject({ message: expect.stringContaining('Did you mean `recall`?') });
  });

  test('plays a step with `once` only the first time', async () => {
    const folder = theatre();
    const part = { steps: [{ once: 'flag', exit: 7 }, { say: 'well' }] };
    expect((await play(part, {}, folder)).code).toBe(7);
    expect(last(await play(part, {}, folder))).toEqual({ type: 'result', text: 'well' });
  });

  test('notices what a prompt does not say, apart from the part itself', async () => {
    expect(last(await play({ steps: [{ expect: 'Play' }, { say: 'yes' }] }))).toMatchObject({ text: 'yes' });
    expect(last(await play({ steps: [{ expect: 'was in flight' }, { say: 'yes' }] }))).toMatchObject({
      type: 'failure',
      message: 'The prompt does not contain "was in flight".',
    });
  });

  test('ends at its turns and its budget', async () => {
    const tools = await play({ steps: [{ run: 'true' }, { run: 'touch made.txt' }] }, { maxTurns: 1 });
    expect(last(tools)).toMatchObject({ type: 'failure', kind: 'max-turns' });
    const money = await play(
      { steps: [{ usage: { input: 1, output: 2, costUsd: 3 } }, { say: 'x' }] },
      { budgetUsd: 2 },
    );
    expect(money.events).toContainEqual({
      type: 'usage',
      input: 1,
      output: 2,
      costUsd: 3,
      isCumulative: false,
    });
    expect(last(money)).toMatchObject({ type: 'failure', kind: 'budget' });
  });

  test('answers with structured output', async () => {
    const played = await play({ steps: [{ answer: { text: 'yes', output: { ok: true } } }] });
    expect(last(played)).toEqual({ type: 'result', text: 'yes', structured: { ok: true } });
  });

  test('gives its session into the hands of a person, and remembers what was said there', async () => {
    const folder = theatre();
    const part = { turns: [[{ say: 'first' }], [{ recall: true }, { say: 'second' }]] };
    const session = { type: 'continue', id: 's' } as const;
    const prompt = promptFor(part, 'Begin.');
    await startPlaying(folder, { prompt, session: { type: 'new', id: 's' } }).ended();

    const { stdout, status } = talk(folder, 's', 'Mind the gap.\n  And the step. \n\nnever heard\n');
    expect(status).toBe(0);
    expect(stdout).toBe(
      'Session s\nyou: Begin.\nagent: first\nagent: heard: Mind the gap.\nagent: heard: And the step.\n',
    );

    const { events } = await startPlaying(folder, { prompt: 'Go on.', session }).ended();
    expect(events).toContainEqual({
      type: 'message',
      role: 'assistant',
      text: expect.stringMatching(/Begin\.[\s\S]*Mind the gap\.\nAnd the step\.$/),
    });
    expect(events.at(-1)).toEqual({ type: 'result', text: 'second' });
  });

  test.each([
    ['the end of the input', 'Hello'],
    ['the word exit', 'Hello\nexit\nnever heard\n'],
  ])('is given back at %s', async (_, input) => {
    const folder = theatre();
    await startPlaying(folder, { session: { type: 'new', id: 's' } }).ended();
    const { stdout, status } = talk(folder, 's', input);
    expect(stdout).toMatch(/agent: heard: Hello\n$/);
    expect(status).toBe(0);
  });

  test('does not open a session that is not there', () => {
    expect(talk(theatre(), 'nobody', 'Hello\n')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'There is no session nobody.\n',
    });
  });
});

describe('the scripted agent misbehaves:', () => {
  test('hangs until it is killed', async () => {
    const performance = startPlaying(theatre(), {
      prompt: promptFor({ steps: [{ say: 'before' }, { hang: true }] }),
    });
    await eventually('it spoke', () => performance.written().includes('before'));
    performance.child.kill('SIGKILL');
    const played = await performance.ended();
    expect(types(played)).toEqual(['session', 'message', 'failure']);
  });

  test('stalls in the middle of a line', async () => {
    const performance = startPlaying(theatre(), {
      prompt: promptFor({ steps: [{ stall: '{"event":"sa' }] }),
    });
    await eventually('it stalled', () => performance.written().toString().endsWith('"sa'));
    performance.child.kill('SIGKILL');
    expect(types(await performance.ended())).toEqual(['session', 'failure']);
  });

  test('exits with 0 and without a result', async () => {
    const played = await play({ steps: [{ say: 'x' }, { exit: 0 }] });
    expect(played.code).toBe(0);
    expect(last(played)).toMatchObject({ type: 'failure', kind: 'error' });
  });

  test('dies after its result, which counts', async () => {
    const played = await play({ steps: [{ answer: 'done' }, { die: 'SIGKILL' }] });
    expect(played.code).toBe(137);
    expect(last(played)).toEqual({ type: 'result', text: 'done' });
  });

  test('leaves a process behind in a session of its own', async () => {
    const folder = theatre();
    await play({ steps: [{ escape: 'echo $$ > pid; exec sleep 60' }, { await: 'pid' }] }, {}, folder);
    await eventually('the pid is written', () => readFileSync(join(folder, 'pid'), 'utf8').endsWith('\n'));
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    const left = identityOf(pid)!;
    onTestFinished(() => endIfAlive(left));
    expect(livenessOf(left)).toBe('alive');
  });

  test.each([
    ['killed in a tool, leaves the tool', 'SIGKILL', 'alive'],
    ['asked to end in a tool, takes the tool along', 'SIGTERM', 'dead'],
  ] as const)('%s', async (_, signal, expected) => {
    const folder = theatre();
    const performance = startPlaying(folder, {
      prompt: promptFor({ steps: [{ run: 'echo $$ > pid; exec sleep 60' }] }),
    });
    const file = join(folder, 'pid');
    await eventually('the tool runs', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    const tool = identityOf(Number(readFileSync(file, 'utf8')))!;
    onTestFinished(() => endIfAlive(tool));
    performance.child.kill(signal);
    expect(types(await performance.ended())).toEqual(['session', 'tool-started', 'failure']);
    await eventually(`the tool is ${expected}`, () => livenessOf(tool) === expected);
  });

  test('is denied something it then calls a success', async () => {
    const played = await play({ steps: [{ deny: { tool: 'Web', reason: 'not today' } }, { say: 'done' }] });
    expect(last(played)).toEqual({
      type: 'failure',
      kind: 'denied',
      message: expect.stringContaining('The agent was denied: Web (not today).'),
    });
  });

  test('hits a limit that ends in a while', async () => {
    const before = Date.now();
    const played = await play({ steps: [{ limit: { in: '1h' } }] });
    const limit = played.events.find((event) => event.type === 'limit')!;
    expect(limit.until).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(last(played)).toMatchObject({ type: 'failure', kind: 'limit' });
  });

  test('speaks garbage, invalid UTF-8 and a gigantic line, and is understood in between', async () => {
    const steps = [
      { garbage: 'segfault? {' },
      { bytes: 'ff00fe80' },
      { gigantic: 3_000_000 },
      { say: 'fine' },
    ];
    const played = await play({ steps });
    expect(types(played)).toEqual(['session', 'unknown', 'unknown', 'message', 'message', 'result']);
    expect(last(played)).toEqual({ type: 'result', text: 'fine' });
  });

  test('fails in any of the ways the others do', async () => {
    for (const kind of ['auth', 'refused', 'truncated', 'model-unknown', 'network'] as const) {
      expect(last(await play({ steps: [{ fail: { kind, message: 'so' } }] }))).toEqual({
        type: 'failure',
        kind,
        message: expect.stringMatching(/^so/),
      });
    }
  });
});
