/** The conformance suite of stores: every promise of `Store`, for every adapter. */
import { describe } from 'vitest';
import { blobsContract, damagedBlobsContract } from './store/blobs.ts';
import { changesContract } from './store/changes.ts';
import { inboxContract } from './store/inbox.ts';
import { journalContract } from './store/journal.ts';
import { snapshotsContract } from './store/snapshots.ts';
import { leasesContract } from './store/leases.ts';
import { backupContract, mediumContract, noBackupContract } from './store/medium.ts';
import { pruneContract } from './store/prune.ts';
import { quarantineContract } from './store/quarantine.ts';
import { listingContract } from './store/runs.ts';
import { watchingContract } from './store/watching.ts';
import { newWorldPerTest, type BenchPlace, type StoreBench } from './store/world.ts';

/** What an adapter cannot do, with the reason. */
export interface Inabilities {
  readonly backup?: string;
  readonly damage?: string;
}

export function storeContract(
  name: string,
  makeBench: (place: BenchPlace) => StoreBench,
  cannot: Inabilities = {},
): void {
  describe(`${name}, as a store,`, () => {
    const world = newWorldPerTest(makeBench);
    journalContract(world);
    listingContract(world);
    changesContract(world);
    snapshotsContract(world);
    blobsContract(world);
    leasesContract(world);
    inboxContract(world);
    watchingContract(world);
    quarantineContract(world);
    pruneContract(world);
    mediumContract(world);
    if (cannot.damage === undefined) damagedBlobsContract(world);
    if (cannot.backup === undefined) backupContract(world);
    else noBackupContract(world, cannot.backup);
  });
}
