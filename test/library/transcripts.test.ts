import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Run, RunEvent } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { eventsOf, openPlace, played, transcriptOf } from '../support/scripted-place.ts';

type Said = Extract<RunEvent, { type: 'transcript.added' }>;

function saidIn(events: readonly RunEvent[]): Said[] {
  return events.filter((event) => event.type === 'transcript.added');
}

async function withoutText(run: Run): Promise<RunEvent[]> {
  return await Array.fromAsync(run.events({ transcripts: false }));
}

const turn = [
  { say: 'It is 42.' },
  { usage: { input: 100, output: 7, costUsd: 0.5 } },
  { say: 'That is all.' },
];

/** As if the medium had lost all that the agent has said. */
function loseText(folder: string): number {
  using database = new DatabaseSync(join(folder, 'piton.db'));
  return Number(database.prepare(`DELETE FROM blobs WHERE text LIKE '[{"type":%'`).run().changes);
}

test('whoever does not ask for what an agent has said does not read it', async () => {
  const place = await openPlace();
  const run = await place.run({ a: played([turn]) });
  await run.result();
  const all = await eventsOf(run);
  const before = { checkpoint: await run.checkpoint(), list: await place.piton.runs() };
  expect(transcriptOf(all).map(({ text }) => text)).toContain('It is 42.');

  expect(loseText(place.folder)).toBeGreaterThan(0);

  const bare = await withoutText(run);
  expect(bare.map(({ type, seq }) => [type, seq])).toEqual(all.map(({ type, seq }) => [type, seq]));
  expect(saidIn(bare).filter(({ data }) => 'entries' in data)).toEqual([]);
  expect(saidIn(bare).map(({ data }) => data.used)).toEqual(saidIn(all).map(({ data }) => data.used));
  expect(saidIn(bare).flatMap(({ data }) => data.last ?? [])).toContain('That is all.');
  await place.piton.rebuildSummaries();
  expect({ checkpoint: await run.checkpoint(), list: await place.piton.runs() }).toEqual(before);
  expect(JSON.stringify(before.list)).toContain('"input":100');
  await expect(eventsOf(run)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  expect(await place.piton.verify('run')).toMatchObject([
    { ok: false, reason: expect.stringContaining('holds no blob') },
  ]);
});

test('a run whose values were dropped after success tells what was used and the last words', async () => {
  const place = await openPlace();
  const run = await place.run({ a: played([turn]) }, { checkpoint: { preserve: false } });
  await run.result();
  await eventually('the values are dropped', async () =>
    (await eventsOf(run)).some(({ dropped }) => dropped),
  );

  const said = saidIn(await eventsOf(run));

  expect(said.map(({ dropped }) => dropped)).toEqual(said.map(() => ['entries']));
  expect(said.flatMap(({ data }) => data.last ?? [])).toContain('That is all.');
  expect(said.flatMap(({ data }) => data.used)).toContainEqual(expect.objectContaining({ input: 100 }));
  expect(await place.piton.verify('run')).toMatchObject([{ ok: true }]);
});
