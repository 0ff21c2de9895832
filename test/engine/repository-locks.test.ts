import { expect, test } from 'vitest';
import { ownIdentity, systemClock } from '../../src/base/index.ts';
import type { EnginePorts } from '../../src/engine/options.ts';
import { takeLocks } from '../../src/engine/repository-locks.ts';
import type { RunState } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';

const state = { origin: { directory: '/project' } } as RunState;

/** Fails where the lock of that name is looked for. */
function failingAt(inner: Store, lock: string): Store {
  return new Proxy(inner, {
    get(store, name) {
      if (name === 'findLeases')
        return async (leases: readonly string[]) => {
          if (leases.some((lease) => lease.endsWith(lock))) throw new Error('the disk is full');
          return store.findLeases(leases);
        };
      const value: unknown = Reflect.get(store, name);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

test('locks that were taken are given back when the store fails at a later one', async () => {
  const inner = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  const portsWith = (store: Store): EnginePorts =>
    ({ store, clock: systemClock, owner: ownIdentity(), leaseMs: 60_000 }) as EnginePorts;
  const wanted = { attempt: 'a1', locks: ['database', 'network'] };
  const taking = takeLocks(portsWith(failingAt(inner, 'network')), state, wanted);
  await expect(taking).rejects.toThrow('the disk is full');
  const again = await takeLocks(portsWith(inner), state, { ...wanted, attempt: 'a2' });
  expect('taken' in again && again.taken.map(({ token }) => token)).toEqual(['a2', 'a2']);
  await inner.close();
});
