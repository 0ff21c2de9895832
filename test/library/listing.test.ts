import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { open, registerStore, workflow, type Piton, type PitonError, type Run } from '../../src/index.ts';
import type { Store, StoreOpener } from '../../src/store/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { latch } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const asked: string[] = [];
/** What happens once, right before the store is asked that. */
const before = new Map<string, () => Promise<void>>();
const openCounted: StoreOpener = async (url, options) =>
  counting(await openSqliteStore(url.replace('counted', 'sqlite'), options));

function counting(inner: Store): Store {
  return new Proxy(inner, {
    get(store, name: keyof Store) {
      const value: unknown = store[name];
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        asked.push(name);
        const call = (): unknown => (value as (...given: unknown[]) => unknown).apply(store, args);
        const first = before.get(name);
        before.delete(name);
        return first === undefined ? call() : first().then(call);
      };
    },
  });
}

/** Two who use one store; what the second asks of it is counted. */
async function openBoth(): Promise<{
  readonly driving: Piton;
  readonly looking: Piton;
  readonly file: string;
}> {
  registerStore('counted', openCounted);
  const file = join(temporaryFolder(), 'piton.db');
  const driving = await open({ store: `sqlite:${file}`, durability: 'process' });
  onTestFinished(() => driving.close());
  const looking = await open({ store: `counted:${file}`, durability: 'process' });
  onTestFinished(() => looking.close());
  return { driving, looking, file };
}

const endless = workflow('endless').task('wait', ({ signal }) => {
  return new Promise<void>((_, end) => signal.addEventListener('abort', () => end(new Error('stopped'))));
});

async function callsOf(look: () => Promise<unknown>): Promise<readonly string[]> {
  asked.length = 0;
  await look();
  return [...asked];
}

test('a list of many runs that have not ended asks the store as often as one of a few', async () => {
  const { driving, looking } = await openBoth();
  const startMany = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await driving.start(endless);
  };
  const statuses = async (): Promise<readonly string[]> => (await looking.runs()).map(({ status }) => status);

  await startMany(2);
  const few = await callsOf(async () => expect(await statuses()).toEqual(['running', 'running']));
  await startMany(28);
  const many = await callsOf(async () => expect(await statuses()).toEqual(Array<string>(30).fill('running')));
  expect(few).toEqual(['listRuns', 'findLeases']);
  expect(many).toEqual(few);

  await driving.close();
  const interrupted = await callsOf(async () =>
    expect(await looking.runs({ status: ['interrupted'], limit: 20 })).toHaveLength(20),
  );
  // All that seem to be interrupted are looked at once more: they may have ended before their leases were read.
  expect(interrupted).toEqual([...few, 'listRuns']);
});

test('a run that ends while the list is made, or is removed, is not shown as interrupted', async () => {
  const { driving, looking } = await openBoth();
  let gate = latch();
  const ending = workflow('ending').task('wait', () => gate.opened);
  const endIt = async (run: Run, isRemoved: boolean): Promise<void> => {
    gate.open();
    await run.result();
    if (isRemoved) await driving.prune({ runs: [run.id] });
  };
  for (const [isRemoved, filter, shown] of [
    [false, {}, ['succeeded']],
    [false, { status: ['interrupted'] }, []],
    [true, {}, []],
  ] as const) {
    gate = latch();
    const run = await driving.start(ending);
    before.set('findLeases', () => endIt(run, isRemoved));
    const lines = await looking.runs(filter);
    expect(lines.filter((line) => line.run === run.id).map(({ status }) => status)).toEqual(shown);
    expect(before.size).toBe(0);
  }
});

test('a run that is removed while the inbox is read keeps nothing of the others from it', async () => {
  const { driving, looking } = await openBoth();
  const asking = workflow('asking').task('ask', { approval: 'Go on?' }, () => 1);
  for (const id of ['old', 'new']) await driving.start(asking, { id });
  const waiting = async (): Promise<readonly string[]> => (await looking.inbox()).map(({ run }) => run);
  await expect.poll(waiting).toEqual(['new', 'old']);
  before.set('findRun', async () => {
    const run = await driving.find('new');
    await run.cancel();
    await expect.poll(() => run.status()).toBe('cancelled');
    expect(await driving.prune({ runs: ['new'] })).toMatchObject({ runs: 1 });
  });
  expect(await waiting()).toEqual(['old']);
  expect(before.size).toBe(0);
});

test('a run that ends while the inbox is read does not wait in it as interrupted', async () => {
  const { driving, looking } = await openBoth();
  const gate = latch();
  const run = await driving.start(workflow('ending').task('wait', () => gate.opened));
  before.set('findLeases', async () => {
    gate.open();
    await run.result();
  });
  expect(await looking.inbox()).toEqual([]);
  expect(before.size).toBe(0);
});

test('a lease that is damaged hides no other runs', async () => {
  const { driving, looking, file } = await openBoth();
  for (const id of ['sound', 'hurt']) await driving.start(endless, { id });
  using database = new DatabaseSync(file);
  database.exec(`UPDATE leases SET owner = '{' WHERE name = 'run:hurt'`);
  const damages: unknown[] = [];
  const onDamaged = (damage: PitonError): void => void damages.push([damage.code, damage.details['run']]);
  expect(await looking.runs({ onDamaged })).toMatchObject([{ run: 'sound', status: 'running' }]);
  expect(damages.splice(0)).toEqual([['STORE_DAMAGED', 'hurt']]);
  expect(await looking.inbox({ onDamaged })).toEqual([]);
  expect(damages).toEqual([['STORE_DAMAGED', 'hurt']]);
  for (const look of [() => looking.runs(), () => looking.inbox()])
    await expect(look()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  database.exec(`DELETE FROM leases WHERE name = 'run:hurt'`);
});
