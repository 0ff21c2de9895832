import { delimiter, dirname } from 'node:path';
import type { PlacedOrder } from './contract.ts';

const name = 'GIT_CEILING_DIRECTORIES';

/**
 * Places may lie inside of the repository that they were made from. In one that has no `.git`, or not any more, git would search
 * upwards and find the checkout of the user, and an agent would commit there.
 */
export function stayInPlace<Order extends PlacedOrder>(order: Order, path: string): Order {
  const { [name]: given } = order.env;
  const ceilings = given === undefined ? [dirname(path)] : [dirname(path), given];
  return { ...order, env: { ...order.env, [name]: ceilings.join(delimiter) } };
}
