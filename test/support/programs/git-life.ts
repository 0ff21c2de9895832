/** Lives the life of a worktree, and says how it ended. */
import { Git, gitFailureReason } from '../../../src/workspaces/git/index.ts';
import { live, type LifeOrder } from '../git-life.ts';
import { plainEnvironment } from '../git-orders.ts';

const order = JSON.parse(process.argv[2]!) as LifeOrder;
const git = new Git({ environment: plainEnvironment(), durability: 'process', staleLockMs: 200 });
try {
  await live(git, order);
  console.log('lived');
} catch (error) {
  console.log(`failed: ${gitFailureReason(error) ?? String(error)}`);
}
