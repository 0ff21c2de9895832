/** Creates a run and appends to it up to commit `last`, printing each seq once it is durable, or the code of what refused it. */
import { hasCode, systemClock } from '../../../src/base/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { appending, creation } from '../../../src/testing/store-requests.ts';

const [url = '', run = '', last = '1'] = process.argv.slice(2);
// Past its file-size limit a process gets this signal; caught, the write fails instead, as on a failing disk.
process.on('SIGXFSZ', () => undefined);
const store = await openSqliteStore(url, { durability: 'full', clock: systemClock });
try {
  const lease = await store.createRun(creation(run));
  console.log(1);
  for (let seq = 2; seq <= Number(last); seq++) {
    await store.append(appending(lease, seq));
    console.log(seq);
  }
} catch (error) {
  console.log(hasCode(error, String((error as { code?: unknown }).code)) ? error.code : error);
}
await store.close();
