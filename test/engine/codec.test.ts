import { expect, test } from 'vitest';
import { createDecoder, encodeCommit, genesis } from '../../src/engine/codec.ts';
import { upcast } from '../../src/engine/upcast.ts';
import { journalVersion, type Commit, type Event } from '../../src/model/index.ts';

function commitOf(...events: Event[]): Commit {
  return { run: 'r', seq: 1, at: 5, epoch: 1, version: journalVersion, events };
}

function succeeded(output: Extract<Event, { type: 'task.succeeded' }>['data']['output']): Event {
  return { type: 'task.succeeded', task: 'a', data: output === undefined ? {} : { output } };
}

async function roundTrip(commit: Commit): Promise<{ commit: Commit; blobs: number; bytes: number }> {
  const { stored, blobs } = encodeCommit(commit, genesis);
  const texts = new Map(blobs.map(({ hash, text }) => [hash, text]));
  const decode = await createDecoder({ readBlob: async (hash) => texts.get(hash)! });
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

test('a commit of a newer version is refused, and an event of unknown shape too', async () => {
  const decode = await createDecoder({ readBlob: async () => '' });
  const { stored } = encodeCommit(commitOf(succeeded(1)), genesis);
  const changed = (from: string, to: string) => ({ ...stored, body: stored.body.replace(from, to) });
  expect(() => decode(changed('"version":1', '"version":99'))).toThrow(
    /newer Piton \(journal version 99\).*Update/,
  );
  expect(() => decode(changed('task.succeeded', 'task.exploded'))).toThrow(/r@1 holds an event/);
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
