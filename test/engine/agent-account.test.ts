import { describe, expect, test } from 'vitest';
import type { Permissions } from '../../src/agents/index.ts';
import { accountOf, boundaryOf, labelOf } from '../../src/engine/agent-account.ts';
import { redactor } from '../../src/engine/redact.ts';

const judging = {
  showsToolStart: true,
  toolClass: (name: string) => (name === 'Read' ? 'reading' : 'unknown') as 'reading' | 'unknown',
  permissions: 'full' as Permissions,
  program: 'Codex 0.170.0, an untested version',
  isHarmless: () => false,
  redact: String,
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

  test('is known of an attempt that says that it tells of each when it begins, until it says otherwise', () => {
    const hiding = { ...judging, showsToolStart: false };
    const shown = { type: 'tool-starts', areShown: true } as const;
    expect(boundaryOf(accountOf([shown]), hiding)).toMatchObject({ mayRepeat: true });
    const hidden = accountOf([shown, { type: 'tool-starts', areShown: false }]);
    expect(boundaryOf(hidden, hiding)).toMatchObject({ mayRepeat: false });
  });

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

describe('what was not understood', () => {
  const started = (id: string, name = 'Read') => ({ type: 'tool-started', id, name, input: {} }) as const;
  const finished = (id: string) => ({ type: 'tool-finished', id, isError: false, output: '' }) as const;
  const strange = (kind: string) => ({ type: 'unknown', kind, text: `event ${kind}` }) as const;

  test.for([
    ['read', true],
    ['edit', true],
    ['full', false],
    [['bash'], false],
  ] as const)('since the last call may have been a call: under %s it may go on: %s', ([permissions, may]) => {
    const account = accountOf([started('1'), finished('1'), strange('item.begun')]);
    expect(boundaryOf(account, { ...judging, permissions })).toEqual({
      boundary: 'after what Piton does not understand of Codex 0.170.0, an untested version (item.begun)',
      mayRepeat: may,
    });
  });

  test('before a call that has ended is past', () => {
    const account = accountOf([strange('a'), started('1'), strange('b'), finished('1')]);
    expect(boundaryOf(account, judging)).toEqual({ boundary: 'between two tool calls', mayRepeat: true });
  });

  test('is not past while another call goes on, however harmless that is', () => {
    const account = accountOf([started('1'), started('2'), strange('a'), finished('1')]);
    expect(boundaryOf(account, judging)).toMatchObject({ mayRepeat: false });
  });

  test('is also the end of a call that nobody saw begin', () => {
    expect(boundaryOf(accountOf([finished('1')]), judging)).toMatchObject({ mayRepeat: false });
  });

  test('is named, a few of many', () => {
    const many = Array.from({ length: 50 }, (_, index) => strange(`kind-${index % 20}`));
    const { boundary } = boundaryOf(accountOf([...many, { type: 'unknown', text: 'x' }]), judging);
    expect(boundary).toContain('(kind-0, kind-1, kind-2, kind-3, kind-4, 16 more)');
  });

  test('does not hide a call that was in flight beside it', () => {
    const account = accountOf([started('1', 'mcp__mail__send'), strange('a')]);
    expect(boundaryOf(account, judging).boundary).toBe("in tool 'mcp__mail__send'");
  });
});

describe('a call in words', () => {
  const shell = (command: string) => ({ name: 'Bash', input: { command } });

  test('says that it was cut, and shows what a terminal would hide', () => {
    expect(labelOf(shell(`echo ${'a'.repeat(200)}`))).toMatch(/a…$/);
    expect(labelOf(shell('echo hi \u001b] ; rm x'))).toBe(String.raw`Bash: echo hi \u{1b}] ; rm x`);
  });

  test('has no secret in it, nor a part of one where it was cut', () => {
    const redact = redactor(['s3cr3t-abcdefghijkl']);
    const call = shell(`echo ${'a'.repeat(85)} s3cr3t-abcdefghijkl`);
    expect(labelOf(call, redact)).not.toContain('s3c');
    const account = accountOf([{ type: 'tool-started', id: '1', ...call }]);
    expect(boundaryOf(account, { ...judging, redact }).boundary).not.toContain('s3c');
  });
});

describe('a text in which secrets are hidden', () => {
  test.each(['s3cr3t-abc…', 'x s3cr3t-abc… Put it right.', 'a… s3cr3t-abc…'])(
    'has no beginning of one either, where it was shortened: %s',
    (text) => expect(redactor(['s3cr3t-abcdefghijkl'])(text)).not.toContain('s3c'),
  );

  test('keeps what only looks a little like it', () => {
    expect(redactor(['s3cr3t-abcdefghijkl'])('it was s3c…')).toBe('it was s3c…');
    expect(redactor(['s3cr3t-abcdefghijkl'])('s3cr3t-abc is no end…')).toBe('s3cr3t-abc is no end…');
  });
});
