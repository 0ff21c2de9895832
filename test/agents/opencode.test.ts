import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, type RecordedStream } from '../contracts/agent.ts';

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
  });

  test('its tools have classes', () => {
    expect(opencode.toolClass('read', {})).toBe('reading');
    expect(opencode.toolClass('write', {})).toBe('editing');
    expect(opencode.toolClass('bash', { command: 'ls' })).toEqual({ shell: 'ls' });
    expect(opencode.toolClass('webfetch', {})).toBe('unknown');
    expect(opencode.toolClass('task', {})).toBe('unknown');
  });
});
