import { expect, test } from 'vitest';
import { readStructured } from '../../src/agents/index.ts';

test.each([
  ['{"ok":true}', { ok: true }],
  [' \n[1, 2]\n', [1, 2]],
  ['Here it is:\n```json\n{"ok": true}\n```\nBye.', { ok: true }],
  ['First\n```json\n{"a":1}\n```\nbetter\n```\n{"a":2}\n```', { a: 2 }],
  ['I thought about it.\n\n{\n  "ok": true,\n  "list": [\n{}\n]\n}\n', { ok: true, list: [{}] }],
  ['42', 42],
])('the value at the end of an answer is found: %j', (text, value) => {
  expect(readStructured(text)).toEqual(value);
});

test.each(['', 'ok', 'It is {"ok": true}, I think.', '{"ok": tr', '```json\nnope\n```'])(
  'no value is made up from %j',
  (text) => {
    expect(readStructured(text)).toBeUndefined();
  },
);
