import { describe, expect, test } from 'vitest';
import type { Permissions } from '../../src/agents/index.ts';
import { accountOf, boundaryOf } from '../../src/engine/agent-account.ts';

const judging = {
  showsToolStart: true,
  toolClass: (name: string) => (name === 'Read' ? 'reading' : 'unknown') as 'reading' | 'unknown',
  permissions: 'full' as Permissions,
  isHarmless: () => false,
};
const nothing = accountOf([{ type: 'message', role: 'assistant', text: 'hm' }]);

describe('where an agent was interrupted', () => {
  test('is between two calls, if it tells of each when it begins', () => {
    expect(boundaryOf(nothing, judging)).toEqual({ boundary: 'between two tool calls', mayRepeat: true });
  });

  test.for([
    ['read', true],
    ['edit', true],
    ['full', false],
    [['bash'], false],
  ] as const)(
    'is not known, if it tells of calls only at their end: under %s it may go on: %s',
    ([given, may]) => {
      const boundary = boundaryOf(nothing, { ...judging, showsToolStart: false, permissions: given });
      expect(boundary).toEqual({ boundary: 'where it does not tell what it was doing', mayRepeat: may });
    },
  );

  test('is the call that may have taken effect, if several were in flight', () => {
    const account = accountOf([
      { type: 'tool-started', id: '1', name: 'Read', input: { file_path: 'a' } },
      { type: 'tool-started', id: '2', name: 'mcp__mail__send', input: {} },
      { type: 'tool-started', id: '3', name: 'Read', input: { file_path: 'b' } },
      { type: 'tool-finished', id: '3', isError: false, output: '' },
    ]);
    expect(boundaryOf(account, judging)).toEqual({ boundary: "in tool 'mcp__mail__send'", mayRepeat: false });
  });
});
