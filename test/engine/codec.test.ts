import { expect, test } from 'vitest';
import { genesis } from '../../src/base/index.ts';
import { createDecoder, encodeCommit } from '../../src/engine/codec.ts';
import { upcast } from '../../src/engine/upcast.ts';
import type { Json } from '../../src/base/index.ts';
import { journalVersion, type Commit, type Event, type EventOf } from '../../src/model/index.ts';

function commitOf(...events: Event[]): Commit {
  return { run: 'r', seq: 1, at: 5, epoch: 1, version: journalVersion, events };
}

function succeeded(output: Extract<Event, { type: 'task.succeeded' }>['data']['output']): Event {
  return { type: 'task.succeeded', task: 'a', data: output === undefined ? {} : { output } };
}

async function roundTrip(commit: Commit): Promise<{ commit: Commit; blobs: number; bytes: number }> {
  const { stored, blobs } = encodeCommit(commit, genesis);
  const texts = new Map(blobs.map(({ hash, text }) => [hash, text]));
  const decode = createDecoder({ readBlob: async (hash) => texts.get(hash)! });
  return { commit: await decode(stored), blobs: texts.size, bytes: stored.body.length };
}

test('what was encoded is decoded again, frozen', async () => {
  const commit = commitOf(succeeded({ list: [1, 'two', null] }), {
    type: 'attempt.started',
    task: 'b',
    attempt: 'x',
    data: { number: 1 },
  });
  const { commit: decoded } = await roundTrip(commit);
  expect(decoded).toEqual(commit);
  expect(
    Object.isFrozen(
      (decoded.events[0] as unknown as { data: { output: { list: object } } }).data.output.list,
    ),
  ).toBe(true);
});

test('a big value is kept apart, once however often it occurs', async () => {
  const big = 'x'.repeat(100_000);
  const commit = commitOf(succeeded(big), succeeded(big), succeeded('small'));
  const { commit: decoded, blobs, bytes } = await roundTrip(commit);
  expect(decoded).toEqual(commit);
  expect(blobs).toBe(1);
  expect(bytes).toBeLessThan(1000);
});

test('data that looks like a reference to a blob is only data', async () => {
  const commit = commitOf(succeeded({ blobs: { output: 'f00' }, $blob: 'f00' }));
  expect((await roundTrip(commit)).commit).toEqual(commit);
});

/** Reads a commit with something in its text replaced. */
function reading(event: object, from = '', to = ''): () => unknown {
  const { stored } = encodeCommit(commitOf(event as Event), genesis);
  return () =>
    createDecoder({ readBlob: async () => '' })({ ...stored, body: stored.body.replace(from, to) });
}

const current = `"version":${journalVersion}`;

test('a commit of a newer version is refused, and it is said which version is needed', () => {
  expect(reading(succeeded(1), current, '"version":99')).toThrow(
    expect.objectContaining({
      code: 'RUN_TOO_NEW',
      message: expect.stringMatching(
        new RegExp(`r@1 .*journal version 99; this one reads up to ${journalVersion}`),
      ),
      details: expect.objectContaining({ version: 99 }),
      remedy: expect.stringContaining('reads journal version 99'),
    }),
  );
});

const agent = { name: 'claude', how: 'new' };
const started = { type: 'attempt.started', task: 'a', attempt: 'x', data: { number: 1, agent } };
const definition = { format: 1, name: 'w', hash: 'h', tasks: [{ name: 'a', work: { type: 'command' } }] };

test.each([
  ['type is not one that is known', { ...started, type: 'task.exploded' }],
  ['the field sign', { ...started, sign: 'taurus' }],
  ['the field data.colour', { ...started, data: { number: 1, colour: 'red' } }],
  ['the field data.agent.mood', { ...started, data: { number: 1, agent: { ...agent, mood: 'good' } } }],
  ['data.agent.how is not one of new', { ...started, data: { number: 1, agent: { ...agent, how: 'odd' } } }],
  ['data.patch.0.op is not one', { type: 'state.updated', data: { patch: [{ op: 'add' }] } }],
  ['data.outcome is not one of succeeded', ended({ outcome: 'exploded' })],
  ['data.workflow.format is not one of 1', drifted({ ...definition, format: 2 })],
  ['the field data.workflow.mood', drifted({ ...definition, mood: 'good' })],
  ['the field data.workflow.colour', drifted({ ...definition, tasks: [{ name: 'a', colour: 'red' }] })],
  [
    'the field data.workflow.speed',
    drifted({ ...definition, tasks: [{ name: 'a', work: { type: 'command', speed: 1 } }] }),
  ],
])('what this Piton does not know is refused, though the version is known: %s', (place, event) => {
  const body = JSON.stringify({ ...commitOf(), events: [event] });
  const decode = createDecoder({ readBlob: async () => '' });
  expect(() => decode({ run: 'r', seq: 1, body, hash: '' })).toThrow(
    expect.objectContaining({ code: 'RUN_TOO_NEW', message: expect.stringContaining(place) }),
  );
});

test('a commit with a field that is not known is refused', () => {
  expect(reading(succeeded(1), current, `${current},"mood":"good"`)).toThrow(/the fields mood/);
});

test('data of the user is left alone, whatever its keys are', () => {
  const output = JSON.parse('{"__proto__":{"x":1},"constructor":[{"y":null}]}') as Json;
  expect(JSON.stringify(decodeOne(succeeded(output)))).toBe(JSON.stringify(succeeded(output)));
});

test('of version 1, which had several forms, fields that were given up are left out at any depth', () => {
  const data = { number: 1, agent: { ...agent, mood: 'good' }, colour: 'red' };
  const read = reading({ ...started, data, sign: 'taurus' }, current, '"version":1')() as Commit;
  expect(read.events).toEqual([started]);
  expect(reading({ ...started, type: 'task.exploded' }, current, '"version":1')).toThrow(
    expect.objectContaining({ code: 'RUN_TOO_NEW' }),
  );
});

test('events of an older version pass through every upcaster up to ours', () => {
  const renamed = (events: readonly unknown[]): unknown[] =>
    events.map((event) => ({ ...(event as object), step: 'one' }));
  expect(upcast([{ type: 'old' }], journalVersion - 1, { [journalVersion - 1]: renamed })).toEqual([
    { type: 'old', step: 'one' },
  ]);
  expect(upcast([{ type: 'new' }], journalVersion, { [journalVersion - 1]: renamed })).toEqual([
    { type: 'new' },
  ]);
});

/** Reads an event that somebody else has written. */
function decodeOne(event: object): Event {
  const { stored } = encodeCommit(commitOf(event as Event), genesis);
  const { events } = createDecoder({ readBlob: async () => '' })(stored) as Commit;
  return events[0]!;
}

test('every part of an event that is read is frozen, copied or not', () => {
  const patch = [{ op: 'set', path: ['a', 0], value: { deep: [1] } }];
  for (const extra of [{}, { more: 1 }]) {
    const event = { type: 'state.updated', data: { patch, ...extra } };
    const { events } = reading(event, current, '"version":1')() as Commit;
    const read = events[0] as EventOf<'state.updated'>;
    const operation = read.data.patch[0] as (typeof patch)[number];
    const parts = [read, read.data, read.data.patch, operation, operation.path, operation.value];
    for (const part of [...parts, operation.value.deep]) expect(Object.isFrozen(part)).toBe(true);
  }
});

test.each([
  [
    'data.number is not a number',
    { type: 'attempt.started', task: 'a', attempt: 'x', data: { number: '1' } },
  ],
  ['attempt is not a text', { type: 'attempt.started', task: 'a', data: { number: 1 } }],
  ['data is not an object', { type: 'task.released', task: 'a', data: [] }],
  ['data.items.1.item is not a value', expanded([{ key: 'k', item: null }, { key: 'l' }])],
  ['data.reason is not a text', ended({ outcome: 'failed', reason: null })],
  ['data.workflow.name is not a text', drifted({ format: 1, hash: 'h' })],
  ['data.patch.0.op is not one that is known', { type: 'state.updated', data: { patch: [{}] } }],
  ['data.outcome is not one of succeeded', ended({ outcome: 5 })],
  ['data.inputs is not an object', { type: 'scope.opened', data: { inputs: [] } }],
])('an event of another shape is refused, and it is said where: %s', (place, event) => {
  const body = JSON.stringify({ ...commitOf(), events: [event] });
  let thrown: unknown;
  try {
    void createDecoder({ readBlob: async () => '' })({ run: 'r', seq: 1, body, hash: '' });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({
    code: 'RUN_UNREADABLE',
    cause: { message: expect.stringContaining(place) },
  });
});

function expanded(items: readonly object[]): object {
  return { type: 'tasks.expanded', task: 'a', data: { items } };
}

function ended(data: object): object {
  return { type: 'attempt.ended', task: 'a', attempt: 'x', data };
}

function drifted(workflow: object): object {
  return { type: 'drift.accepted', data: { workflow } };
}

test('an event may lack what was dropped on purpose, and nothing else', async () => {
  const big = { output: 'x'.repeat(10_000) };
  const { stored } = encodeCommit(commitOf(succeeded(big)), genesis);
  const decode = createDecoder({ readBlob: async () => undefined });
  const { events } = await decode(stored);
  expect(events).toEqual([{ type: 'task.succeeded', task: 'a', data: {}, dropped: ['output'] }]);
  expect(Object.isFrozen(events[0])).toBe(true);

  const wrong = { ...stored, body: stored.body.replace('"task":"a"', '"task":5') };
  await expect(async () => decode(wrong)).rejects.toMatchObject({ code: 'RUN_UNREADABLE' });
});

const usage = { type: 'usage', input: 5, output: 1, isCumulative: false };
const hello = { type: 'message', role: 'assistant', text: 'hello' };

function said(data: object): Event {
  return { type: 'transcript.added', task: 'a', attempt: 'x', data: { upTo: 9, ...data } } as Event;
}

/** Decodes a commit without what agents have said. `read`: the blobs that were read for it. */
async function withoutText(commit: Commit): Promise<{ commit: Commit; body: string; read: string[] }> {
  const { stored, blobs } = encodeCommit(commit, genesis);
  const texts = new Map(blobs.map(({ hash, text }) => [hash, text]));
  const read: string[] = [];
  const readBlob = async (hash: string): Promise<string> => {
    read.push(texts.get(hash)!);
    return texts.get(hash)!;
  };
  const decoded = await createDecoder({ readBlob }, { transcripts: false })(stored);
  return { commit: decoded, body: stored.body, read };
}

test('what an agent has said is kept apart however short it is, with what was used and its last word beside it', async () => {
  const commit = commitOf(said({ entries: [hello, usage], used: [usage], last: 'hello', day: '2026-01-01' }));
  const whole = await roundTrip(commit);
  expect(whole).toMatchObject({ commit, blobs: 1 });

  const { commit: decoded, body, read } = await withoutText(commit);

  expect(body).not.toContain('assistant');
  expect(decoded.events).toEqual([said({ used: [usage], last: 'hello', day: '2026-01-01' })]);
  expect(Object.isFrozen(decoded.events[0])).toBe(true);
  expect(read).toEqual([]);
});

test('other big values of a commit are read when what was said is not', async () => {
  const used = Array.from({ length: 300 }, () => usage);
  const big = succeeded('x'.repeat(10_000));
  const commit = commitOf(said({ entries: [hello], used }), big);

  const { commit: decoded, read } = await withoutText(commit);

  expect(decoded.events).toEqual([said({ used }), big]);
  expect(read).toHaveLength(2);
});

test.each([
  ['inline', [hello, usage]],
  ['apart', [{ ...hello, text: 'x'.repeat(10_000) }, usage]],
])(
  'of a journal that does not say apart what was used, all that was said is read: %s',
  async (_, entries) => {
    const commit = commitOf(said({ entries }));
    const body = JSON.stringify(commit);
    const decode = createDecoder({ readBlob: async () => '' }, { transcripts: false });
    expect((await withoutText(commit)).commit).toEqual(commit);
    expect(decode({ run: 'r', seq: 1, body, hash: '' })).toEqual(commit);
  },
);

test('what was said and dropped is named, and what was used and the last word stay', async () => {
  const { stored } = encodeCommit(
    commitOf(said({ entries: [hello], used: [usage], last: 'hello' })),
    genesis,
  );
  const { events } = await createDecoder({ readBlob: async () => undefined })(stored);
  expect(events).toEqual([{ ...said({ used: [usage], last: 'hello' }), dropped: ['entries'] }]);
});
