import type { RunState } from '../../kernel/index.ts';
import type { KeptRef } from '../../workspaces/index.ts';
import { mayGo } from './drop-branches.ts';
import type { Leftover } from './find-leftovers.ts';
import type { Kept } from './kept-places.ts';
import {
  isOver,
  isStanding,
  placesOf,
  type ReadRun,
  type Records,
  type WorkspacePorts,
} from './recorded-places.ts';

export interface KeptAsked {
  readonly records: Records;
  /** Also those of runs that this store does not know. */
  readonly isAsked: boolean;
  readonly force: boolean;
}

/**
 * What is kept in git beside archives, of runs that have ended. What another store may need goes only with `isAsked`; the
 * branch of a run only when somebody has taken it.
 */
export function keptRefs(
  look: WorkspacePorts,
  kept: readonly Leftover<KeptRef>[],
  { records, isAsked, force }: KeptAsked,
): Kept[] {
  return kept.flatMap((ref) => {
    if (ref.what === 'branch') return [];
    if (!records.known.includes(ref.run))
      return isAsked ? [keptRef(look, ref, { at: ref.at, since: 'its run was last at work' })] : [];
    const owner = records.runs.find(({ run }) => run === ref.run);
    if (owner === undefined || isNeeded(owner, ref, force)) return [];
    return [keptRef(look, ref, { at: endOf(owner.state), since: 'its run has ended' })];
  });
}

function isNeeded({ state, isDriven, ...read }: ReadRun, { what, task }: KeptRef, force: boolean): boolean {
  if (isDriven || !isOver(state)) return true;
  // A run that is tried again would begin at its base, without what its tasks have made.
  if (what === 'tip') return !mayGo({ state, isDriven, ...read }, force);
  // Of a place that is there it may be the proof that nothing is lost with it.
  return placesOf(state).some((recorded) => recorded.task.address === task && isStanding(recorded));
}

/** Not when it was last touched: to clean up after it is no reason to keep it longer. */
function endOf({ tasks, at }: RunState): number {
  const ends = Array.from(tasks.values(), ({ endedAt = 0 }) => endedAt);
  return ends.reduce((latest, end) => Math.max(latest, end), 0) || at;
}

function keptRef(
  { ports }: WorkspacePorts,
  { ref, run, task, repository }: Leftover<KeptRef>,
  age: Pick<Kept, 'at' | 'since'>,
): Kept {
  return {
    kind: 'archive',
    run,
    name: ref,
    repository,
    ...age,
    isRemote: false,
    step: (reason) => ({
      action: { run, ...(task !== undefined && { task }), what: 'drop ref', name: ref, reason },
      async carryOut() {
        await ports.upkeep.dropArchive(repository, ref);
        return { done: 'removed', events: [] };
      },
    }),
  };
}
