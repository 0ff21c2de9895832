import type { TestFramework } from './framework.ts';
import { blobsContract, damagedBlobsContract } from './store/blobs.ts';
import { changesContract } from './store/changes.ts';
import { importContract } from './store/import.ts';
import { inboxContract } from './store/inbox.ts';
import { journalContract } from './store/journal.ts';
import { snapshotsContract } from './store/snapshots.ts';
import { leasesContract } from './store/leases.ts';
import { backupContract, mediumContract, noBackupContract } from './store/medium.ts';
import { pruneContract } from './store/prune.ts';
import { quarantineContract } from './store/quarantine.ts';
import { listingContract } from './store/runs.ts';
import { watchingContract } from './store/watching.ts';
import { newWorldPerTest, type StoreUnderTest, type TestPlace } from './store/world.ts';

/** The store that is tested. */
export interface StoreSuite {
  /** For the names of the tests. */
  readonly name: string;
  /** Called before each test: a new place to keep data, and the ways to open it. */
  prepare(place: TestPlace): StoreUnderTest;
  /** What the store cannot do, each with the reason: then it must refuse it, or the suite leaves it out. */
  readonly cannot?: {
    readonly backup?: string;
    readonly damage?: string;
  };
}

/**
 * The conformance suite of stores: every promise of `Store`, one test each. A store that passes can be used with every part of Piton.
 * Registers the tests with the framework; call it at the top of a test file.
 */
export function testStore(framework: TestFramework, { name, prepare, cannot = {} }: StoreSuite): void {
  framework.describe(`${name}, as a store,`, () => {
    const world = newWorldPerTest(framework, prepare);
    journalContract(world);
    listingContract(world);
    changesContract(world);
    snapshotsContract(world);
    blobsContract(world);
    leasesContract(world);
    inboxContract(world);
    watchingContract(world);
    quarantineContract(world);
    importContract(world);
    pruneContract(world);
    mediumContract(world);
    if (cannot.damage === undefined) damagedBlobsContract(world);
    if (cannot.backup === undefined) backupContract(world);
    else noBackupContract(world, cannot.backup);
  });
}
