import { programFile } from '../../base/index.ts';
import type { PullRequestOrder } from '../delivery-contract.ts';
import type { DeliverySettings } from './open-pull-request.ts';

const program = programFile('workspaces/delivery/deliver-main');

/** What `deliver-main` is told on its standard input. */
export interface DeliverOrder {
  readonly order: PullRequestOrder;
  readonly settings: DeliverySettings;
  readonly durability: 'full' | 'process';
}

/** The command line of the program that opens a pull request. */
export function deliverProgram(): readonly string[] {
  return [process.execPath, program];
}
