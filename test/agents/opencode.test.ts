import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, type RecordedStream } from '../contracts/agent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const opencode = agentNamed('opencode');

const session = 'ses_e21b33a4affeoMR37ELgQEDwoU';
const at = Date.parse('2026-11-15T08:20:00Z');
const event = (type: string, part: object): string =>
  JSON.stringify({
    type,
    timestamp: at,
    sessionID: session,
    part: { id: 'prt_1', sessionID: session, ...part },
  });
const start = event('step_start', { type: 'step-start' });
const text = (content: string): string => event('text', { type: 'text', text: content });
const tool = (state: object, name = 'bash'): string =>
  event('tool_use', { type: 'tool', tool: name, callID: 'call_1', state });
const finish = (reason: string, more: object = {}): string =>
  event('step_finish', {
    type: 'step-finish',
    reason,
    tokens: { total: 15, input: 10, output: 5, reasoning: 1, cache: { write: 2, read: 3 } },
    cost: 0.01,
    ...more,
  });
const error = (name: string, data: object): string =>
  JSON.stringify({ type: 'error', timestamp: at, sessionID: session, error: { name, data } });
const failedExit = { code: 1, timedOut: false };
const denial =
  'The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules [{"permission":"*"}]';

const streams: readonly RecordedStream[] = [
  { title: 'it answers', lines: [start, text('hello'), finish('stop')], outcome: 'result' },
  {
    title: 'it uses tools',
    lines: [
      start,
      event('reasoning', { type: 'reasoning', text: 'hm' }),
      tool({ status: 'completed', input: { command: 'echo 1' }, output: '1\n' }),
      finish('tool-calls'),
      start,
      text('done'),
      finish('stop'),
    ],
    outcome: 'result',
  },
  {
    title: 'a rule denies a tool and the CLI ends well',
    lines: [
      start,
      tool({ status: 'error', input: { command: 'make' }, error: denial }),
      finish('tool-calls'),
      start,
      text('I could not.'),
      finish('stop'),
    ],
    outcome: 'denied',
  },
  {
    title: 'a permission is rejected and nothing follows',
    lines: [
      start,
      tool({
        status: 'error',
        input: {},
        error: 'The user rejected permission to use this specific tool call.',
      }),
      finish('tool-calls'),
      '! permission requested: bash (make); auto-rejecting',
    ],
    outcome: 'denied',
  },
  {
    title: 'a tool is not offered, and the model calls it all the same',
    lines: [
      start,
      tool({
        status: 'error',
        input: { command: 'date' },
        error: "Model tried to call unavailable tool 'invalid'. Available tools: edit, read, write.",
      }),
      finish('tool-calls'),
      start,
      text('tried'),
      finish('stop'),
    ],
    outcome: 'denied',
  },
  { title: 'it ends between two steps', lines: [start, finish('tool-calls')], outcome: 'error' },
  { title: 'the answer is cut off', lines: [start, text('and th'), finish('length')], outcome: 'truncated' },
  {
    title: 'the answer is filtered',
    lines: [
      start,
      finish('content-filter'),
      error('ContentFilterError', { message: 'The response was blocked' }),
    ],
    exit: failedExit,
    outcome: 'refused',
  },
  {
    title: 'it does not know an option',
    lines: [],
    exit: { code: 1, timedOut: false },
    stderr:
      'opencode run [message..]\n\nrun opencode with a message\n\nOptions:\n  -u, --username  basic auth username\n',
    outcome: 'unsupported',
  },
  {
    title: 'nobody is logged in',
    lines: [error('APIError', { message: 'no', statusCode: 401, isRetryable: false, responseHeaders: {} })],
    exit: failedExit,
    outcome: 'auth',
  },
  {
    title: 'the provider knows no such login',
    lines: [error('ProviderAuthError', { providerID: 'x', message: 'no key' })],
    exit: failedExit,
    outcome: 'auth',
  },
  {
    title: 'the limit is hit and it gives up',
    lines: [
      error('APIError', { message: 'slow down', statusCode: 429, responseHeaders: { 'retry-after': '20' } }),
    ],
    exit: failedExit,
    outcome: 'limit',
  },
  {
    title: 'it waits in silence for the end of a limit, and is stopped',
    lines: [],
    exit: { code: 143, timedOut: true },
    stderr:
      'timestamp=2026-11-15T08:26:57.944Z level=ERROR message="stream error" error.error="AI_APICallError: You exceeded your current quota, please check your plan."\n',
    outcome: 'limit',
  },
  {
    title: 'the session is unknown',
    lines: [],
    exit: failedExit,
    stderr: '\u001B[91m\u001B[1mError: \u001B[0mSession not found\n',
    outcome: 'session-missing',
  },
  {
    title: 'the folder in which the session was begun is gone',
    lines: [error('UnknownError', { message: 'Unexpected server error. Check server logs for details.' })],
    exit: failedExit,
    stderr:
      'level=ERROR message=failed error="PlatformError: NotFound: FileSystem.realPath (/gone) (cause: Error: ENOENT: no such file or directory)"\n',
    outcome: 'session-missing',
  },
  {
    title: 'the model is unknown',
    lines: [error('ProviderModelNotFoundError', { providerID: 'a', modelID: 'b' })],
    exit: failedExit,
    outcome: 'model-unknown',
  },
  {
    title: 'it ends well with nothing said and nothing done',
    lines: [start, finish('stop')],
    outcome: 'error',
  },
];

agentContract(opencode, {
  streams,
  listedPermissions: ['webfetch', 'bash(git status)'],
  fork: ({ of }) => `--session\n${of}\n--fork`,
});

const streamNamed = (title: string): RecordedStream => streams.find((stream) => stream.title === title)!;

describe('of OpenCode', () => {
  test('everything that is said and done becomes events', () => {
    const used = {
      type: 'usage',
      input: 15,
      output: 6,
      cachedInput: 3,
      reasoning: 1,
      costUsd: 0.01,
      isCumulative: false,
    };
    expect(parseStream(opencode, streamNamed('it uses tools'))).toEqual([
      { type: 'session', id: session },
      { type: 'reasoning', text: 'hm' },
      { type: 'tool-started', id: 'call_1', name: 'bash', input: { command: 'echo 1' } },
      { type: 'tool-finished', id: 'call_1', isError: false, output: '1\n' },
      used,
      { type: 'message', role: 'assistant', text: 'done' },
      used,
      { type: 'result', text: 'done' },
    ]);
  });

  test('what has no price there is unpriced, and not free', () => {
    const lines = [start, text('x'), finish('stop', { cost: 0 })];
    expect(parseStream(opencode, { lines }).find(({ type }) => type === 'usage')).not.toHaveProperty(
      'costUsd',
    );
  });

  test('the end of a limit is read from the headers, counted from the time of the event', () => {
    expect(parseStream(opencode, streamNamed('the limit is hit and it gives up'))).toContainEqual(
      expect.objectContaining({ type: 'limit', until: at + 20_000 }),
    );
  });

  test('the time of a line in the log is not taken for the end of a limit', () => {
    const stream = streamNamed('it waits in silence for the end of a limit, and is stopped');
    expect(parseStream(opencode, stream).find(({ type }) => type === 'limit')).not.toHaveProperty('until');
  });

  test('the rule for everything comes before those for something', () => {
    const { env } = opencode.command(requestOf({ permissions: 'edit', allowedCommands: ['npm test'] }));
    const rules = JSON.parse(env['OPENCODE_PERMISSION']!) as Record<string, unknown>;
    expect(Object.keys(rules)[0]).toBe('*');
    expect(rules).toMatchObject({ '*': 'deny', bash: { '*': 'deny', 'npm test': 'allow' } });
    expect(Object.keys(rules['bash'] as object)).toEqual(['*', 'npm test']);
  });

  test('of a check the parts are allowed, as the CLI asks about each, but none that would stand for more', () => {
    const allowedCommands = ['npm ci && node *.js; npm test', 'ls ?'];
    const { env } = opencode.command(requestOf({ permissions: 'edit', allowedCommands }));
    const { bash } = JSON.parse(env['OPENCODE_PERMISSION']!) as { readonly bash: object };
    expect(bash).toEqual({ '*': 'deny', 'npm ci': 'allow', 'npm test': 'allow' });
  });

  test('under `edit` no file may be written that steers agents, git or Piton', () => {
    const { env } = opencode.command(requestOf({ permissions: 'edit', directory: '/here/.piton/work' }));
    const { edit } = JSON.parse(env['OPENCODE_PERMISSION']!) as { readonly edit: Record<string, string> };
    expect(Object.entries(edit)[0]).toEqual(['*', 'allow']);
    for (const path of ['opencode.json', '*/opencode.json', '.opencode/*', '*/.opencode/*', '.git/*'])
      expect(edit).toHaveProperty([path], 'deny');
    // Otherwise it could write nothing at all there.
    expect(edit).not.toHaveProperty(['*/.piton/*']);
    for (const path of ['.piton/*', 'here/.piton/work/.piton/*', 'here/.piton/work/*/.piton/*'])
      expect(edit).toHaveProperty([path], 'deny');
  });

  test('its tools have classes', () => {
    expect(opencode.toolClass('read', {})).toBe('reading');
    expect(opencode.toolClass('write', {})).toBe('editing');
    expect(opencode.toolClass('bash', { command: 'ls' })).toEqual({ shell: 'ls' });
    expect(opencode.toolClass('webfetch', {})).toBe('unknown');
    expect(opencode.toolClass('task', {})).toBe('unknown');
  });
});

const ours = (type: string, more: object = {}): string =>
  JSON.stringify({ type, sessionID: session, ...more });
const ready = JSON.stringify({ type: 'piton_ready' });
const call = (more: object = {}): string =>
  ours('piton_call', { callID: 'call_1', tool: 'bash', input: { command: 'git push' }, ...more });
const called = ours('piton_called', { callID: 'call_1', output: 'pushed' });
const told = (...lines: readonly string[]) => {
  const parser = opencode.parser({ now: at });
  return lines.flatMap((line) => [...parser.line(line)]);
};
const startsIn = (events: ReturnType<typeof told>) =>
  events.flatMap((one) => (one.type === 'tool-starts' ? [one.areShown] : []));
const started = { type: 'tool-started', id: 'call_1', name: 'bash', input: { command: 'git push' } };
const finished = { type: 'tool-finished', id: 'call_1', isError: false, output: 'pushed' };
const ended = tool({ status: 'completed', input: { command: 'git push' }, output: 'pushed' });

/** What OpenCode installs in each folder of settings. */
function equip(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  const packages = { '': { dependencies: { '@opencode-ai/plugin': '1.18.33' } } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
}

function equippedHome(): string {
  const home = temporaryFolder();
  equip(join(home, '.config', 'opencode'));
  return home;
}

function configIn(HOME: string, given?: string): unknown {
  const environment = { HOME, ...(given !== undefined && { OPENCODE_CONFIG_CONTENT: given }) };
  const directory = join(HOME, 'project', 'src');
  const { env } = opencode.command(requestOf({ folder: '/spool/a b', directory, environment }));
  const written = env['OPENCODE_CONFIG_CONTENT'];
  return written === undefined ? undefined : JSON.parse(written);
}

describe('OpenCode with our plugin', () => {
  test('tells a session before the model has answered', () => {
    expect(told(ready, ours('piton_session'), start)).toEqual([
      { type: 'tool-starts', areShown: true },
      { type: 'session', id: session },
    ]);
  });

  test('tells a call when it begins and when it has ended, each once', () => {
    const events = told(ready, ours('piton_session'), call(), called, start, ended).slice(2);
    expect(events).toEqual([started, finished]);
  });

  test('tells the end of a call that has failed by itself', () => {
    const events = told(ready, call(), tool({ status: 'error', input: {}, error: denial }));
    expect(events.slice(2)).toEqual([
      started,
      { type: 'tool-finished', id: 'call_1', isError: true, output: denial },
      expect.objectContaining({ type: 'denied', tool: 'bash' }),
    ]);
  });

  test('an answer is what was said after the last call, however late that is told', () => {
    const events = told(ready, call(), text('Pushing.'), called, ended, finish('tool-calls'), finish('stop'));
    expect(events.at(-1)).toEqual({ type: 'result', text: '' });
  });

  test('does not tell calls beforehand any more, once one was made that was not', () => {
    expect(startsIn(told(ready, start, ended))).toEqual([true, false]);
    expect(startsIn(told(ready, ours('piton_session'), ours('piton_call', { tool: 'bash' })))).toEqual([
      true,
      false,
    ]);
    expect(startsIn(told(start, ended)), 'without the plugin there is nothing to take back').toEqual([]);
  });

  test('still does, when a call was refused that never began', () => {
    expect(startsIn(told(ready, start, tool({ status: 'error', input: {}, error: 'no such tool' })))).toEqual(
      [true],
    );
  });

  test('what an agent does that it has started is one call; if that goes on by itself, nothing is known', () => {
    const foreign = JSON.stringify({
      type: 'piton_call',
      sessionID: 'ses_other',
      callID: 'call_2',
      tool: 'bash',
    });
    const inside = told(ready, ours('piton_session'), call({ tool: 'task' }), foreign);
    expect(inside.filter(({ type }) => type === 'tool-started')).toHaveLength(1);
    expect(startsIn(inside)).toEqual([true]);
    expect(startsIn(told(ready, ours('piton_session'), call({ tool: 'task' }), called, foreign))).toEqual([
      true,
      false,
    ]);
  });

  test('has it beside what the person has configured in the environment', () => {
    const plugin = 'file:///spool/a%20b/opencode-plugin.js';
    const home = equippedHome();
    expect(configIn(home)).toEqual({ plugin: [plugin] });
    expect(configIn(home, '')).toEqual({ plugin: [plugin] });
    expect(configIn(home, '{"model":"a/b","plugin":["theirs"]}')).toEqual({
      model: 'a/b',
      plugin: ['theirs', plugin],
    });
    // Comments are allowed there, and not understood here.
    for (const theirs of ['{ /* mine */ "model": "a/b" }', '{"plugin":"theirs"}'])
      expect(configIn(home, theirs)).toBeUndefined();
  });

  test('has it only where OpenCode need not install anything before it loads it', () => {
    expect(configIn(temporaryFolder()), 'a new home').toBeUndefined();
    expect(opencode.command(requestOf()).env, 'another machine').not.toHaveProperty(
      'OPENCODE_CONFIG_CONTENT',
    );
    const halfway = equippedHome();
    rmSync(join(halfway, '.config', 'opencode', 'node_modules'), { recursive: true });
    expect(configIn(halfway), 'interrupted').toBeUndefined();
    const home = equippedHome();
    mkdirSync(join(home, 'project', '.opencode'), { recursive: true });
    expect(configIn(home), 'a folder of the project').toBeUndefined();
    equip(join(home, 'project', '.opencode'));
    expect(configIn(home)).toBeDefined();
  });

  test('keeps its sessions in one file, which its first start prepares', () => {
    const file = (environment: Record<string, string>) => opencode.preparedFile!(environment);
    expect(file({ HOME: '/home/me' })).toBe('/home/me/.local/share/opencode/opencode.db');
    expect(file({ HOME: '/home/me', XDG_DATA_HOME: '/data' })).toBe('/data/opencode/opencode.db');
    expect(file({ XDG_DATA_HOME: '/data', OPENCODE_DB: 'mine.db' })).toBe('/data/opencode/mine.db');
    expect(file({ XDG_DATA_HOME: '/data', OPENCODE_DB: '/else/mine.db' })).toBe('/else/mine.db');
    expect(file({ OPENCODE_DB: ':memory:' })).toBeUndefined();
  });
});

/** As OpenCode does: it loads the file, and waits for each hook. */
const host = `
  const { Piton, ...others } = await import(process.argv[1]);
  if (Object.keys(others).length > 0) throw new Error('it exports more than the plugin');
  const hooks = await Piton({});
  const of = { sessionID: 'ses_1', callID: 'call_1', tool: 'bash' };
  await hooks['chat.params']({ sessionID: 'ses_1' }, {});
  await hooks['chat.params']({ sessionID: 'ses_1' }, {});
  await hooks['tool.execute.before'](of, { args: { command: 'make' } });
  try { (await import('node:fs')).writeSync(1, 'MADE\\n'); } catch {}
  await hooks['tool.execute.after']({ ...of, args: {} }, { title: '', output: 'made', metadata: {} });
`;

function hosted(stdout: 'pipe' | number): { readonly status: number | null; readonly stdout: string } {
  const { files } = opencode.command(requestOf());
  const file = join(temporaryFolder(), 'plugin.mjs');
  writeFileSync(file, files['opencode-plugin.js']!);
  return spawnSync(process.execPath, ['--input-type=module', '--eval', host, pathToFileURL(file).href], {
    encoding: 'utf8',
    stdio: ['ignore', stdout, 'pipe'],
  });
}

describe('the plugin', () => {
  test('tells what begins before it begins', () => {
    const { stdout, status } = hosted('pipe');
    expect(status).toBe(0);
    const lines = stdout.trim().split('\n');
    const types = lines.map((line) => (line === 'MADE' ? line : (JSON.parse(line) as { type: string }).type));
    expect(types).toEqual(['piton_ready', 'piton_session', 'piton_call', 'MADE', 'piton_called']);
    const events = told(...lines.filter((line) => line !== 'MADE'));
    expect(events.slice(1)).toEqual([
      { type: 'session', id: 'ses_1' },
      { type: 'tool-started', id: 'call_1', name: 'bash', input: { command: 'make' } },
      { type: 'tool-finished', id: 'call_1', isError: false, output: 'made' },
    ]);
  });

  test.runIf(existsSync('/dev/full'))('stops what it cannot tell of', () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    expect(hosted(full).status).not.toBe(0);
  });
});
