import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { agentContract, parseStream, requestOf, type RecordedStream } from '../contracts/agent.ts';

const command = agentNamed('command');

const streams: readonly RecordedStream[] = [
  { title: 'it prints something', lines: ['first', '', '{"second":2}'], outcome: 'result' },
  { title: 'it prints nothing', lines: [], outcome: 'error' },
  { title: 'it fails', lines: ['half'], exit: { code: 3, timedOut: false }, stderr: 'no', outcome: 'error' },
  { title: 'it is stopped', lines: ['half'], exit: { code: 143, timedOut: true }, outcome: 'error' },
];

agentContract(command, { streams, refusedPermissions: ['read', 'edit', ['x']], noSessions: 'it has none' });

describe('of any command', () => {
  test('the whole output is the result', () => {
    expect(parseStream(command, streams[0]!).at(-1)).toEqual({
      type: 'result',
      text: 'first\n\n{"second":2}',
    });
  });

  test('why it failed is in the reason', () => {
    expect(parseStream(command, streams[2]!).at(-1)).toEqual({
      type: 'failure',
      kind: 'error',
      message: 'The agent ended with exit code 3 and gave no result: no',
    });
  });

  test('its command line is what was given', () => {
    expect(command.command(requestOf({ args: ['llm', '-m', 'x'] })).argv).toEqual(['llm', '-m', 'x']);
  });
});
