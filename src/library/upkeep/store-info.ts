import type { Store, StoreFigures } from '../../store/index.ts';

/** Where a store is, and how much is in it. */
export interface StoreInfo extends StoreFigures {
  readonly url: string;
  /** The file that it is kept in; absent if it is in none. */
  readonly file?: string;
  readonly durability: Store['durability'];
}

export async function storeInfo(store: Store): Promise<StoreInfo> {
  const { url, file, durability } = store;
  return { url, ...(file !== undefined && { file }), durability, ...(await store.figures()) };
}
