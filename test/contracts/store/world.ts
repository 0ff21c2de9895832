import { afterEach, beforeEach } from 'vitest';
import { manualClock, type ManualClock } from '../../../src/base/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** One medium, and the ways to get at it. */
export interface StoreBench {
  /** A handle on the medium, as every process that uses it has one. */
  open(): Promise<Store>;
  /** A handle whose leases nobody renews, as if its process had been stopped. */
  openSilent(): Promise<Store>;
  /** The store that `backup` made; absent if the adapter is said to be unable to make one. */
  openBackup?(file: string): Promise<Store>;
  /** Changes the stored text of a blob behind the store's back; absent if nothing can get behind it. */
  damageBlob?(hash: string): void;
}

export interface BenchPlace {
  /** Goes away with the test. */
  readonly folder: string;
  readonly clock: ManualClock;
}

/** What a test finds: a new medium and one store open on it. Whatever it opens is closed after it. */
export interface World extends BenchPlace {
  readonly store: Store;
  openAnother(): Promise<Store>;
  openSilent(): Promise<Store>;
  openBackup(file: string): Promise<Store>;
  damageBlob(hash: string): void;
}

export function newWorldPerTest(makeBench: (place: BenchPlace) => StoreBench): World {
  let place: BenchPlace;
  let bench: StoreBench;
  const opened: Store[] = [];
  const track = async (opening: Promise<Store>): Promise<Store> => {
    opened.push(await opening);
    return opening;
  };

  beforeEach(async () => {
    place = { folder: temporaryFolder(), clock: manualClock() };
    bench = makeBench(place);
    await track(bench.open());
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  return {
    get clock() {
      return place.clock;
    },
    get folder() {
      return place.folder;
    },
    get store() {
      return opened[0]!;
    },
    openAnother: () => track(bench.open()),
    openSilent: () => track(bench.openSilent()),
    openBackup: (file) => track(bench.openBackup!(file)),
    damageBlob: (hash) => bench.damageBlob!(hash),
  };
}

export async function seqsOf(store: Store, run: string): Promise<number[]> {
  return (await store.readCommits(run, { after: 0, limit: 100 })).map(({ seq }) => seq);
}
