import { expect, test } from 'vitest';
import { kindOfStatus } from '../../src/agents/failures.ts';
import { streamParser } from '../../src/agents/stream-parser.ts';

const context = { now: 0, timeZone: 'UTC', session: 's' };

test('a line at which its reader fails costs that line, and nothing else', () => {
  const parser = streamParser(
    {
      read: ({ text }) => {
        if (text === 'bad') throw new TypeError('cannot read that');
        return [{ type: 'message', role: 'assistant', text: String(text) }];
      },
    },
    context,
  );
  const events = ['{"text":"a"}', '{"text":"bad"}', '{"text":"b"}'].flatMap((line) => [...parser.line(line)]);
  expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual([
    'a',
    'event without a type',
    'b',
  ]);
});

test.each([
  [400, undefined],
  [401, 'auth'],
  [403, 'auth'],
  [404, undefined],
  [429, 'limit'],
  [499, undefined],
  [500, 'network'],
  [529, 'network'],
  [undefined, undefined],
])('a status %s of the model interface is %s', (status, kind) => {
  expect(kindOfStatus(status)).toBe(kind);
});
