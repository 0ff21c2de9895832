import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PullRequestOrder } from '../delivery-contract.ts';
import type { DeliverySettings } from './open-pull-request.ts';

/** Beside this file: with the ending the whole project has, as a source or compiled. */
const program = join(import.meta.dirname, `deliver-main${extname(fileURLToPath(import.meta.url))}`);

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
