import { asError } from '../../base/index.ts';
import type { KeptArchive, KeptRef, RecordedTasks, RepositoryOrigin, Stray } from '../../workspaces/index.ts';
import {
  isOver,
  isStanding,
  placesOf,
  repositoriesOf,
  type Records,
  type WorkspacePorts,
} from './recorded-places.ts';

/** Something that no place of a task explains, in the repository it is in, if it is in one. */
export type Leftover<Kept> = Kept & { readonly repository: RepositoryOrigin | undefined };

export interface Leftovers {
  readonly strays: readonly Leftover<Stray>[];
  readonly archives: readonly Leftover<KeptArchive>[];
  /** What else is kept. */
  readonly kept: readonly Leftover<KeptRef>[];
  /** Why somewhere could not be looked. */
  readonly troubles: readonly string[];
}

/** `folder`: of the project. */
export async function findLeftovers(
  look: WorkspacePorts,
  records: Records,
  folder: string,
): Promise<Leftovers> {
  const { upkeep } = look.ports;
  const recorded = recordedIn(records);
  const strays = new Map<string, Leftover<Stray>>();
  const archives = new Map<string, Leftover<KeptArchive>>();
  const kept: Leftover<KeptRef>[] = [];
  const troubles: string[] = [];
  const repositories = await repositoriesOf(look, records, folder);
  for (const repository of repositories.length === 0 ? [undefined] : repositories) {
    try {
      // Those of folders are the same whatever the repository.
      for (const stray of await upkeep.strays(repository, recorded))
        strays.set(stray.name, { ...stray, repository });
      for (const archive of await upkeep.archives(repository))
        archives.set(nameOf(archive.ref, repository), { ...archive, repository });
      const refs = repository === undefined ? [] : await upkeep.keptRefs(repository, recorded);
      kept.push(...refs.map((ref) => ({ ...ref, repository })));
    } catch (thrown) {
      troubles.push(asError(thrown).message);
    }
  }
  return {
    strays: unexplained([...strays.values()], records),
    archives: [...archives.values()],
    kept,
    troubles,
  };
}

function recordedIn({ runs, known }: Records): RecordedTasks {
  return {
    runs: known,
    places: runs.flatMap(({ state }) => placesOf(state).filter(isStanding)).map(({ place }) => place),
    tasks: runs.flatMap(({ run, state }) =>
      Array.from(state.tasks.values(), ({ address, generation = 0 }) => ({ run, task: address, generation })),
    ),
  };
}

function nameOf(ref: string, repository: RepositoryOrigin | undefined): string {
  return ref.startsWith('refs/') ? `${repository?.commonDir} ${ref}` : ref;
}

/**
 * Without those that have been recorded since they were found, and without branches of places that are gone: they hold
 * what a task has committed.
 */
export function unexplained<Found extends Stray>(strays: readonly Found[], { runs }: Records): Found[] {
  const places = runs.flatMap(({ state }) => placesOf(state));
  const paths = places.filter(isStanding).map(({ place }) => place.path);
  const recorded = new Set([...paths, ...places.map(({ place }) => place.branch)]);
  return strays.filter(({ name }) => !recorded.has(name));
}

/**
 * Why a stray has to stay; undefined if it may go. A place is made before it is recorded: what belongs to a run that may
 * go on is not a stray, but found by its task again. `isAsked`: also branches that somebody may have made by hand.
 */
export function whyLeft(
  { run, kind }: Pick<Stray, 'run' | 'kind'>,
  records: Records,
  isAsked: boolean,
): string | undefined {
  if (kind === 'branch' && !isAsked) return `it is a branch (${ask})`;
  if (run !== undefined && records.known.includes(run)) return whyOwned(records, run);
  if (records.mayBeOthers && !isAsked) return `another store may know it (${ask})`;
  const isBusy = run === undefined && records.runs.some(({ isDriven }) => isDriven);
  return isBusy ? 'it may be of a run that is being driven' : undefined;
}

const ask = 'it goes only with --strays';

function whyOwned({ runs, unread }: Records, run: string): string | undefined {
  const owner = runs.find((each) => each.run === run);
  if (owner === undefined)
    return unread.some((each) => each.run === run) ? 'its run cannot be read' : 'its run was not looked at';
  if (owner.isDriven) return 'its run is being driven';
  return isOver(owner.state) ? undefined : 'its run may go on, and find it again';
}
