import type { EventOf } from '../model/index.ts';
import { endTrials } from './breakers.ts';
import { heldAsMaybeDone, isSettled, type Life } from './life.ts';
import { taskAt, type RunState } from './run-state.ts';
import { holdTask, isOccupying, vacate } from './settle-task.ts';
import { rememberSpooled } from './spooled.ts';

/** Folds `run.repaired`: what may have run in what the journal has lost waits for a person. */
export function foldRepair(state: RunState, { data }: EventOf<'run.repaired'>): void {
  state.lostTo = data.lostTo;
  state.repairedAt = state.at;
  if (data.head !== undefined) state.lostHead = data.head.hash;
  rememberSpooled(state, data.spooled ?? []);
  holdAll(state, data);
}

/** Of what these tasks have done, nobody knows. */
export function holdAll(
  state: RunState,
  { held, reason }: { readonly held: readonly string[]; readonly reason: string },
): void {
  for (const address of held) {
    const task = taskAt(state, address);
    if (!isHoldable(task.life)) continue;
    if (isOccupying(task)) vacate(state, task);
    endTrials(state, task, { isVerdict: false });
    holdTask(state, task, heldAsMaybeDone(reason));
    state.agenda.doomed.push(address);
  }
}

/** What has settled stays so, and what consists of other tasks has no attempt of its own to hold. */
export function isHoldable(life: Life): boolean {
  return !isSettled(life) && (life.status !== 'running' || life.attempt !== undefined);
}
