/** Brings the work of a task in, lets what it proposes pass, and says how it ended. */
import type { IntegrateRequest } from '../../../src/workspaces/index.ts';
import { Git } from '../../../src/workspaces/git/index.ts';
import { bringIn } from '../integrate-steps.ts';
import { plainEnvironment } from '../git-orders.ts';

const request = JSON.parse(process.argv[2]!) as IntegrateRequest;
const git = new Git({ environment: plainEnvironment(), durability: 'process', staleLockMs: 200 });
console.log(await bringIn(git, request));
