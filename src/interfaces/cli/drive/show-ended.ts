import type { RunRecord } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createProgress } from '../progress/index.ts';
import { conclude } from './drive-run.ts';
import type { Ending } from './ending.ts';

/** Of a run that has ended already: what became of it, with its exit code. */
export async function showEnded(context: Context, { run: id, status, seq }: RunRecord): Promise<ExitCode> {
  const { output } = context;
  const progress = createProgress({ output, lastLine: () => undefined });
  const run = await (await context.openExisting()).find(id);
  for await (const event of run.history({ upTo: seq })) progress.tell(event, false);
  output.print(`Run ${id} has ended already.`);
  return conclude(context, { ending: status as Ending, view: progress.viewOf(id) });
}
