import { describe, expect, test } from 'vitest';
import { agentNamed, type AgentRequest } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, startedAt, type RecordedStream } from '../contracts/agent.ts';

const claude = agentNamed('claude');

/** What the hook says in a recording of the real CLI: a change of it must be a change of both. */
const askedText = 'A person has to allow this call first. (Piton asks for it.)';

const init = (id = 'd7959b1d-0000-4000-8000-000000000001'): string =>
  JSON.stringify({
    type: 'system',
    subtype: 'init',
    cwd: '/project',
    session_id: id,
    tools: ['Task', 'Bash', 'Read', 'Write'],
    model: 'claude-opus-5-5',
    permissionMode: 'acceptEdits',
    claude_code_version: '2.1.325',
  });
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 2,
};
const assistant = (content: readonly object[], more: object = {}): string =>
  JSON.stringify({
    type: 'assistant',
    message: { id: 'msg_1', content, usage },
    parent_tool_use_id: null,
    ...more,
  });
const said = (text: string, more: object = {}): string => assistant([{ type: 'text', text }], more);
const called = (id: string, name: string, input: object): string =>
  assistant([{ type: 'tool_use', id, name, input }]);
const returned = (id: string, content: unknown, isError = false): string =>
  JSON.stringify({
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: id, type: 'tool_result', content, is_error: isError }],
    },
    parent_tool_use_id: null,
    timestamp: '2026-11-15T08:22:43.009Z',
  });
const denial = (id: string, tool: string, message: string): string =>
  JSON.stringify({ type: 'system', subtype: 'permission_denied', tool_name: tool, tool_use_id: id, message });
/** As 2.1.325 writes it: the type is not the first key. */
const result = (more: object = {}): string =>
  JSON.stringify({
    duration_api_ms: 46,
    stop_reason: 'end_turn',
    total_cost_usd: 0.00042,
    usage,
    modelUsage: {
      'claude-opus-5-5': {
        inputTokens: 20,
        outputTokens: 15,
        cacheReadInputTokens: 4,
        cacheCreationInputTokens: 6,
      },
    },
    permission_denials: [],
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    result: 'done',
    ...more,
  });
const failedExit = { code: 1, timedOut: false };

const streams: readonly RecordedStream[] = [
  { title: 'it answers', lines: [init(), said('hello'), result({ result: 'hello' })], outcome: 'result' },
  {
    title: 'it uses tools',
    lines: [
      init(),
      assistant([
        { type: 'thinking', thinking: 'hm' },
        { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'echo 1' } },
      ]),
      JSON.stringify({ type: 'system', subtype: 'task_started', task_id: 'b1', tool_use_id: 't1' }),
      returned('t1', '1'),
      called('t2', 'Write', { file_path: 'a.txt', content: 'hello' }),
      returned('t2', [{ type: 'text', text: 'File created' }]),
      said('done'),
      result(),
    ],
    outcome: 'result',
  },
  {
    title: 'the service is overloaded and then is not',
    lines: [
      init(),
      JSON.stringify({
        type: 'system',
        subtype: 'api_retry',
        attempt: 1,
        error_status: 529,
        error: 'overloaded',
      }),
      said('hello'),
      result(),
    ],
    outcome: 'result',
  },
  {
    title: 'the API answers 429 and the CLI calls that a success',
    lines: [
      init(),
      said('API Error: Request rejected (429) · rate limited', { error: 'rate_limit' }),
      result({
        is_error: true,
        api_error_status: 429,
        terminal_reason: 'api_error',
        result: 'API Error: Request rejected (429) · rate limited',
        modelUsage: {},
      }),
    ],
    exit: failedExit,
    outcome: 'limit',
  },
  {
    title: 'nobody is logged in',
    lines: [
      init(),
      JSON.stringify({ type: 'system', subtype: 'api_retry', attempt: 1, error_status: 401 }),
      said('Failed to authenticate. API Error: 401 invalid x-api-key', { error: 'authentication_failed' }),
      result({
        is_error: true,
        api_error_status: 401,
        result: 'Failed to authenticate. API Error: 401',
        modelUsage: {},
      }),
    ],
    exit: failedExit,
    outcome: 'auth',
  },
  {
    title: 'what was left in the background ends, and it goes on by itself',
    lines: [
      init(),
      said('begun'),
      result({ result: 'begun' }),
      init(),
      said('all'),
      result({ result: 'all' }),
    ],
    outcome: 'result',
  },
  {
    title: 'it goes on by itself and fails',
    lines: [
      init(),
      said('begun'),
      result({ result: 'begun' }),
      init(),
      result({ is_error: true, api_error_status: 429, result: 'API Error: 429 rate limited' }),
    ],
    exit: failedExit,
    outcome: 'limit',
  },
  {
    title: 'it goes on by itself and ends there',
    lines: [init(), said('begun'), result({ result: 'begun' }), init(), called('t1', 'Read', {})],
    exit: failedExit,
    outcome: 'error',
  },
  {
    title: 'a call in the background has to be allowed, and the rest is called a success',
    lines: [
      init(),
      denial('t1', 'Bash', askedText),
      init(),
      said('begun'),
      result({ permission_denials: [{ tool_name: 'Bash', tool_use_id: 't1', tool_input: {} }] }),
      result({ result: 'begun' }),
    ],
    outcome: 'asked',
  },
  {
    title: 'the only thing it does fails, and it says nothing',
    lines: [init(), called('t1', 'Bash', {}), returned('t1', 'no such file', true), result({ result: '' })],
    outcome: 'error',
  },
  {
    title: 'a tool is denied and the CLI calls the rest a success',
    lines: [
      init(),
      called('t1', 'Bash', { command: 'node -e 1' }),
      denial('t1', 'Bash', 'This command requires approval'),
      returned('t1', 'This command requires approval', true),
      said('I could not.'),
      result({ permission_denials: [{ tool_name: 'Bash', tool_use_id: 't1', tool_input: {} }] }),
    ],
    outcome: 'denied',
  },
  {
    title: 'it stands before a call that a person has to allow',
    lines: [
      init(),
      called('t1', 'Write', { file_path: 'notes.txt', content: 'one' }),
      denial('t1', 'Write', askedText),
      returned('t1', "The user doesn't want to proceed with this tool use.", true),
      result({
        subtype: 'error_during_execution',
        is_error: true,
        result: undefined,
        terminal_reason: 'aborted_tools',
        errors: ['[ede_diagnostic] result_type=user'],
        permission_denials: [
          {
            tool_name: 'Write',
            tool_use_id: 't1',
            tool_input: { file_path: '/project/notes.txt', content: 'one' },
          },
        ],
      }),
    ],
    exit: failedExit,
    outcome: 'asked',
  },
  {
    title: 'a sub-agent stands before such a call, and the rest is called a success',
    lines: [
      init(),
      assistant([{ type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'make' } }], {
        parent_tool_use_id: 't1',
      }),
      denial('t2', 'Bash', askedText),
      result({
        permission_denials: [{ tool_name: 'Bash', tool_use_id: 't2', tool_input: { command: 'make' } }],
      }),
      result(),
    ],
    outcome: 'asked',
  },
  {
    title: 'it does not know an option',
    lines: [],
    exit: failedExit,
    stderr: "error: unknown option '--max-budget-usd'\n",
    outcome: 'unsupported',
  },
  {
    title: 'the turns are used up',
    lines: [
      init(),
      result({ subtype: 'error_max_turns', is_error: true, errors: ['Reached maximum number of turns (1)'] }),
    ],
    exit: failedExit,
    outcome: 'max-turns',
  },
  {
    title: 'the money is used up',
    lines: [init(), result({ subtype: 'error_max_budget_usd', is_error: true, result: undefined })],
    exit: failedExit,
    outcome: 'budget',
  },
  {
    title: 'the session is unknown',
    lines: [
      result({
        subtype: 'error_during_execution',
        is_error: true,
        result: undefined,
        errors: ['No conversation found with session ID: x'],
        modelUsage: {},
      }),
    ],
    exit: failedExit,
    stderr: 'No conversation found with session ID: x\n',
    outcome: 'session-missing',
  },
  {
    title: 'the id of the session is taken',
    lines: [],
    exit: failedExit,
    stderr: 'Error: Session ID d7959b1d-0000-4000-8000-000000000001 is already in use.\n',
    outcome: 'session-in-use',
  },
  {
    title: 'the model refuses',
    lines: [init(), result({ stop_reason: 'refusal', result: '' })],
    outcome: 'refused',
  },
  {
    title: 'the answer is cut off',
    lines: [init(), said('and th'), result({ stop_reason: 'max_tokens', result: 'and th' })],
    outcome: 'truncated',
  },
  {
    title: 'the output never matches the schema',
    lines: [
      init(),
      result({ subtype: 'error_max_structured_output_retries', is_error: true, result: undefined }),
    ],
    exit: failedExit,
    outcome: 'error',
  },
  { title: 'it ends without a result', lines: [init(), said('hello')], outcome: 'error' },
  {
    title: 'it ends well with nothing said and nothing done',
    lines: [init(), result({ result: '' })],
    outcome: 'error',
  },
  {
    title: 'there is no network',
    lines: [init(), result({ is_error: true, result: 'API Error: Unable to connect to API (ECONNREFUSED)' })],
    exit: failedExit,
    outcome: 'network',
  },
];

agentContract(claude, {
  streams,
  listedPermissions: ['Edit', 'Bash(git status)'],
  fork: ({ of, id }) => `--resume\n${of}\n--fork-session\n--session-id\n${id}`,
});

const streamNamed = (title: string): RecordedStream => streams.find((stream) => stream.title === title)!;

describe('of Claude Code', () => {
  test('the last word counts where it goes on by itself', () => {
    const events = parseStream(
      claude,
      streamNamed('what was left in the background ends, and it goes on by itself'),
    );
    expect(events.filter(({ type }) => type === 'result')).toEqual([{ type: 'result', text: 'all' }]);
  });

  test('everything that is said and done becomes events', () => {
    expect(parseStream(claude, streamNamed('it uses tools'))).toEqual([
      {
        type: 'session',
        id: 'd7959b1d-0000-4000-8000-000000000001',
        model: 'claude-opus-5-5',
        version: '2.1.325',
      },
      { type: 'reasoning', text: 'hm' },
      { type: 'tool-started', id: 't1', name: 'Bash', input: { command: 'echo 1' } },
      { type: 'usage', input: 15, output: 5, cachedInput: 2, isCumulative: false, isSoFar: true },
      { type: 'tool-finished', id: 't1', isError: false, output: '1' },
      { type: 'tool-started', id: 't2', name: 'Write', input: { file_path: 'a.txt', content: 'hello' } },
      { type: 'tool-finished', id: 't2', isError: false, output: 'File created' },
      { type: 'message', role: 'assistant', text: 'done' },
      { type: 'usage', input: 30, output: 15, cachedInput: 4, costUsd: 0.00042, isCumulative: true },
      { type: 'result', text: 'done' },
    ]);
  });

  test('structured output is handed on', () => {
    const lines = [init(), result({ result: '{"ok":true}', structured_output: { ok: true } })];
    expect(parseStream(claude, { lines })).toContainEqual({
      type: 'result',
      text: '{"ok":true}',
      structured: { ok: true },
    });
  });

  test('what is new counts where it is told, not the whole of a session that may have been a copy, or interrupted', () => {
    const model = { inputTokens: 8, outputTokens: 5, cacheReadInputTokens: 2, costUSD: 0.0001 };
    const news = { model_usage_since_last_result: { big: model, small: { ...model, costUSD: 0.0002 } } };
    const events = parseStream(claude, { lines: [init(), said('on'), result(news)] });
    const used = events.filter((event) => event.type === 'usage' && event.isSoFar !== true);
    expect(used).toEqual([
      {
        type: 'usage',
        input: 20,
        output: 10,
        cachedInput: 4,
        costUsd: expect.closeTo(0.0003),
        isCumulative: false,
      },
    ]);
  });

  test('a subscription limit ends when the stream says it does', () => {
    const resetsAt = startedAt / 1_000 + 7_200;
    const lines = [
      init(),
      JSON.stringify({
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' },
      }),
      result({ is_error: true, api_error_status: 429, result: "You've hit your session limit · resets 3am" }),
    ];
    expect(parseStream(claude, { lines, exit: failedExit })).toContainEqual(
      expect.objectContaining({ type: 'limit', until: startedAt + 7_200_000 }),
    );
  });

  test('a limit told in words alone ends at the next such time', () => {
    const text = "You've hit your session limit · resets 10:50am (UTC)";
    const lines = [init(), result({ is_error: true, api_error_status: 429, result: text })];
    expect(parseStream(claude, { lines, exit: failedExit })).toContainEqual({
      type: 'limit',
      until: Date.parse('2026-11-15T10:50:00Z'),
      text,
    });
  });

  test('a limit that was paid for otherwise does not end the turn', () => {
    const info = { status: 'rejected', resetsAt: startedAt / 1_000, rateLimitType: 'five_hour' };
    const lines = [
      init(),
      JSON.stringify({ type: 'rate_limit_event', rate_limit_info: info }),
      said('on'),
      result(),
    ];
    const events = parseStream(claude, { lines });
    expect(events.map(({ type }) => type)).toContain('result');
    expect(events.map(({ type }) => type)).not.toContain('limit');
  });

  test('a denial is told once, though the CLI tells it twice', () => {
    const events = parseStream(claude, streamNamed('a tool is denied and the CLI calls the rest a success'));
    expect(events.filter(({ type }) => type === 'denied')).toEqual([
      { type: 'denied', tool: 'Bash', reason: 'This command requires approval' },
    ]);
  });

  test('what is asked is the call as the CLI would make it, and no denial', () => {
    const events = parseStream(claude, streamNamed('it stands before a call that a person has to allow'));
    expect(events.filter(({ type }) => type === 'denied')).toEqual([]);
    expect(events.slice(-2)).toEqual([
      {
        type: 'asked',
        tool: 'Write',
        input: { file_path: '/project/notes.txt', content: 'one' },
        reason: 'its permissions do not allow it',
      },
      { type: 'failure', kind: 'asked', message: expect.stringContaining('/project/notes.txt') },
    ]);
  });

  test('an option it does not know is named', () => {
    expect(parseStream(claude, streamNamed('it does not know an option')).at(-1)).toMatchObject({
      message: expect.stringMatching(/command line: .*--max-budget-usd/),
    });
  });

  test('what a tool prints about options says nothing of the CLI itself', () => {
    const stderr = "error: unknown option '--strange'\n";
    const events = parseStream(claude, { lines: [init(), said('hello')], stderr, exit: failedExit });
    expect(events.at(-1)).toMatchObject({ type: 'failure', kind: 'error' });
  });

  test('what a process that died had used is counted, each message once', () => {
    const lines = [init(), said('one'), said('and another block of the same message')];
    const events = parseStream(claude, { lines, exit: { code: 137, timedOut: false } });
    expect(events.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', input: 15, output: 5, cachedInput: 2, isCumulative: false, isSoFar: true },
    ]);
  });

  test('what is used is told on the way, message by message, and from the beginning again after a result', () => {
    const other = (id: string): string =>
      said(id).replace('"msg_1"', JSON.stringify(id)).replace('"output_tokens":5', '"output_tokens":7');
    const lines = [init(), said('one'), other('msg_2'), result(), other('msg_3')];
    const used = parseStream(claude, { lines }).filter((event) => event.type === 'usage');
    expect(used.map(({ input, output, isSoFar }) => [input, output, isSoFar ?? false])).toEqual([
      [15, 5, true],
      [30, 12, true],
      [30, 15, false],
      [15, 7, true],
    ]);
  });

  test('what a sub-agent says is not a message of the session', () => {
    const lines = [init(), said('inner', { parent_tool_use_id: 't1' }), result()];
    expect(parseStream(claude, { lines })).toContainEqual({ type: 'reasoning', text: 'inner' });
  });

  test('a tool call nested too deeply to be stored is not understood', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const line = called('t1', 'Odd', {}).replace('"input":{}', `"input":${deep}`);
    expect(JSON.stringify(claude.parser({ now: 0 }).line(line))).toContain('"unknown"');
  });

  test('a session that exists is resumed and never named anew', () => {
    const { argv } = claude.command(requestOf({ session: { type: 'continue', id: 'abc' } }));
    expect(argv).toContain('--resume');
    expect(argv).not.toContain('--session-id');
  });

  test('under `edit` the parts of the checks may be run, and nothing else', () => {
    const check = `npm ci && node -e 'f(1); g()' | tee log\nnpm test # all`;
    const { argv } = claude.command(requestOf({ permissions: 'edit', allowedCommands: [check] }));
    expect(argv.slice(argv.indexOf('--allowedTools') + 1, argv.indexOf('--settings'))).toEqual([
      'Bash(npm ci)',
      String.raw`Bash(node -e 'f\(1\); g\(\)')`,
      'Bash(tee log)',
      'Bash(npm test # all)',
    ]);
    expect(claude.command(requestOf({ permissions: 'edit' })).argv).not.toContain('--allowedTools');
  });

  test('a part of a check that would stand for more as a rule becomes none', () => {
    const { argv } = claude.command(requestOf({ permissions: 'edit', allowedCommands: ['npm ci; sh *.sh'] }));
    expect(argv.slice(argv.indexOf('--allowedTools') + 1, argv.indexOf('--settings'))).toEqual([
      'Bash(npm ci)',
    ]);
  });

  test('under `edit` no settings of other agents and of Piton may be written', () => {
    const denied = (more: Partial<AgentRequest>): readonly string[] | undefined => {
      const { argv } = claude.command(requestOf(more));
      const settings = JSON.parse(argv[argv.indexOf('--settings') + 1]!) as {
        readonly permissions?: { readonly deny: readonly string[] };
      };
      return settings.permissions?.deny;
    };
    expect(denied({ permissions: 'edit' })).toEqual(
      expect.arrayContaining(['Edit(**/.piton/**)', 'Edit(**/.codex/**)', 'Edit(**/opencode.json)']),
    );
    // About these it asks by itself.
    expect(denied({ permissions: 'edit' })).not.toContain('Edit(**/.claude/**)');
    // Above where it works, the name is nothing to deny: else it could write nothing at all.
    const inside = denied({ permissions: 'edit', directory: '/here/.piton/work' });
    expect(inside).not.toContain('Edit(**/.piton/**)');
    expect(inside).toContain('Edit(//here/.piton/work/**/.piton/**)');
    expect(inside).toContain('Edit(**/.github/workflows/**)');
    const named = denied({ permissions: 'edit', writes: ['.github/workflows/ci.yaml', '**'] });
    expect(named).not.toContain('Edit(**/.github/workflows/**)');
    expect(named).toContain('Edit(**/.husky/**)');
    expect(denied({ permissions: 'full' })).toBeUndefined();
  });

  test('`full` does not need what root is refused', () => {
    expect(claude.command(requestOf({ permissions: 'full' })).argv.join(' ')).not.toMatch(
      /bypass|skip-permissions/,
    );
  });

  test('its tools have classes', () => {
    expect(claude.toolClass('Read', {})).toBe('reading');
    expect(claude.toolClass('NotebookEdit', {})).toBe('editing');
    expect(claude.toolClass('Bash', { command: 'npm publish' })).toEqual({ shell: 'npm publish' });
    expect(claude.toolClass('WebFetch', {})).toBe('unknown');
    expect(claude.toolClass('Task', {})).toBe('unknown');
  });

  test('its version is found', () => {
    expect(claude.parseVersion('2.1.325 (Claude Code)\n')).toBe('2.1.325');
    expect(claude.parseVersion('no idea')).toBeUndefined();
  });
});
