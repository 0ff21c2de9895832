import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock, systemClock, type Clock } from '../../src/base/index.ts';
import { dayOf } from '../../src/engine/calendar.ts';
import { DaySpending } from '../../src/engine/day-spending.ts';
import { open, stateGraph } from '../../src/index.ts';
import { nothingUsed } from '../../src/kernel/index.ts';
import type { Spent } from '../../src/model/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { eventually } from '../support/eventually.ts';
import { openPlace, played } from '../support/scripted-place.ts';
import { appending, creation, summary } from '../../src/testing/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Counts how often all runs are asked for, and lets a test keep the answer waiting. */
function counting(inner: Store, answered: () => Promise<void> = async () => {}) {
  const counted = { store: inner, reads: 0 };
  counted.store = new Proxy(inner, {
    get(store, name: keyof Store) {
      if (name === 'listRuns')
        return async (...given: Parameters<Store['listRuns']>) => {
          counted.reads++;
          const found = await store.listRuns(...given);
          await answered();
          return found;
        };
      const value: unknown = store[name];
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(store) : value;
    },
  });
  return counted;
}

function spentBy(clock: Clock, usd: number): Spent {
  return { [dayOf(clock.now())]: { claude: { ...nothingUsed, usd } } };
}

async function openCounted(answered?: () => Promise<void>) {
  const clock = manualClock();
  const inner = await openMemoryStore('memory:', { durability: 'full', clock });
  onTestFinished(() => inner.close());
  const counted = counting(inner, answered);
  const spending = new DaySpending({ store: counted.store, clock });
  const spends = (run: string, usd: number): object =>
    inner.createRun(creation(run, { summary: summary({ spent: spentBy(clock, usd) }) }));
  return { clock, inner, counted, spending, spends };
}

const usdElsewhere = async (spending: DaySpending, run: string): Promise<number> =>
  (await spending.elsewhere(run)).usd;

test('all runs are read once, however often it is asked, and by however many', async () => {
  const { counted, spending, spends } = await openCounted();
  await spends('a', 1);
  await spends('b', 2);
  const first = ['a', 'b', 'c'].map((run) => usdElsewhere(spending, run));
  expect(await Promise.all(first)).toEqual([2, 1, 3]);
  for (let time = 0; time < 50; time++) expect(await usdElsewhere(spending, 'a')).toBe(2);
  expect(counted.reads).toBe(1);
});

test('what runs that are driven here use is known without reading', async () => {
  const { clock, counted, spending, spends } = await openCounted();
  await spends('a', 1);
  await spends('b', 2);
  expect(await usdElsewhere(spending, 'a')).toBe(2);
  spending.note({ run: 'b', spent: spentBy(clock, 5) });
  spending.note({ run: 'new', spent: spentBy(clock, 10) });
  spending.note({ run: 'other', spent: { '2001-01-01': { claude: { ...nothingUsed, usd: 100 } } } });
  expect(await usdElsewhere(spending, 'a')).toBe(15);
  expect(await usdElsewhere(spending, 'new')).toBe(6);
  expect(counted.reads).toBe(1);
});

test('it is read again when somebody else has written, and on another day', async () => {
  const { clock, counted, spending, spends } = await openCounted();
  await spends('a', 1);
  expect(await usdElsewhere(spending, 'x')).toBe(1);
  await spends('b', 2);
  spending.expire();
  expect(await usdElsewhere(spending, 'x')).toBe(3);
  expect(counted.reads).toBe(2);
  clock.advance(24 * 60 * 60_000);
  expect(await usdElsewhere(spending, 'x')).toBe(0);
  expect(counted.reads).toBe(3);
});

test('what happens while it is being read is not lost', async () => {
  const answers: (() => void)[] = [];
  const { clock, counted, spending, spends } = await openCounted(
    () => new Promise((answer) => answers.push(answer)),
  );
  await spends('a', 1);
  const asked = usdElsewhere(spending, 'x');
  await expect.poll(() => answers.length).toBe(1);
  spending.note({ run: 'own', spent: spentBy(clock, 10) });
  await spends('b', 2);
  spending.expire();
  answers[0]!();
  // The second reading shows what others have written, and the store has what was noted.
  await expect.poll(() => answers.length).toBe(2);
  spending.note({ run: 'own', spent: spentBy(clock, 20) });
  answers[1]!();
  expect(await asked).toBe(23);
  expect(counted.reads).toBe(2);
});

test('a reading that failed is made again', async () => {
  let failures = 1;
  const { counted, spending, spends } = await openCounted(async () => {
    if (failures-- > 0) throw new Error('the disk');
  });
  await spends('a', 1);
  await expect(spending.elsewhere('x')).rejects.toThrow('the disk');
  expect(await usdElsewhere(spending, 'x')).toBe(1);
  expect(counted.reads).toBe(2);
});

test('a run with a budget of the day does not ask for all runs at every step', async () => {
  const file = join(temporaryFolder(), 'piton.db');
  const counted = counting(
    await openSqliteStore(`sqlite:${file}`, { durability: 'process', clock: systemClock }),
  );
  await using piton = await open({ store: counted.store, budgetPerDay: { usd: 1 } });
  const counter = stateGraph<{ count: number }>('counter', { state: { count: 0 } })
    .node('step', ({ count }) => ({ count: count + 1 }))
    .edge('step', 'end', ({ count }) => count >= 50)
    .edge('step', 'step');
  const run = await piton.start(counter);
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
  // Once, and once more for each time that the heartbeat's thread was seen to have written.
  expect(counted.reads).toBeLessThan(5);
});

test('what another process uses meanwhile keeps an agent here from starting', async () => {
  const { run, folder } = await openPlace({ budgetPerDay: { usd: 1 } });
  const spend = (usd: number): object =>
    played([[{ usage: { input: 10, output: 5, costUsd: usd } }, { answer: 'done' }]]);
  const waiting = {
    first: { run: 'while [ ! -e go ]; do sleep 0.05; done' },
    build: { ...spend(0.1), needs: ['first'] },
  };
  const started = await run(waiting, { id: 'here' });

  const store = await openSqliteStore(`sqlite:${join(folder, 'piton.db')}`, {
    durability: 'process',
    clock: systemClock,
  });
  onTestFinished(() => store.close());
  const lease = await store.createRun(creation('there'));
  await store.append(appending(lease, 2, { summary: summary({ spent: spentBy(systemClock, 1) }) }));
  // An answer shows that the driver has looked at what others have written: until now at least.
  await using beside = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const seen = await beside.find('here');
  await seen.pause();
  await seen.unpause();
  writeFileSync(join(folder, 'go'), '');
  await eventually(
    'it waits for tomorrow',
    async () => (await started.checkpoint()).tasks['build']?.status === 'delayed',
  );
  expect((await started.checkpoint()).tasks['build']!.reason).toMatch(
    'the budget of the day, $1, is used up',
  );
});

test('what was used today by a run is not forgotten by removing it', async () => {
  const folder = temporaryFolder();
  const tasks = { a: played([[{ say: 'done' }, { usage: { costUsd: 5 } }]]) };
  const budget = { 'per-day': { usd: 5 } };
  let now = systemClock.now();
  const { piton, run } = await openPlace({ clock: { ...systemClock, now: () => now } }, folder);
  expect(await (await run(tasks, { id: 'first', budget })).result()).toMatchObject({ status: 'succeeded' });

  const kept = [{ run: 'first', reason: expect.stringContaining('today') }];
  expect(await piton.prune({ runs: ['first'] })).toMatchObject({ runs: 0, kept });
  expect(await piton.prune({ before: now + 1 })).toMatchObject({ runs: 0 });
  now += 24 * 60 * 60_000;
  expect(await piton.prune({ runs: ['first'] })).toMatchObject({ runs: 1 });
});
