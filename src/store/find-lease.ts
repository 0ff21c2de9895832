import type { Lease } from '../model/index.ts';
import type { StoreLeases } from './contract.ts';

/** One lease, also when expired; undefined if it is free. Whoever asks for several asks the store for all of them at once. */
export async function findLease(
  store: Pick<StoreLeases, 'findLeases'>,
  name: string,
): Promise<Lease | undefined> {
  return (await store.findLeases([name])).get(name);
}
