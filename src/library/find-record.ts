import { nearest, PitonError } from '../base/index.ts';
import type { RunRecord, Store } from '../store/index.ts';

const mostCompared = 500;

/** The run that is meant by the beginning of its id; without one, the latest. Throws `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`. */
export async function findRecord(store: Store, given: string | undefined): Promise<RunRecord> {
  if (given === undefined) return latest(store);
  if (given === '') throw emptyId();
  const exact = await store.findRun(given);
  if (exact !== undefined) return exact;
  const damages: PitonError[] = [];
  const onDamaged = (damage: PitonError): void => void damages.push(damage);
  const all = await store.listRuns({ prefix: given, limit: mostCompared, onDamaged });
  // Whoever names a run that is gone does not mean its fork, which is called after it.
  const found = all.filter(({ run, about }) => about?.fork === undefined || !isForkOf(run, given));
  // It may be the one that is meant.
  if (damages[0] !== undefined) throw damages[0];
  if (found.length === 1) return found[0]!;
  throw found.length === 0 ? await notFound(store, given) : ambiguous(given, found);
}

function isForkOf(run: string, given: string): boolean {
  return /^-\d+$/.test(run.slice(given.length));
}

async function latest(store: Store): Promise<RunRecord> {
  const [record] = await store.listRuns({ limit: 1 });
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

async function notFound(store: Store, given: string): Promise<PitonError> {
  const runs = (await store.listRuns({ limit: mostCompared, onDamaged: () => undefined })).map(
    ({ run }) => run,
  );
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
