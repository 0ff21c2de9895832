import { describe, expect, test } from 'vitest';
import { agentNamed, type AgentRequest } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, type RecordedStream } from '../contracts/agent.ts';

const gemini = agentNamed('gemini');

const at = (type: string, more: object): string =>
  JSON.stringify({ type, timestamp: '2026-11-15T08:20:00.000Z', ...more });
const start = [
  at('init', { session_id: '34fa6b68-0000-4000-8000-000000000001', model: 'gemini-2.5-flash' }),
  at('message', { role: 'user', content: 'the prompt' }),
];
const piece = (content: string): string => at('message', { role: 'assistant', content, delta: true });
const called = (id: string, name: string, parameters: object): string =>
  at('tool_use', { tool_name: name, tool_id: id, parameters });
const returned = (id: string, more: object): string =>
  at('tool_result', { tool_id: id, status: 'success', ...more });
const stats = {
  total_tokens: 30,
  input_tokens: 20,
  output_tokens: 10,
  cached: 5,
  input: 20,
  tool_calls: 1,
  models: {},
};
const success = at('result', { status: 'success', stats });
const failure = (message: string, type = 'unknown'): string =>
  at('result', { status: 'error', error: { type, message }, stats });
const failedTool = (type: string, message: string): object => ({ status: 'error', error: { type, message } });

const quota =
  '[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later. Request a quota increase through AI Studio, or switch to another /auth method';

const streams: readonly RecordedStream[] = [
  { title: 'it answers', lines: [...start, piece('hel'), piece('lo'), success], outcome: 'result' },
  {
    title: 'it uses tools',
    lines: [
      ...start,
      piece('I look.'),
      called('c1', 'run_shell_command', { command: 'echo 1' }),
      returned('c1', { output: '1' }),
      piece('do'),
      piece('ne'),
      success,
    ],
    outcome: 'result',
  },
  {
    title: 'the policy denies a tool and the CLI calls the rest a success',
    lines: [
      ...start,
      called('c1', 'run_shell_command', { command: 'make' }),
      returned('c1', failedTool('policy_violation', 'Tool execution denied by policy.')),
      piece('I could not.'),
      success,
    ],
    outcome: 'denied',
  },
  {
    title: 'a tool that was not offered is called all the same',
    lines: [
      ...start,
      called('c1', 'run_shell_command', { command: 'make' }),
      returned('c1', failedTool('tool_not_registered', 'Tool "run_shell_command" not found.')),
      piece('I could not.'),
      success,
    ],
    outcome: 'denied',
  },
  {
    title: 'a tool that nobody has is called',
    lines: [
      ...start,
      called('c1', 'fly', {}),
      returned('c1', failedTool('tool_not_registered', 'Tool "fly" not found.')),
      piece('I walk.'),
      success,
    ],
    outcome: 'result',
  },
  {
    title: 'the quota is exhausted',
    lines: [...start, failure(quota)],
    exit: { code: 173, timedOut: false },
    stderr: `TerminalQuotaError: …\n  cause: {\n    code: 429,\n    message: 'You exceeded your current quota. Please retry in 3600s.',`,
    outcome: 'limit',
  },
  {
    title: 'it does not know an option',
    lines: [],
    exit: { code: 1, timedOut: false },
    stderr: `Unknown arguments: policy\n${'  -m, --model  Model [string]\n'.repeat(200)}`,
    outcome: 'unsupported',
  },
  {
    title: 'it does not know a mode',
    lines: [],
    exit: { code: 1, timedOut: false },
    stderr: `Invalid values:\n  Argument: approval-mode, Given: "plan", Choices: "default"\nUsage: gemini [options]\n`,
    outcome: 'unsupported',
  },
  {
    title: 'nobody is logged in',
    lines: [
      ...start,
      failure('[API Error: {"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}]'),
    ],
    exit: { code: 145, timedOut: false },
    outcome: 'auth',
  },
  {
    title: 'it ends by the code for a missing login',
    lines: [],
    exit: { code: 41, timedOut: false },
    outcome: 'auth',
  },
  {
    title: 'the auth method is wrong',
    lines: [],
    exit: { code: 1, timedOut: false },
    stderr: 'Invalid auth method selected.',
    outcome: 'auth',
  },
  {
    title: 'the turns are used up',
    lines: [...start, failure('Reached max session turns for this session.', 'FatalTurnLimitedError')],
    exit: { code: 53, timedOut: false },
    outcome: 'max-turns',
  },
  {
    title: 'an error is followed by what the CLI calls a success',
    lines: [...start, at('error', { severity: 'error', message: 'Maximum session turns exceeded' }), success],
    outcome: 'max-turns',
  },
  {
    title: 'a warning is followed by a success',
    lines: [...start, at('error', { severity: 'warning', message: 'Loop detected' }), piece('ok'), success],
    outcome: 'result',
  },
  {
    title: 'the session is unknown',
    lines: [],
    exit: { code: 42, timedOut: false },
    stderr:
      'Error resuming session: Invalid session identifier "x".\n  Use --list-sessions to see available sessions.',
    outcome: 'session-missing',
  },
  {
    title: 'the id of the session is taken',
    lines: [],
    exit: { code: 42, timedOut: false },
    stderr: 'Error starting session: Session ID "34fa6b68" already exists. Use --resume to resume it.',
    outcome: 'session-in-use',
  },
  { title: 'it ends without a result', lines: [...start, piece('hello')], outcome: 'error' },
  { title: 'it ends well with nothing said and nothing done', lines: [...start, success], outcome: 'error' },
];

agentContract(gemini, { streams, listedPermissions: ['write_file', 'run_shell_command(git)'] });

/** The patterns of its policy, by what they decide. */
function rulesOf(more: Partial<AgentRequest>): Readonly<Record<'allow' | 'deny', RegExp[]>> {
  const policy = gemini.command(requestOf(more)).files['gemini-policy.toml']!;
  const rules = [...policy.matchAll(/^argsPattern = (".*")\ndecision = "(\w+)"$/gm)];
  const of = (decision: string): RegExp[] =>
    rules
      .filter(([, , decided]) => decided === decision)
      .map(([, text]) => new RegExp(JSON.parse(text!) as string));
  return { allow: of('allow'), deny: of('deny') };
}

/** The arguments of a call as the CLI holds them against patterns. */
function asMatched(input: object): string {
  const sorted = Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const pairs = sorted.map(([name, value]) => `\0${JSON.stringify(name)}:${JSON.stringify(value)}\0`);
  return `{${pairs.join(',')}}`;
}

const streamNamed = (title: string): RecordedStream => streams.find((stream) => stream.title === title)!;

describe('of Gemini CLI', () => {
  test('everything that is said and done becomes events, its pieces put together', () => {
    expect(parseStream(gemini, streamNamed('it uses tools'))).toEqual([
      { type: 'session', id: '34fa6b68-0000-4000-8000-000000000001', model: 'gemini-2.5-flash' },
      { type: 'message', role: 'assistant', text: 'I look.' },
      { type: 'tool-started', id: 'c1', name: 'run_shell_command', input: { command: 'echo 1' } },
      { type: 'tool-finished', id: 'c1', isError: false, output: '1' },
      { type: 'message', role: 'assistant', text: 'done' },
      { type: 'usage', input: 20, output: 10, cachedInput: 5, isCumulative: false },
      { type: 'result', text: 'done' },
    ]);
  });

  test('the end of a quota is found on standard error, counted from the time of the event', () => {
    expect(parseStream(gemini, streamNamed('the quota is exhausted'))).toContainEqual(
      expect.objectContaining({ type: 'limit', until: Date.parse('2026-11-15T09:20:00Z') }),
    );
  });

  test('what was being said when it died is not lost', () => {
    const events = parseStream(gemini, streamNamed('it ends without a result'));
    expect(events).toContainEqual({ type: 'message', role: 'assistant', text: 'hello' });
  });

  test('under `edit` exactly the checks are allowed', () => {
    const allowedCommands = ['npm test', 'grep "a.b" (x)'];
    const { argv, files } = gemini.command(requestOf({ permissions: 'edit', allowedCommands }));
    const policy = files['gemini-policy.toml']!;
    expect(argv).toContain('/spool/attempt/gemini-policy.toml');
    const patterns = [...policy.matchAll(/^argsPattern = (".*")$/gm)].map(
      ([, text]) => new RegExp(JSON.parse(text!) as string),
    );
    const call = (command: string): string => JSON.stringify({ command, description: 'x' });
    for (const command of allowedCommands) expect(patterns.some((it) => it.test(call(command)))).toBe(true);
    for (const command of ['npm test && rm -rf x', 'npm', 'grep "aXb" (x)']) {
      expect(patterns.some((it) => it.test(call(command)))).toBe(false);
    }
  });

  test.each([
    ['edit', ['npm test'], 'npm test'],
    [['run_shell_command(npm)'], [], 'npm test'],
  ] as const)('under %j a command inside of another argument is none', (permissions, allowedCommands, it) => {
    const { allow } = rulesOf({ permissions, allowedCommands });
    const isAllowed = (input: object): boolean => allow.some((rule) => rule.test(asMatched(input)));
    expect(isAllowed({ command: it, description: 'x' })).toBe(true);
    expect(isAllowed({ command: 'rm -rf x', extra: { command: it } })).toBe(false);
    expect(isAllowed({ command: 'rm -rf x', description: `"command":"${it}"` })).toBe(false);
  });

  test('under `edit` the parts of a check may be run by themselves, as the CLI asks about each', () => {
    const { allow } = rulesOf({ permissions: 'edit', allowedCommands: ['npm ci && npm test'] });
    for (const command of ['npm ci && npm test', 'npm ci', 'npm test'])
      expect(allow.some((rule) => rule.test(asMatched({ command })))).toBe(true);
  });

  test('under `edit` no file is written that steers agents, git or Piton', () => {
    const { deny } = rulesOf({ permissions: 'edit', directory: '/here/.piton/work' });
    const isDenied = (path: string): boolean =>
      deny.some((rule) => rule.test(asMatched({ content: 'x', file_path: path })));
    for (const path of [
      '.gemini/settings.json',
      '/here/a, b/.git/config',
      'sub/opencode.json',
      '.mcp.json',
      '.github/workflows/ci.yaml',
      '.piton/config.yaml',
      'sub/.piton/config.yaml',
      '/here/.piton/work/.piton/config.yaml',
      '/here/.piton/work/sub/.piton/config.yaml',
    ])
      expect([path, isDenied(path)]).toEqual([path, true]);
    for (const path of [
      '/here/.piton/work/a.txt',
      '.github/CODEOWNERS',
      'my.git/a',
      'opencode.json.md',
      'gemini/a',
    ])
      expect([path, isDenied(path)]).toEqual([path, false]);
    const mentioned = { file_path: 'a.txt', old_string: 'see "/.git/config"' };
    expect(deny.some((rule) => rule.test(asMatched(mentioned)))).toBe(false);
  });

  test('no policy is written where the mode suffices', () => {
    expect(gemini.command(requestOf({ permissions: 'read' })).files).toEqual({});
    expect(gemini.command(requestOf({ permissions: 'full', allowedCommands: ['x'] })).files).toEqual({});
  });

  test('its tools have classes', () => {
    expect(gemini.toolClass('read_file', {})).toBe('reading');
    expect(gemini.toolClass('replace', {})).toBe('editing');
    expect(gemini.toolClass('run_shell_command', { command: 'ls' })).toEqual({ shell: 'ls' });
    expect(gemini.toolClass('web_fetch', {})).toBe('unknown');
  });
});
