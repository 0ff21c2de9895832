import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { testStore } from '../../src/testing/index.ts';

testStore(
  { describe, test, beforeEach, afterEach },
  {
    name: 'sqlite',
    prepare: ({ folder, clock }) => {
      const file = join(folder, 'state', 'piton.db');
      const options = { durability: 'full', clock } as const;
      const open = () => openSqliteStore(`sqlite:${file}`, options);
      return {
        open,
        // Renewals go by real time, and these leases are far too long for one to fall due.
        openSilent: open,
        openBackup: (copy) => openSqliteStore(`sqlite:${copy}`, options),
        damageBlob: (hash) => overwriteBlob(file, hash),
      };
    },
  },
);

function overwriteBlob(file: string, hash: string): void {
  using database = new DatabaseSync(file);
  database.prepare(`UPDATE blobs SET text = 'forged' WHERE hash = ?`).run(hash);
}
