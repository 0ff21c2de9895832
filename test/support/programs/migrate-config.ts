/** Migrates a configuration file by a migration that Piton does not have, since there is only one version yet. */
import { migrateConfigFile } from '../../../src/config/migrate-config.ts';

await migrateConfigFile(process.argv[2]!, [
  (document) => {
    const lease: unknown = document.get('silence');
    document.delete('silence');
    if (lease !== undefined) document.set('lease', lease);
  },
]);
