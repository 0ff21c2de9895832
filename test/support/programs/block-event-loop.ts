/** Takes a lease, blocks its event loop for longer than the lease lasts, and then writes under it. */
import { systemClock } from '../../../src/base/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { appending, creation } from '../store-requests.ts';

const [url = '', leaseMs = '', blockedMs = ''] = process.argv.slice(2);
const store = await openSqliteStore(url, { durability: 'full', clock: systemClock });
const lease = await store.createRun(creation('r1', { leaseMs: Number(leaseMs) }));
console.log('blocking');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(blockedMs));
await store.append(appending(lease, 2));
console.log('written');
// Left open on purpose: a lease must not keep a process alive.
