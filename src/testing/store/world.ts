import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock, type ManualClock } from '../../base/index.ts';
import type { Store } from '../../store/index.ts';
import type { TestFramework } from '../framework.ts';

/** One place where data is kept, and the ways to get at it. */
export interface StoreUnderTest {
  /** A handle on it, as every process that uses it has one. */
  open(): Promise<Store>;
  /** A handle whose leases nobody renews, as if its process had been stopped. May be `open`, if renewals go by real time. */
  openSilent(): Promise<Store>;
  /** The store that `backup` made; absent if it `cannot` make one. */
  openBackup?(file: string): Promise<Store>;
  /** Changes the stored text of a blob behind the store's back; absent if nothing can get behind it. */
  damageBlob?(hash: string): void;
}

/** What a test has for the store that it opens. */
export interface TestPlace {
  /** An empty folder, removed after the test. */
  readonly folder: string;
  /** The time that the store is to go by: it stands still until the test advances it. */
  readonly clock: ManualClock;
}

/** What a test finds: a new place and one store open on it. Whatever it opens is closed after it. */
export interface World extends TestPlace {
  readonly framework: TestFramework;
  readonly store: Store;
  openAnother(): Promise<Store>;
  openSilent(): Promise<Store>;
  openBackup(file: string): Promise<Store>;
  damageBlob(hash: string): void;
}

export function newWorldPerTest(
  framework: TestFramework,
  prepare: (place: TestPlace) => StoreUnderTest,
): World {
  let place: TestPlace;
  let prepared: StoreUnderTest;
  const opened: Store[] = [];
  const track = async (opening: Promise<Store>): Promise<Store> => {
    opened.push(await opening);
    return opening;
  };

  framework.beforeEach(async () => {
    place = { folder: mkdtempSync(join(tmpdir(), 'piton-store-')), clock: manualClock() };
    prepared = prepare(place);
    await track(prepared.open());
  });
  framework.afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    rmSync(place.folder, { recursive: true, force: true });
  });

  return {
    framework,
    get clock() {
      return place.clock;
    },
    get folder() {
      return place.folder;
    },
    get store() {
      return opened[0]!;
    },
    openAnother: () => track(prepared.open()),
    openSilent: () => track(prepared.openSilent()),
    openBackup: (file) => track(prepared.openBackup!(file)),
    damageBlob: (hash) => prepared.damageBlob!(hash),
  };
}

export async function seqsOf(store: Store, run: string): Promise<number[]> {
  return (await store.readCommits(run, { after: 0, limit: 100 })).map(({ seq }) => seq);
}
