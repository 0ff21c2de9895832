import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { twoAtATime, killAt, pointsPassed } from '../../support/kill.ts';
import { fingerprint } from '../../support/git-playground.ts';
import { folderIn, livePlace, type PlaceLife } from '../../support/place-life.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { prepare, type MakeBench, type PlaceBench } from './bench.ts';

export function lifeContract(make: MakeBench): void {
  test('a place that is prepared twice is the same place, with all that is in it', async () => {
    const bench = await make();
    const first = await prepare(bench, bench.request('build'));
    first.write('made.txt', 'made');
    const unrecorded = await prepare(bench, bench.request('build'));
    const recorded = await first.again();
    expect(unrecorded.prepared).toEqual(first.prepared);
    expect(recorded.prepared).toEqual({ place: first.place });
    expect(recorded.read('made.txt')).toBe('made');
  });

  test('a place that is gone is made again, and that is told until it is recorded', async () => {
    const bench = await make();
    const lost = await prepare(bench, bench.request('build'));
    lost.delete();
    const news = { recovered: { how: 'recreated', found: expect.any(String) as string } };
    expect((await lost.again()).prepared).toMatchObject({ place: lost.place, ...news });
    const told = await prepare(bench, lost.known);
    expect(told.prepared).toMatchObject(news);
    expect(existsSync(told.folder)).toBe(true);
    expect((await told.again()).prepared.recovered).toBeUndefined();
  });
}

export function furtherLifeContract(make: MakeBench): void {
  test('a task that begins from scratch has another place, and the former one stays', async () => {
    const bench = await make();
    const former = await prepare(bench, bench.request('build'));
    former.write('made.txt', 'made');
    const next = await prepare(bench, bench.request('build', { generation: 1 }));
    expect(next.place.path).not.toBe(former.place.path);
    expect(next.read('made.txt')).toBeUndefined();
    expect(former.read('made.txt')).toBe('made');
  });

  test('whatever tasks and runs are called, each has a place of its own that others do not see', async () => {
    const bench = await make();
    const names = ['a b', 'größe/測試', 'build', 'Build', 'build[ui]', '../up', `long-${'x'.repeat(300)}`];
    const stays = [];
    for (const name of names) {
      const stay = await prepare(bench, bench.request(name));
      stay.write('name.txt', name);
      stays.push(stay);
    }
    stays.push(await prepare(bench, bench.request('build', { run: 'Run 1/ü' })));
    expect(stays.map((stay) => stay.read('name.txt'))).toEqual([...names, undefined]);
    expect(new Set(stays.map(({ place }) => place.path.toLowerCase())).size).toBe(stays.length);
  });
}

export function replacingContract(make: MakeBench): void {
  test('a place that somebody has replaced is refused and left as it is', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.replace();
    await expect(stay.again()).rejects.toMatchObject({
      code: expect.stringMatching(/^(WORKSPACE_DRIFTED|WORKTREE_REFUSED)$/) as string,
    });
    expect(await stay.look()).toMatchObject({ health: 'drifted', token: stay.place.token });
    expect((await stay.clean('archive')).how).toBe('kept');
    expect(readFileSync(join(stay.place.path, 'theirs.txt'), 'utf8')).toBe('theirs');
    expect(readdirSync(stay.place.path)).toEqual(['theirs.txt']);
  });
}

export function furtherReplacingContract(make: MakeBench): void {
  test('a folder of somebody at the path of a new place is refused and left as it is', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    expect((await stay.clean('remove-when-clean-else-archive')).how).toBe('removed');
    const other = await prepare(bench, bench.request('other'));
    other.replace();
    await expect(prepare(bench, bench.request('other', { token: 'another' }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(WORKSPACE_DRIFTED|WORKTREE_REFUSED)$/) as string,
    });
    expect(readdirSync(other.place.path)).toEqual(['theirs.txt']);
  });
}

/** Of each kind of effect the first; what comes after one is what comes before the next. */
function oneOfEachName(places: readonly string[]): string[] {
  const after = places.filter((place) => place.startsWith('after:'));
  return [...Map.groupBy(after, (place) => place.split('#')[0]).values()].map((same) => same[0]!);
}

/** What must be the same, wherever the process was killed. */
async function endOf(bench: PlaceBench, life: PlaceLife): Promise<object> {
  const { cleaned, place } = await livePlace(bench.open(), life);
  const folder = join(temporaryFolder(), 'kept');
  await bench.restore(cleaned!.ref!, folder);
  const kept = folderIn(life.request, { ...place!, path: folder });
  // What was brought there may be kept or not: it is also where it came from.
  const isLeftOut = (name: string): boolean => ['.git', '.env', 'cache'].includes(name);
  return {
    how: cleaned!.how,
    kept: fingerprint(kept, isLeftOut),
    leftovers: bench.leftovers(),
  };
}

function lifeOf(bench: PlaceBench): PlaceLife {
  const wants = { copy: ['.env'], caches: ['cache'], ports: 2 };
  return { request: bench.request('build', wants), notes: join(temporaryFolder(), 'notes.json') };
}

export function killsContract(make: MakeBench): void {
  test('killed after each kind of effect, its life ends as if nothing had happened', async () => {
    const untouched = await make();
    const life = lifeOf(untouched);
    const places = oneOfEachName((await pointsPassed(untouched.living(life))).flat());
    const expected = await endOf(untouched, life);
    expect(expected).toMatchObject({ how: 'archived' });
    expect(places.length).toBeGreaterThan(4);
    const trials = [];
    for (const place of places) trials.push({ place, bench: await make() });
    await twoAtATime(trials, async ({ place, bench }) => {
      const life = lifeOf(bench);
      await killAt(place, bench.living(life));
      expect({ place, ...(await endOf(bench, life)) }).toEqual({ place, ...expected });
    });
  });
}
