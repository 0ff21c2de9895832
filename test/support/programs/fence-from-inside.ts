/** Fences the attempt that it runs inside of, and tells that it lived to see the end of it. */
import { insideOf } from '../../../src/base/index.ts';
import { LocalSpool } from '../../../src/spool/local/index.ts';
import type { StartOrders } from './start-attempt.ts';

const { options } = JSON.parse(process.env['ORDERS']!) as StartOrders;
const inside = insideOf(process.env);
const { survivors } = await new LocalSpool(options).fence(inside[0]!, { isGentle: false });
console.log(JSON.stringify({ inside, survivors }));
