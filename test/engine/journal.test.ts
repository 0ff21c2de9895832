import { expect, onTestFinished, test } from 'vitest';
import { PitonError, systemClock } from '../../src/base/index.ts';
import { Journal } from '../../src/engine/journal.ts';
import { newRunState } from '../../src/kernel/index.ts';
import { journalVersion, type Event } from '../../src/model/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { creation } from '../../src/testing/store-requests.ts';
import { task, workflow } from '../support/workflows.ts';

/** A journal after its first commit, on a store whose writing can be disturbed. */
async function begun(append: (store: Store, request: Parameters<Store['append']>[0]) => Promise<unknown>) {
  const store = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  onTestFinished(() => store.close());
  const request = creation('r');
  const lease = await store.createRun(request);
  const disturbed = new Proxy(store, {
    get(target, name) {
      if (name === 'append') return (given: never) => append(target, given);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { hash } = request.commit;
  const journal = new Journal({ store: disturbed, lease, head: { seq: 1, hash } });
  const created = {
    type: 'run.created',
    data: { workflow: workflow([task('a')]), inputs: {} },
  } as unknown as Event;
  const state = newRunState({
    run: 'r',
    seq: 1,
    at: 1,
    epoch: 1,
    version: journalVersion,
    events: [created],
  });
  return { store, journal, state: Object.assign(state, { seq: 2, at: 2 }), lease };
}

const paused: Event[] = [{ type: 'run.paused', data: {} } as Event];

test('a commit whose fate could not be found out, and that is in the store, is not written twice', async () => {
  let tries = 0;
  const { store, journal, state } = await begun(async (inner, request) => {
    tries++;
    await inner.append(request);
    throw new PitonError('STORE_UNCERTAIN', 'nobody knows');
  });
  await expect(journal.append(state, paused, { answers: [] })).rejects.toMatchObject({
    code: 'STORE_UNCERTAIN',
  });
  await journal.append(state, paused, { answers: [] });
  expect(tries).toBe(1);
  expect(journal.head.seq).toBe(2);
  expect((await store.readCommits('r', { after: 0, limit: 9 })).map(({ seq }) => seq)).toEqual([1, 2]);
});

test('a commit whose fate could not be found out, and that is not in the store, is the same when it is tried again', async () => {
  const hashes: string[] = [];
  const { store, journal, state } = await begun(async (inner, request) => {
    hashes.push(request.commit.hash);
    if (hashes.length === 1) throw new PitonError('STORE_UNCERTAIN', 'nobody knows');
    return inner.append(request);
  });
  await expect(journal.append(state, paused, { answers: [] })).rejects.toMatchObject({
    code: 'STORE_UNCERTAIN',
  });
  await journal.append(Object.assign(state, { at: 9 }), paused, { answers: [] });
  expect(new Set(hashes).size).toBe(1);
  expect((await store.findRun('r'))?.seq).toBe(2);
});

test('a commit of a lease that was taken anew says so', async () => {
  const { store, journal, state, lease } = await begun((inner, request) => inner.append(request));
  const epoch = lease.epoch + 1;
  journal.lease = { ...lease, epoch };
  await journal.append(state, paused, { answers: [] });
  const [stored] = await store.readCommits('r', { after: 1, limit: 1 });
  expect(JSON.parse(stored!.body)).toMatchObject({ epoch });
});
