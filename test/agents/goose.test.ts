/** Goose was never run with this adapter: its streams here are written after its documentation. */
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, type RecordedStream } from '../contracts/agent.ts';

const goose = agentNamed('goose');

const message = (content: readonly object[], { id = 'm1', role = 'assistant' } = {}): string =>
  JSON.stringify({ type: 'message', message: { id, role, created: 1, content } });
const text = (content: string, id?: string): string =>
  message([{ type: 'text', text: content }], id === undefined ? {} : { id });
const complete = '{"type":"complete","total_tokens":120}';

const streams: readonly RecordedStream[] = [
  { title: 'it answers in pieces', lines: [text('hel'), text('lo'), complete], outcome: 'result' },
  {
    title: 'it uses tools',
    lines: [
      text('I look.'),
      message([
        {
          type: 'toolRequest',
          id: 'r1',
          toolCall: { status: 'success', value: { name: 'developer__shell', arguments: { command: 'ls' } } },
        },
      ]),
      '{"type":"notification","extension_id":"developer","log":{"message":"…"}}',
      message(
        [
          {
            type: 'toolResponse',
            id: 'r1',
            toolResult: { status: 'success', value: [{ type: 'text', text: 'a' }] },
          },
        ],
        { id: 'm2', role: 'user' },
      ),
      text('done', 'm3'),
      complete,
    ],
    outcome: 'result',
  },
  {
    title: 'it does not know an option',
    lines: [],
    exit: { code: 2, timedOut: false },
    stderr: "error: unexpected argument '--output-format' found\n\nUsage: goose run [OPTIONS]\n",
    outcome: 'unsupported',
  },
  {
    title: 'it reports an error',
    lines: [text('hm'), '{"type":"error","error":"Authentication failed: 401 Unauthorized"}'],
    exit: { code: 1, timedOut: false },
    outcome: 'auth',
  },
  {
    title: 'it reports an error and completes',
    lines: ['{"type":"error","error":"Rate limit exceeded"}', complete],
    outcome: 'limit',
  },
  { title: 'it ends without a result', lines: [text('hello')], outcome: 'error' },
];

agentContract(goose, { streams, refusedPermissions: ['edit', ['developer']] });

describe('of Goose', () => {
  test('everything that is said and done becomes events', () => {
    expect(parseStream(goose, streams[1]!)).toEqual([
      { type: 'session', id: '0f4d4a60-0000-4000-8000-000000000001' },
      { type: 'message', role: 'assistant', text: 'I look.' },
      { type: 'tool-started', id: 'r1', name: 'developer__shell', input: { command: 'ls' } },
      { type: 'tool-finished', id: 'r1', isError: false, output: 'a' },
      { type: 'message', role: 'assistant', text: 'done' },
      { type: 'usage', input: 120, output: 0, isCumulative: true },
      { type: 'result', text: 'done' },
    ]);
  });

  test('no version counts as tested', () => {
    expect(goose.tested).toBeUndefined();
  });

  test('it is never put into a mode that asks', () => {
    expect(goose.command(requestOf({ permissions: 'full' })).env).toEqual({ GOOSE_MODE: 'auto' });
    expect(goose.command(requestOf({ permissions: 'read' })).env).toEqual({ GOOSE_MODE: 'chat' });
  });

  test('its tools have classes', () => {
    expect(goose.toolClass('developer__shell', { command: 'ls' })).toEqual({ shell: 'ls' });
    expect(goose.toolClass('developer__text_editor', { command: 'view' })).toBe('reading');
    expect(goose.toolClass('developer__text_editor', { command: 'write' })).toBe('editing');
  });
});
