import type { Delivery } from '../delivery-contract.ts';
import { diffOf } from './diff.ts';
import { mergeRun } from './merge-run.ts';
import { openPullRequest, type Delivering } from './open-pull-request.ts';
import { deliverProgram, type DeliverOrder } from './program.ts';

export function gitDelivery(delivering: Delivering): Delivery {
  const { git, settings } = delivering;
  return Object.freeze({
    merge: (order) => mergeRun(git, order),
    openPullRequest: (order) => openPullRequest(delivering, order),
    async process(order) {
      const told: DeliverOrder = { order, settings, durability: git.durability };
      return { argv: deliverProgram(), input: JSON.stringify(told) };
    },
    diff: (order) => diffOf(git, order),
  } satisfies Delivery);
}
