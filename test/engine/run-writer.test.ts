import { expect, test } from 'vitest';
import { manualClock } from '../../src/base/index.ts';
import { Journal } from '../../src/engine/journal.ts';
import { Observers } from '../../src/engine/observers.ts';
import { RunWriter, type Course, type WriterPorts } from '../../src/engine/run-writer.ts';
import type { RunState } from '../../src/kernel/index.ts';
import type { Lease } from '../../src/model/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { creation, ownerNamed, taking } from '../../src/testing/store-requests.ts';

const leaseMs = 1_000;
const state = { run: 'r', phase: { status: 'active' } } as RunState;

function expired(leases: ReadonlyMap<string, Lease>): ReadonlyMap<string, Lease> {
  return new Map(Array.from(leases, ([name, lease]) => [name, { ...lease, isExpired: true }]));
}

/** As by a store that is far away: what is asked about a lease, which has run out, is told only when `answered` says so. */
function slowly(inner: Store, answered: () => Promise<void>): Store {
  return new Proxy(inner, {
    get(store, name) {
      if (name === 'findLeases')
        return async (names: readonly string[]) => {
          const found = await store.findLeases(names);
          await answered();
          return expired(found);
        };
      const value: unknown = Reflect.get(store, name);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

test('a driver that takes its own lease anew after a sleep is not taken for one that was replaced', async () => {
  const clock = manualClock(0);
  const inner = await openMemoryStore('memory:', { durability: 'full', clock });
  const lease = await inner.createRun(creation('r', { leaseMs }));
  const answers: (() => void)[] = [];
  let isSlow = true;
  const store = slowly(inner, () =>
    isSlow ? new Promise((answer) => answers.push(answer)) : Promise.resolve(),
  );
  const journal = new Journal({ store, lease, head: { seq: 1, hash: '' } });
  const ports = { store, clock, owner: ownerNamed('ada'), leaseMs, observers: new Observers() };
  const patience = { clock, signal: new AbortController().signal, stalled: () => {} };
  const course = { state, journal, policy: 'every-task' } as unknown as Course & { policy: never };
  const writer = new RunWriter(ports as unknown as WriterPorts, course, patience);

  const asked = writer.assertNotReplaced();
  await expect.poll(() => answers.length).toBe(1);
  isSlow = false;
  await writer.keepLease();
  expect(journal.lease.token).not.toBe(lease.token);
  answers[0]!();
  await expect(asked).resolves.toBeUndefined();

  await inner.takeLease(taking(journal.lease.name, { replaces: journal.lease.token }));
  await expect(writer.assertNotReplaced()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  await inner.close();
});

test('a driver that is about to learn that it has its lease again is not taken for one that was replaced', async () => {
  const clock = manualClock(0);
  const inner = await openMemoryStore('memory:', { durability: 'full', clock });
  const lease = await inner.createRun(creation('r', { leaseMs }));
  const mayAnswer = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  // The lease is taken anew in the store; that it is, this driver hears later.
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name === 'findLeases')
        return async (names: readonly string[]) => expired(await target.findLeases(names));
      if (name !== 'takeLease') return value.bind(target) as unknown;
      return async (request: never) => {
        const answer = await target.takeLease(request);
        taken.resolve();
        await mayAnswer.promise;
        return answer;
      };
    },
  });
  const journal = new Journal({ store, lease, head: { seq: 1, hash: '' } });
  const ports = { store, clock, owner: ownerNamed('ada'), leaseMs, observers: new Observers() };
  const patience = { clock, signal: new AbortController().signal, stalled: () => {} };
  const course = { state, journal, policy: 'every-task' } as unknown as Course & { policy: never };
  const writer = new RunWriter(ports as unknown as WriterPorts, course, patience);

  const kept = writer.keepLease();
  await taken.promise;
  const asked = writer.isReplaced();
  mayAnswer.resolve();
  expect(await asked).toBe(false);
  await kept;
  await inner.close();
});
