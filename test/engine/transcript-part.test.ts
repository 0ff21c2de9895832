import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agents/index.ts';
import { redactor } from '../../src/engine/redact.ts';
import { transcriptPart } from '../../src/engine/transcript-part.ts';

const secret = 'hunter22';
const redact = redactor([secret]);

function lastOf(...events: AgentEvent[]): string | undefined {
  return transcriptPart({ upTo: 1, events }, redact).last;
}

function message(text: string): AgentEvent {
  return { type: 'message', role: 'assistant', text };
}

test('what was used and the last word are beside what was said', () => {
  const usage: AgentEvent = { type: 'usage', input: 5, output: 1, isCumulative: false };
  const part = transcriptPart({ upTo: 7, events: [message('one'), usage, message('two')] }, redact);
  expect(part).toEqual({
    upTo: 7,
    entries: [message('one'), usage, message('two')],
    used: [usage],
    last: 'two',
  });
  expect(transcriptPart({ upTo: 7, events: [usage] }, redact)).not.toHaveProperty('last');
});

test('no secret is in the last word, whatever stood between its letters or where it was cut', () => {
  expect(lastOf(message(`it is ${secret}.`))).toBe('it is ***.');
  expect(lastOf(message('it is hun\u001b[1mter22.'))).toBe('it is ***.');
  expect(lastOf({ type: 'tool-started', id: '1', name: 'Bash', input: { command: `login ${secret}` } })).toBe(
    '▸ Bash: login ***',
  );
  const cut = lastOf(message(`${'x'.repeat(192)} hun\u0007ter22 and more`))!;
  expect(cut).not.toContain('hunter');
  expect(cut.endsWith('***…')).toBe(true);
});

test('the last word is a short line, and no character is cut in two', () => {
  expect(lastOf(message('a\n'.repeat(300)))).toHaveLength(200);
  expect(lastOf(message(`${'x'.repeat(198)}🧗🧗🧗`))).toBe(`${'x'.repeat(198)}…`);
});
