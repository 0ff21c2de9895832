import { asError, hasCode } from '../../base/index.ts';
import type { RunState } from '../../kernel/index.ts';
import type { ReadRun, WorkspacePorts } from './recorded-places.ts';
import {
  actionsOf,
  carryOut,
  isStep,
  type Carried,
  type Step,
  type WorkspaceAction,
} from './workspace-actions.ts';

export type Planned = readonly (Step | WorkspaceAction)[];

/** What is to be done for a run, seen from its state. */
export type PlanFor = (state: RunState) => Promise<Planned>;

/**
 * Does for a run what is planned for it, as its driver for so long, and journals it. Whoever has the run meanwhile keeps
 * it: then nothing is done. If it has gone on since it was read, it is planned anew.
 */
export async function tendRun(
  { engine }: WorkspacePorts,
  { run, state }: ReadRun,
  planFor: PlanFor,
): Promise<readonly WorkspaceAction[]> {
  const planned = await planFor(state);
  if (!planned.some(isStep)) return actionsOf(planned);
  let carried: Carried | undefined;
  try {
    await engine.tend(run, async (now) => {
      carried = await carryOut(now.seq === state.seq ? planned : await planFor(now));
      return carried.events;
    });
  } catch (thrown) {
    if (hasCode(thrown, 'RUN_DRIVEN')) return [drivenAction(run)];
    if (!['RUN_ELSEWHERE', 'RUN_BEHIND'].some((code) => hasCode(thrown, code))) throw thrown;
    return [{ run, what: 'nothing', reason: asError(thrown).message }];
  }
  return carried!.actions;
}

export function drivenAction(run: string): WorkspaceAction {
  return { run, what: 'nothing', reason: 'it is being driven: its places are left to whoever drives it' };
}

export function goneOnAction(run: string): WorkspaceAction {
  return { run, what: 'nothing', reason: 'it has gone on meanwhile: look again' };
}
