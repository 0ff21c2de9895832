import { insideOf, PitonError } from '../base/index.ts';
import type { LeaseOwner, Workflow } from '../model/index.ts';
import { loadRun } from './load-run.ts';
import type { EnginePorts } from './options.ts';

/** A task that goes on with its own run would wait for itself, and be fenced by itself. */
export async function refuseFromInside({ store, environment }: EnginePorts, run: string): Promise<void> {
  const inside = insideOf(environment);
  if (inside.length === 0) return;
  const { state } = await loadRun(store, run);
  const task = [...state.tasks.values()].find(({ lastAttempt = '' }) => inside.includes(lastAttempt));
  if (task === undefined) return;
  throw new PitonError('RUN_INSIDE', `This is a process of ${task.address}, a task of run ${run} itself.`, {
    run,
    task: task.address,
    remedy: 'Drive the run from outside of it.',
  });
}

/** Settled tasks are opened anew when a run is taken up, and by nobody who drives it already. */
export function drivenHere(run: string, { pid, host }: LeaseOwner): PitonError {
  return new PitonError('RUN_DRIVEN', `Run ${run} is driven by this process already.`, {
    run,
    pid,
    host,
    remedy: 'Ask its driver (`run.retry`, `run.skip`), or wait for its end.',
  });
}

export function isBeingClosed(): PitonError {
  return new PitonError('STORE_CLOSED', 'Piton is being closed.', { remedy: 'Open it again.' });
}

export function assertSameWorkflow(run: string, name: string, given: Workflow): void {
  if (name === given.name) return;
  throw new PitonError('RUN_CHANGED', `Run ${run} is one of ${name}, not of ${given.name}.`, {
    run,
    remedy: 'Choose another id, or resume it with its own definition.',
  });
}
