/**
 * Makes a run, or takes the lease of one and writes the first commit under it; blocks its event loop at once for longer
 * than the lease lasts; and then writes once more.
 */
import { systemClock } from '../../../src/base/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { appending, creation, taking } from '../../../src/testing/store-requests.ts';

const [url = '', how = '', leaseMs = '', blockedMs = ''] = process.argv.slice(2);
const store = await openSqliteStore(url, { durability: 'full', clock: systemClock });
const length = { leaseMs: Number(leaseMs) };
const made = how === 'create' ? await store.createRun(creation('r1', length)) : undefined;
const lease = made ?? (await store.takeLease(taking('run:r1', length))).lease;
if (made === undefined) await store.append(appending(lease, 2));
console.log('blocking');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(blockedMs));
await store.append(appending(lease, made === undefined ? 3 : 2));
console.log('written');
// Left open on purpose: a lease must not keep a process alive.
