import type { RunState } from '../../kernel/index.ts';
import { isSettled } from '../../kernel/index.ts';
import type { Event } from '../../model/index.ts';
import type { KeptArchive, RepositoryOrigin } from '../../workspaces/index.ts';
import type { Leftover } from './find-leftovers.ts';
import {
  isDone,
  isStanding,
  placesOf,
  type Records,
  type RecordedPlace,
  type WorkspacePorts,
} from './recorded-places.ts';
import { cleanStep, policyOf, type Step } from './workspace-actions.ts';

/** Something that nobody needs any more, and that takes room. */
export interface Kept {
  /** `archive`: it holds what is nowhere else, and goes by its age, for room, or if all is to go. */
  readonly kind: 'place' | 'archive';
  /** Of this store; absent: of another one, or of none. */
  readonly run?: string;
  /** Its path, or its ref. */
  readonly name: string;
  readonly repository: RepositoryOrigin | undefined;
  /** Since when nobody needs it. */
  readonly at: number;
  /** What happened then, for people: "its task has settled". */
  readonly since: string;
  /** Elsewhere: nobody knows what it takes there. */
  readonly isRemote: boolean;
  /** Removes it, for a reason. */
  step(reason: string): Step;
}

/** Places of settled tasks, of runs that nobody drives. */
export function keptPlaces(look: WorkspacePorts, { runs }: Records): Kept[] {
  return runs
    .filter(({ isDriven }) => !isDriven)
    .flatMap(({ state }) => placesOf(state).filter((recorded) => isDone(recorded) && isStanding(recorded)))
    .map((recorded) => keptPlace(look, recorded));
}

function keptPlace(look: WorkspacePorts, recorded: RecordedPlace): Kept {
  const { state, task, place } = recorded;
  // Asked to clean, even those go that the policy keeps; what is to be archived in any case, is.
  const policy = policyOf(look, state) === 'archive' ? 'archive' : 'remove-when-clean-else-archive';
  return {
    kind: 'place',
    run: state.run,
    name: place.path,
    repository: state.origin?.repository,
    at: task.endedAt ?? state.at,
    since: 'its task has settled',
    isRemote: place.remote !== undefined,
    step: (reason) => cleanStep(look, recorded, { policy, reason }),
  };
}

/**
 * Archives that no unsettled task could be made again from. Those of runs that this store does not know may be needed by
 * another one: only with `isAsked`.
 */
export function keptArchives(
  look: WorkspacePorts,
  archives: readonly Leftover<KeptArchive>[],
  { records, isAsked }: { readonly records: Records; readonly isAsked: boolean },
): Kept[] {
  return archives.flatMap((archive) => {
    if (!records.known.includes(archive.run)) return isAsked ? [keptArchive(look, archive)] : [];
    const owner = records.runs.find(({ run }) => run === archive.run);
    if (owner === undefined || owner.isDriven) return [];
    const task = owner.state.tasks.get(archive.task);
    const isNeeded = task !== undefined && !isSettled(task.life);
    return isNeeded ? [] : [keptArchive(look, archive, owner.state)];
  });
}

function keptArchive({ ports }: WorkspacePorts, archive: Leftover<KeptArchive>, state?: RunState): Kept {
  const { ref, run, task, at, repository } = archive;
  return {
    kind: 'archive',
    ...(state !== undefined && { run }),
    name: ref,
    repository,
    at,
    since: 'it was archived',
    isRemote: false,
    step: (reason) => ({
      action: { run, task, what: 'drop archive', name: ref, reason },
      async carryOut() {
        await ports.upkeep.dropArchive(repository, ref);
        return { done: 'removed', events: forgotten(state, archive, reason) };
      },
    }),
  };
}

/** Archives that the journal still names, and that are gone: whoever removed them died before that was written down. */
export function goneArchives(archives: readonly KeptArchive[], { runs }: Records): Step[] {
  const there = new Set(archives.map(({ ref }) => ref));
  return runs
    .filter(({ isDriven }) => !isDriven)
    .flatMap(({ state }) => placesOf(state).filter(isDone))
    .flatMap(({ state, task, place }) => {
      const { how, ref } = place.cleaned ?? {};
      if (how !== 'archived' || ref === undefined || there.has(ref)) return [];
      const reason = 'it is gone already';
      const archive = { ref, run: state.run, task: task.address, at: 0 };
      return [
        {
          action: { run: state.run, task: task.address, what: 'drop archive', name: ref, reason },
          carryOut: async () => ({ done: 'noted', events: forgotten(state, archive, reason) }),
        },
      ];
    });
}

/** The place of the task is not archived any more. */
function forgotten(state: RunState | undefined, { task, ref }: KeptArchive, reason: string): Event[] {
  if (state?.tasks.get(task)?.workspace?.cleaned?.ref !== ref) return [];
  return [{ type: 'workspace.cleaned', task, data: { how: 'removed', reason: `its archive: ${reason}` } }];
}
