import { nearest, PitonError } from '../../base/index.ts';
import type { Piton, RunLine } from '../../library/index.ts';
import type { Context } from './context.ts';
import { Damages } from './damages.ts';

/** What lists know of a run. */
export type RunRecord = Awaited<ReturnType<Piton['list']>>[number];

const mostCompared = 500;

/** The run that is meant by the beginning of its id; without one, the latest. Throws `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`. */
export async function findRecord(piton: Piton, given?: string): Promise<RunRecord> {
  if (given === undefined) return latest(piton);
  if (given === '') throw emptyId();
  const damages = new Damages();
  const found = await piton.list({ prefix: given, limit: mostCompared, onDamaged: damages.add });
  const exact = found.find(({ run }) => run === given);
  if (exact !== undefined) return exact;
  // It may be the one that is meant.
  damages.refuse();
  if (found.length === 1) return found[0]!;
  throw found.length === 0 ? await notFound(piton, given) : ambiguous(given, found);
}

async function latest(piton: Piton): Promise<RunRecord> {
  const [record] = await piton.list({ limit: 1 });
  if (record !== undefined) return record;
  throw new PitonError('RUN_NOT_FOUND', 'There are no runs yet.', {
    remedy: 'Start one: piton run <workflow>.',
  });
}

/** Every id begins with it: a variable of a script that was never set must not mean the only run there is. */
function emptyId(): PitonError {
  return new PitonError('USAGE_INVALID', 'The id of the run is empty.', {
    remedy: 'Name a run: see piton list. Without an argument, the latest is meant.',
  });
}

async function notFound(piton: Piton, given: string): Promise<PitonError> {
  const runs = (await piton.list({ limit: mostCompared, onDamaged: () => undefined })).map(({ run }) => run);
  const close =
    nearest(given, runs) ??
    nearest(
      given,
      runs.map((run) => run.slice(0, given.length)),
    );
  return new PitonError('RUN_NOT_FOUND', `There is no run whose id is or begins with ${given}.`, {
    run: given,
    remedy:
      close === undefined
        ? 'See all runs with piton list. If it was there before: piton verify.'
        : `Did you mean ${close}?`,
  });
}

function ambiguous(given: string, found: readonly RunRecord[]): PitonError {
  const runs = found.map(({ run }) => run);
  const shown = runs.slice(0, 10).join(', ') + (runs.length > 10 ? '…' : '');
  return new PitonError('RUN_AMBIGUOUS', `${runs.length} runs begin with ${given}: ${shown}.`, {
    run: given,
    runs,
    remedy: 'Give more of the id.',
  });
}

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
