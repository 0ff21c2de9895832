import type { Piton } from '../../../library/index.ts';
import { startRetention } from '../../../project/index.ts';
import type { Context } from '../context.ts';
import { cleanLine } from '../output/index.ts';

/**
 * What runs have left whose driver was killed is put right before another begins. It is not what was asked for: whatever goes
 * wrong with it keeps nobody from that, and `piton workspace reconcile` says why.
 */
export async function tidyUp(context: Context, piton: Piton): Promise<void> {
  const { config, output } = context;
  await removeOldRuns(context);
  const actions = await piton.reconcile({ standing: true, folder: config.root }).catch(() => []);
  for (const { run, task, done, reason } of actions) {
    if (done === undefined) continue;
    const what = task === undefined ? `what run ${run} has left` : `the place of ${task} of run ${run}`;
    output.note(cleanLine(`${what} was ${done}: ${reason}`));
  }
}

/** Once a day, by a process of its own: nobody waits for it. */
export async function removeOldRuns({ project, program, now }: Context): Promise<void> {
  await startRetention(project, program, now());
}
