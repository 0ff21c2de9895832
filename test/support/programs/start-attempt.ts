/** Prepares and starts an attempt and tells who its wrapper is, then how it ended or, if told so, nothing more. */
import type { SpoolOrder } from '../../../src/spool/index.ts';
import { LocalSpool, type LocalSpoolOptions } from '../../../src/spool/local/index.ts';

export interface StartOrders {
  readonly options: LocalSpoolOptions;
  readonly order: SpoolOrder;
}

const { options, order } = JSON.parse(process.argv[2]!) as StartOrders;
const spool = new LocalSpool(options);
await spool.prepare(order);
const wrapper = await spool.start(order);
console.log(JSON.stringify(wrapper));
console.log(JSON.stringify(await spool.ended(order.attempt, { process: wrapper })));
