import { guarded } from '../base/index.ts';
import type { PlaceWork, Upkeep, Workspaces } from '../workspaces/index.ts';

/** What a driver changes in places. */
export interface DrivenPlaces {
  readonly workspaces: PlaceWork & Pick<Workspaces, 'keepArtifacts'>;
  readonly upkeep: Pick<Upkeep, 'clean'>;
}

/**
 * The same places, in which nothing is changed any more once another drives the run (`guard` throws then): whoever was
 * asleep in the middle of something would do the rest of it under the agent that works there by now.
 */
export function whileDriving({ workspaces, upkeep }: DrivenPlaces, guard: () => Promise<void>): DrivenPlaces {
  return {
    workspaces: {
      prepare: (request) => guarded(guard, () => workspaces.prepare(request)),
      enter: (request, order) => guarded(guard, () => workspaces.enter(request, order)),
      save: (request) => guarded(guard, () => workspaces.save(request)),
      integrate: (request) => guarded(guard, () => workspaces.integrate(request)),
      keepArtifacts: (order) => guarded(guard, () => workspaces.keepArtifacts(order)),
    },
    upkeep: { clean: (request, policy) => guarded(guard, () => upkeep.clean(request, policy)) },
  };
}
