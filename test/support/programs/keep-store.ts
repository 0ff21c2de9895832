/** Makes the backup that is due for the store of a folder, or puts a backup in its place. Prints what came of it. */
import { join } from 'node:path';
import { open, PitonError, restoreStore, workflow } from '../../../src/index.ts';

export interface KeepOrders {
  readonly folder: string;
  /** Restores this one; without it, a backup is made. */
  readonly restore?: string;
  readonly keep?: number;
}

const { folder, restore, keep = 2 } = JSON.parse(process.argv[2]!) as KeepOrders;
const store = `sqlite:${join(folder, 'piton.db')}`;

try {
  if (restore === undefined) {
    await using piton = await open({ store, durability: 'process', backups: { everyMs: 1, keep } });
    // Backups are made while something is driven, and whoever closes waits for them.
    await (
      await piton.start(
        workflow('nothing').task('nothing', () => null),
        { id: `driven-${process.pid}` },
      )
    ).result();
  } else {
    const { aside = '' } = await restoreStore({ store, durability: 'process' }, restore);
    console.log(`aside ${aside}`);
  }
} catch (error) {
  if (!(error instanceof PitonError)) throw error;
  console.log(`refused ${error.code}: ${error.message}`);
}
