import { hasCode } from '../../../base/index.ts';
import type { Piton, RunVerdict } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine } from '../output/index.ts';

const mendable: ReadonlySet<RunVerdict['faults'][number]['in']> = new Set(['journal', 'row', 'snapshot']);

/**
 * With `on-damage: repair`, before a run goes on: if its journal is damaged or has lost its end, it is taken back to its last good
 * commit, and that is told. What somebody else drives is left to them.
 */
export async function mendRun({ config, output }: Context, piton: Piton, run: string): Promise<void> {
  if (config.onDamage !== 'repair') return;
  const [verdict] = await piton.verify(run);
  const fault = verdict?.faults.find(({ in: where }) => mendable.has(where));
  if (fault === undefined) return;
  try {
    const { lastGood, held, takenUp = [] } = await piton.repair(run);
    const known =
      takenUp.length === 0
        ? ''
        : ` Not started again, since the spool has what they did: ${takenUp.join(', ')}.`;
    const waiting =
      held.length === 0 ? ' Nothing is held.' : ` Held, for a person to look at: ${held.join(', ')}.`;
    output.note(
      `! Run ${run} was damaged: ${cleanLine(fault.what)}. It was taken back to ${run}@${lastGood} (on-damage: repair).${cleanLine(`${known}${waiting}`)}`,
    );
  } catch (thrown) {
    if (!hasCode(thrown, 'RUN_DRIVEN')) throw thrown;
  }
}
