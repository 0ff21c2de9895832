/** Brings the branch of a run into the user's checkout, and says how. */
import { mergeRun } from '../../../src/workspaces/delivery/merge-run.ts';
import { Git } from '../../../src/workspaces/git/index.ts';
import type { RunMerge } from '../../../src/workspaces/index.ts';
import { plainEnvironment } from '../git-orders.ts';

const { order, identity } = JSON.parse(process.argv[2]!) as {
  order: RunMerge;
  identity: Record<string, string>;
};
const git = new Git({ environment: plainEnvironment(identity), durability: 'process', staleLockMs: 50 });
console.log((await mergeRun(git, order)).how);
