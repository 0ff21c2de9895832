import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, type RecordedStream } from '../contracts/agent.ts';

const codex = agentNamed('codex');

const thread = '{"type":"thread.started","thread_id":"01a1dd09-0000-7000-8000-000000000001"}';
const item = (phase: 'started' | 'completed', content: object): string =>
  JSON.stringify({ type: `item.${phase}`, item: content });
const message = (text: string): string => item('completed', { id: 'item_9', type: 'agent_message', text });
const command = (status: string, more: object = {}): object => ({
  id: 'item_1',
  type: 'command_execution',
  command: `/bin/bash -lc 'echo hi'`,
  aggregated_output: '',
  exit_code: null,
  status,
  ...more,
});
const completed = JSON.stringify({
  type: 'turn.completed',
  usage: { input_tokens: 20, cached_input_tokens: 8, output_tokens: 10, reasoning_output_tokens: 4 },
});
const failed = (text: string): readonly string[] => [
  JSON.stringify({ type: 'error', message: text }),
  JSON.stringify({ type: 'turn.failed', error: { message: text } }),
];
const start = [thread, '{"type":"turn.started"}'];
const failedExit = { code: 1, timedOut: false };
const limitText =
  'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again at 9:24 AM.';

const streams: readonly RecordedStream[] = [
  { title: 'it answers', lines: [...start, message('hello'), completed], outcome: 'result' },
  {
    title: 'it uses tools',
    lines: [
      ...start,
      item('completed', { id: 'item_0', type: 'reasoning', text: 'hm' }),
      item('started', command('in_progress')),
      item('completed', command('completed', { aggregated_output: 'hi\n', exit_code: 0 })),
      item('completed', {
        id: 'item_2',
        type: 'file_change',
        changes: [{ path: '/project/a', kind: 'add' }],
        status: 'completed',
      }),
      message('done'),
      completed,
    ],
    outcome: 'result',
  },
  {
    title: 'it reconnects',
    lines: [
      ...start,
      JSON.stringify({ type: 'error', message: 'Reconnecting... 1/5' }),
      message('hello'),
      completed,
    ],
    outcome: 'result',
  },
  {
    title: 'the usage limit is hit',
    lines: [...start, ...failed(limitText)],
    exit: failedExit,
    outcome: 'limit',
  },
  {
    title: 'it does not know an option',
    lines: [],
    exit: { code: 2, timedOut: false },
    stderr: "error: unexpected argument '--output-schema' found\n\nUsage: codex exec [OPTIONS] [PROMPT]\n",
    outcome: 'unsupported',
  },
  {
    title: 'it does not know a subcommand',
    lines: [],
    exit: { code: 2, timedOut: false },
    stderr: "error: unrecognized subcommand 'fork'\n\nUsage: codex exec [OPTIONS] [PROMPT]\n",
    outcome: 'unsupported',
  },
  {
    title: 'nobody is logged in',
    lines: [
      ...start,
      ...failed('unexpected status 401 Unauthorized: Missing bearer, url: http://127.0.0.1/v1/responses'),
    ],
    exit: failedExit,
    outcome: 'auth',
  },
  {
    title: 'the answer is cut off',
    lines: [
      ...start,
      message('and th'),
      ...failed('Incomplete response returned, reason: max_output_tokens'),
    ],
    exit: failedExit,
    outcome: 'truncated',
  },
  {
    title: 'the connection breaks',
    lines: [...start, ...failed('stream disconnected before completion: error sending request')],
    exit: failedExit,
    outcome: 'network',
  },
  {
    title: 'the session is unknown',
    lines: [],
    exit: failedExit,
    stderr:
      'Error: thread/resume: thread/resume failed: no rollout found for thread id 01a1de4e-0000-7000-8000-000000000001 (code -32600)\n',
    outcome: 'session-missing',
  },
  {
    title: 'a command is declined and the turn goes on',
    lines: [...start, item('completed', command('declined')), message('I could not.'), completed],
    outcome: 'denied',
  },
  {
    title: 'the sandbox refuses a patch and says so on standard error alone',
    lines: [...start, message('I tried.'), completed],
    stderr:
      '2026-11-15T08:41:09.512815Z ERROR codex_core::tools::router: error=patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings\n',
    outcome: 'denied',
  },
  {
    title: 'it dies after an error',
    lines: [
      ...start,
      JSON.stringify({ type: 'error', message: 'unexpected status 503 Service Unavailable' }),
    ],
    exit: failedExit,
    outcome: 'network',
  },
  { title: 'it ends without a result', lines: [...start, message('hello')], outcome: 'error' },
  {
    title: 'it ends well with nothing said and nothing done',
    lines: [...start, completed],
    outcome: 'error',
  },
];

agentContract(codex, {
  streams,
  listedPermissions: ['workspace-write', 'network'],
  fork: ({ of }) => `\nfork\n${of}`,
});

describe('of Codex', () => {
  test('everything that is said and done becomes events', () => {
    expect(parseStream(codex, streams[1]!)).toEqual([
      { type: 'session', id: '01a1dd09-0000-7000-8000-000000000001' },
      { type: 'reasoning', text: 'hm' },
      {
        type: 'tool-started',
        id: 'item_1',
        name: 'command_execution',
        input: { command: `/bin/bash -lc 'echo hi'` },
      },
      { type: 'tool-finished', id: 'item_1', isError: false, output: 'hi\n' },
      {
        type: 'tool-started',
        id: 'item_2',
        name: 'file_change',
        input: { changes: [{ path: '/project/a', kind: 'add' }] },
      },
      { type: 'tool-finished', id: 'item_2', isError: false, output: 'completed' },
      { type: 'message', role: 'assistant', text: 'done' },
      { type: 'usage', input: 20, output: 10, cachedInput: 8, reasoning: 4, isCumulative: true },
      { type: 'result', text: 'done' },
    ]);
  });

  test('a turn that was completed counts, also if the process was killed then', () => {
    const events = parseStream(codex, {
      lines: [...start, message('done'), completed],
      exit: { code: 137, timedOut: false },
    });
    expect(events.at(-1)).toEqual({ type: 'result', text: 'done' });
  });

  test('a limit told as a clock time ends at the next such time', () => {
    const stream = streams.find(({ outcome }) => outcome === 'limit')!;
    const limits = parseStream(codex, stream).filter(({ type }) => type === 'limit');
    expect(limits).toEqual([{ type: 'limit', until: Date.parse('2026-11-15T09:24:00Z'), text: limitText }]);
  });

  test('a command that fails is an error of the tool, not of the agent', () => {
    const lines = [
      ...start,
      item('completed', command('failed', { exit_code: 2 })),
      message('it fails'),
      completed,
    ];
    const events = parseStream(codex, { lines });
    expect(events).toContainEqual({ type: 'tool-finished', id: 'item_1', isError: true, output: '' });
    expect(events.at(-1)).toEqual({ type: 'result', text: 'it fails' });
  });

  test('the options come before the name of the subcommand, and the prompt is read from standard input', () => {
    const session = { type: 'continue', id: 'abc' } as const;
    const { argv } = codex.command(requestOf({ session, permissions: 'edit', args: ['--oss'] }));
    expect(argv.slice(-3)).toEqual(['resume', 'abc', '-']);
    expect(argv.indexOf('--sandbox')).toBeLessThan(argv.indexOf('resume'));
    expect(argv.indexOf('--oss')).toBeLessThan(argv.indexOf('resume'));
    const fork = codex.command(requestOf({ session: { type: 'fork', of: 'abc' } })).argv;
    expect(fork.slice(-3)).toEqual(['fork', 'abc', '-']);
  });

  test('a schema is closed where it does not say whether it is', () => {
    const outputSchema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { a: { const: { type: 'object' } } } } },
      },
    };
    const { files } = codex.command(requestOf({ outputSchema }));
    expect(JSON.parse(Object.values(files)[0]!)).toEqual({
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { a: { const: { type: 'object' } } },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    });
  });

  test('a list of tools is refused, since it knows none', () => {
    for (const permissions of [['Bash'], [], ['read-only', 'workspace-write']]) {
      expect(() => codex.command(requestOf({ permissions }))).toThrowError(
        expect.objectContaining({ code: 'PERMISSIONS_UNSUPPORTED' }),
      );
    }
  });

  test('its tools have classes, and the shell around a command is taken off', () => {
    const shell = (command: string): unknown => codex.toolClass('command_execution', { command });
    expect(shell(`/bin/bash -lc 'git push'`)).toEqual({ shell: 'git push' });
    expect(shell(String.raw`bash -c 'echo '\''a'\'''`)).toEqual({ shell: `echo 'a'` });
    expect(shell(String.raw`/bin/zsh -lc "echo \"a\""`)).toEqual({ shell: 'echo "a"' });
    expect(shell('git status')).toEqual({ shell: 'git status' });
    expect(codex.toolClass('file_change', {})).toBe('editing');
    expect(codex.toolClass('web_search', {})).toBe('reading');
    expect(codex.toolClass('mcp:server/deploy', {})).toBe('unknown');
  });
});
