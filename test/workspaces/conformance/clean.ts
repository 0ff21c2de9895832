import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prepare, type MakeBench } from './bench.ts';

const byDefault = 'remove-when-clean-else-archive';

export function cleanContract(make: MakeBench): void {
  test('a place in which nothing was made is removed, and once removed it is so for good', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    expect(await stay.clean(byDefault)).toMatchObject({ how: 'removed' });
    expect(existsSync(stay.place.path)).toBe(false);
    expect(await stay.clean(byDefault)).toMatchObject({ how: 'removed' });
    expect(bench.leftovers()).toEqual([]);
  });

  test('what is kept nowhere else is archived before the place is removed', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.write('made.txt', 'made');
    const cleaned = await stay.clean(byDefault);
    expect(cleaned).toMatchObject({ how: 'archived', ref: expect.any(String) as string });
    expect(existsSync(stay.place.path)).toBe(false);
    expect(await stay.readKept(cleaned, 'made.txt')).toBe('made');
    expect(bench.leftovers()).toEqual([]);
  });
}

export function furtherCleanContract(make: MakeBench): void {
  test('a task that goes on after its place was archived finds what it had left there', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.write('made.txt', 'made');
    await stay.clean(byDefault);
    const back = await stay.again();
    expect(back.prepared).toMatchObject({ place: { path: stay.place.path }, recovered: { how: 'restored' } });
    expect(back.read('made.txt')).toBe('made');
  });

  test('cleaned again, it is told once more what became of it', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.write('made.txt', 'made');
    const { how, ref } = await stay.clean(byDefault);
    expect(await stay.clean(byDefault)).toMatchObject({ how, ref });
  });

  test.for([
    { policy: 'keep', hasSucceeded: true, isMade: true, how: 'kept' },
    { policy: 'keep', hasSucceeded: false, isMade: false, how: 'kept' },
    { policy: 'remove-on-success', hasSucceeded: false, isMade: false, how: 'kept' },
    { policy: 'archive-on-failure', hasSucceeded: false, isMade: false, how: 'archived' },
    { policy: 'archive-on-failure', hasSucceeded: false, isMade: true, how: 'archived' },
    { policy: 'archive', hasSucceeded: false, isMade: false, how: 'archived' },
  ] as const)(
    'by $policy, the place of a task (success: $hasSucceeded, something made: $isMade) is $how',
    async ({ policy, hasSucceeded, isMade, how }) => {
      const bench = await make();
      const stay = await prepare(bench, bench.request('build'));
      if (isMade) stay.write('made.txt', 'made');
      const cleaned = await stay.clean(policy, { hasSucceeded });
      expect(cleaned).toMatchObject({ how, reason: expect.stringMatching(/\w/) as string });
      expect(existsSync(stay.place.path)).toBe(how === 'kept');
    },
  );
}

export function lookContract(make: MakeBench): void {
  test('a look tells clean, dirty and missing places apart, in the order of the requests, and changes nothing', async () => {
    const bench = await make();
    const stays = [];
    for (const task of ['clean', 'dirty', 'missing']) stays.push(await prepare(bench, bench.request(task)));
    const [clean, dirty, missing] = stays as [(typeof stays)[0], (typeof stays)[0], (typeof stays)[0]];
    dirty.write('made.txt', 'made');
    missing.delete();
    const requests = [missing, clean, dirty].map(({ known }) => known);
    const looks = await bench.open().look(requests);
    expect(looks.map(({ token, health }) => [token, health])).toEqual([
      [missing.place.token, 'missing'],
      [clean.place.token, 'clean'],
      [dirty.place.token, 'dirty'],
    ]);
    expect(looks[2]!.text).toContain('made.txt');
    expect(existsSync(missing.place.path)).toBe(false);
    expect(await bench.open().look([])).toEqual([]);
  });
}

export function orderContract(make: MakeBench): void {
  test.for([
    { action: 'recreate', how: 'recreated' },
    { action: 'discard', how: 'discarded' },
  ] as const)(
    'a person who wants a place to be made anew ($action) gets it so, once',
    async ({ action, how }) => {
      const bench = await make();
      const stay = await prepare(bench, bench.request('build'));
      stay.write('made.txt', 'made');
      const order = { id: 'order-1', action };
      const anew = await stay.again({ order });
      expect(anew.prepared).toMatchObject({ place: { path: stay.place.path }, recovered: { how } });
      expect(anew.read('made.txt')).toBeUndefined();
      anew.write('made.txt', 'made again');
      const next = await anew.again({ order });
      expect(next.prepared.recovered).toBeUndefined();
      expect(next.read('made.txt')).toBe('made again');
    },
  );

  test('a person can have a place restored from what was kept of it', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.write('made.txt', 'first');
    const { ref } = await stay.clean('archive');
    const back = await stay.again();
    back.write('made.txt', 'second');
    const order = { id: 'order-1', action: 'restore', from: ref! } as const;
    const restored = await back.again({ order });
    expect(restored.prepared).toMatchObject({ recovered: { how: 'restored' } });
    expect(restored.read('made.txt')).toBe('first');
  });
}

export function saveContract(make: MakeBench): void {
  test('a place that is gone is made again as it was last saved', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.write('made.txt', 'made');
    const snapshot = (await stay.save())!;
    stay.delete();
    const back = await stay.again({ snapshot });
    expect(back.prepared).toMatchObject({ recovered: { how: 'restored' } });
    expect(back.read('made.txt')).toBe('made');
  });
}

export function noSaveContract(make: MakeBench, reason: string): void {
  test(`saving a place keeps nothing: ${reason}`, async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build'));
    stay.write('made.txt', 'made');
    expect(await stay.save()).toBeUndefined();
  });
}

export function slotContract(make: MakeBench): void {
  test('the tasks of a slot have one place in turn, and what one has left is kept before the next begins', async () => {
    const bench = await make();
    const slot = { pool: 'Each One', number: 2 };
    const first = await prepare(bench, bench.request('each[a]', { slot }));
    first.write('made.txt', 'of a');
    const second = await prepare(bench, bench.request('each[b]', { slot }));
    expect(second.place.path).toBe(first.place.path);
    expect(second.place.token).not.toBe(first.place.token);
    expect(second.read('made.txt')).toBeUndefined();
    const { handedOver } = second.prepared;
    expect(handedOver).toMatchObject({ task: 'each[a]', cleaned: { how: 'archived' } });
    expect(await first.readKept(handedOver!.cleaned, 'made.txt')).toBe('of a');
  });

  test('slots of one number in two pools are two places', async () => {
    const bench = await make();
    const paths = [];
    for (const pool of ['each', 'Each']) {
      const stay = await prepare(bench, bench.request(`${pool}[a]`, { slot: { pool, number: 1 } }));
      paths.push(stay.place.path.toLowerCase());
    }
    expect(new Set(paths).size).toBe(2);
  });
}
