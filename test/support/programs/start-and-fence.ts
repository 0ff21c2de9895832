/** Starts an attempt, waits until its command has written `pids`, and fences it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalSpool } from '../../../src/spool/local/index.ts';
import type { StartOrders } from './start-attempt.ts';

const { options, order } = JSON.parse(process.argv[2]!) as StartOrders;
const spool = new LocalSpool(options);
await spool.prepare(order);
const wrapper = await spool.start(order);
while (!existsSync(join(order.directory, 'pids'))) await pause(10);
await spool.fence(order.attempt, { process: wrapper });
