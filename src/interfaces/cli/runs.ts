import type { Piton, RunLine } from '../../library/index.ts';
import type { Context } from './context.ts';
import { Damages } from './damages.ts';

/** Runs that should go on, and that nobody drives. Newest first. */
export async function interruptedRuns(piton: Piton, { add }: Damages): Promise<readonly RunLine[]> {
  return piton.runs({ status: ['interrupted'], onDamaged: add });
}

/** One line on standard error, if there are runs whose driver has died. `except`: the run this command is about. */
export async function noticeInterrupted(
  context: Context,
  { except }: { readonly except?: string } = {},
): Promise<void> {
  if (!context.project.hasStore()) return;
  const damages = new Damages();
  const found = await interruptedRuns(await context.openExisting(), damages);
  const runs = found.filter(({ run }) => run !== except);
  for (const { message } of damages.found) context.output.note(message);
  const [only] = runs;
  if (only === undefined) return;
  context.output.note(
    runs.length === 1
      ? `Run ${only.run} (${only.workflow}) was interrupted. Go on with it: piton resume ${only.run}`
      : `${runs.length} runs were interrupted. Go on with all of them: piton resume --all`,
  );
}
