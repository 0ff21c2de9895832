import { expect, test } from 'vitest';
import { open, workflow } from '../../src/index.ts';
import type { RunEvent } from '../../src/model/index.ts';
import { TaskConversation, TurnReader } from '../../src/views/index.ts';
import { undocumented } from '../support/documented.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function read(...entries: readonly unknown[]): unknown[] {
  const reader = new TurnReader();
  return entries.map((entry) => reader.read(entry));
}

test('fields of an entry are read for what they are, whoever has stored it', () => {
  expect(read({ type: 'message', text: ['a'] }, { type: 'message', role: 'user' })).toEqual([
    { role: 'assistant', text: '["a"]' },
    { role: 'user', text: '' },
  ]);
  const limits = [3, '3', Infinity, undefined].map((until) => ({ type: 'limit', text: 'l', until }));
  expect(read(...limits)).toEqual([
    { role: 'limit', text: 'l', until: 3 },
    { role: 'limit', text: 'l' },
    { role: 'limit', text: 'l' },
    { role: 'limit', text: 'l' },
  ]);
  for (const value of ['text', null, [1], 3])
    expect(read(value)).toEqual([{ role: 'notice', text: 'unknown' }]);
  expect(read({ type: '__proto__' }, {})).toEqual([
    { role: 'notice', text: '__proto__' },
    { role: 'notice', text: 'an entry without a type' },
  ]);
});

test('a result is told unless it was the last message; one that is data is that', () => {
  const message = { type: 'message', role: 'assistant', text: 'done ' };
  expect(read(message, { type: 'result', text: ' done' })[1]).toBeUndefined();
  expect(read(message, { type: 'result', text: 'other' })[1]).toEqual({ role: 'result', text: 'other' });
  expect(read({ type: 'result', text: '' })).toEqual([undefined]);
  expect(read({ type: 'result', structured: { a: 1 } })).toEqual([
    { role: 'result', text: '{"a":1}', data: { a: 1 } },
  ]);
});

function said(seq: number, attempt: string, ...entries: readonly object[]): RunEvent {
  const data = { upTo: seq, entries };
  return {
    type: 'transcript.added',
    run: 'r',
    seq,
    at: seq,
    task: 'fix',
    attempt,
    data,
  } as unknown as RunEvent;
}

const call = (id: string): object => ({ type: 'tool-started', id, name: 'Shell', input: { command: id } });
const answer = (id: string, more: object = {}): object => ({
  type: 'tool-finished',
  id,
  output: `of ${id}`,
  ...more,
});

test('calls have their answers, wherever those came; calls of other attempts are not mixed up', () => {
  const conversation = new TaskConversation('fix');
  const told = { type: 'message.added', run: 'r', seq: 3, at: 3, task: 'fix', data: { text: 'hurry' } };
  const other = { ...said(4, 'a', call('3')), task: 'other' } as RunEvent;
  for (const event of [
    said(1, 'a', call('1'), call('2')),
    said(2, 'b', call('1')),
    told as unknown as RunEvent,
    other,
    said(5, 'a', answer('2', { isError: true }), answer('9')),
    said(6, 'b', answer('1')),
  ])
    conversation.add(event);
  const shell = { role: 'call', tool: 'Shell', text: '' };
  expect(conversation.turns).toEqual([
    { seq: 1, at: 1, attempt: 'a', ...shell, call: '1', input: { command: '1' } },
    {
      seq: 1,
      at: 1,
      attempt: 'a',
      ...shell,
      call: '2',
      input: { command: '2' },
      answer: { text: 'of 2', isError: true },
    },
    { seq: 2, at: 2, attempt: 'b', ...shell, call: '1', input: { command: '1' }, answer: { text: 'of 1' } },
    { seq: 3, at: 3, role: 'told', text: 'hurry' },
    { seq: 5, at: 5, attempt: 'a', role: 'answer', call: '9', text: 'of 9' },
  ]);
  for (const turn of conversation.turns) expect(undocumented('SaidTurn', turn)).toEqual([]);
});

test('a conversation comes part by part, and no turn twice or never', async () => {
  const folder = temporaryFolder();
  await using piton = await open({ store: `sqlite:${folder}/p.db`, durability: 'process' });
  const turns = [1, 2, 3].map((round) => ({ say: `round ${round}` }));
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns: [[...turns, { answer: 'done' }]] })}\n\`\`\`\n`;
  const flow = workflow('flow').agent('fix', { agent: 'scripted', permissions: 'full' }, prompt);
  const run = await piton.start(flow, { id: 'r1', origin: { directory: folder } });
  expect((await run.result()).status).toBe('succeeded');
  const whole = await run.conversation('fix');
  expect(whole.turns.map(({ text }) => text)).toEqual(expect.arrayContaining(['round 1', 'round 3']));
  const parts = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const part = await run.conversation('fix', { after, limit: 1 });
    expect(undocumented('ConversationView', part)).toEqual([]);
    parts.push(...part.turns);
    after = part.next;
  }
  expect(parts).toEqual(whole.turns);
  // However little is asked for, it goes on.
  expect((await run.conversation('fix', { limit: 0 })).turns).not.toEqual([]);
  // A name that no task has is more likely misspelt than silent.
  await expect(run.conversation('none')).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
  await expect(run.attempts('none')).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
});
