import { asError } from '../../base/index.ts';
import type { RunRecord } from '../../store/index.ts';
import type { MergedBranch, RepositoryOrigin } from '../../workspaces/index.ts';
import { withRepositoryLease } from '../repository-lease.ts';
import { isOver, type WorkspacePorts } from './recorded-places.ts';

interface Taken {
  readonly repository: RepositoryOrigin;
  readonly branch: MergedBranch;
}

/** What git keeps of runs that are to be removed. */
export class HeldByGit {
  readonly #look: WorkspacePorts;
  /** By run: a branch of the user's holds all of its branch. */
  readonly #taken = new Map<string, Taken>();

  constructor(look: WorkspacePorts) {
    this.#look = look;
  }

  /** By run: what would belong to nobody once the run is gone, and what to do about it. A branch that was merged may go. */
  async whyNeeded(runs: readonly RunRecord[]): Promise<ReadonlyMap<string, string>> {
    const held = new Map<string, string>();
    for (const [repository, names] of await groupsOf(this.#look, runs))
      for (const [run, reason] of await this.#whyHeldIn(repository, names)) held.set(run, reason);
    return held;
  }

  /** Removes the branch of a run that was merged, as `workspace clean` does. Gives the reason if the run has to stay. */
  async letGo(run: string): Promise<string | undefined> {
    const taken = this.#taken.get(run);
    if (taken === undefined) return undefined;
    const { engine, ports } = this.#look;
    const { repository, branch } = taken;
    let isGone = false;
    try {
      await withRepositoryLease(ports, repository.commonDir, () =>
        engine.tend(run, async (state) => {
          isGone = isOver(state) && (await ports.upkeep.dropBranch(repository, branch));
          return [];
        }),
      );
    } catch (thrown) {
      return asError(thrown).message;
    }
    return isGone ? undefined : 'its branch has changed since it was merged';
  }

  async #whyHeldIn(repository: RepositoryOrigin, runs: readonly string[]): Promise<[string, string][]> {
    try {
      const kept = await this.#keptIn(repository, runs);
      const merged = await this.#look.ports.upkeep.mergedBranches(
        repository,
        [...kept.keys()].map((run) => ({ run })),
      );
      for (const branch of merged)
        // One that was squashed is archived when it goes: then the archive is kept.
        if (branch.squash === undefined) this.#taken.set(branch.run, { repository, branch });
      return [...kept].flatMap(([run, refs]): [string, string][] => {
        const left = refs.find((ref) => ref !== this.#taken.get(run)?.branch.branch);
        return left === undefined ? [] : [[run, heldText(run, left)]];
      });
    } catch (thrown) {
      return runs.map((run) => [run, `its repository cannot be asked: ${asError(thrown).message}`]);
    }
  }

  /** The refs, and folders of archives, of each of these runs that has some. */
  async #keptIn(
    repository: RepositoryOrigin,
    runs: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { upkeep } = this.#look.ports;
    const archives = await upkeep.archives(repository);
    const refs = await upkeep.keptRefs(repository, { runs, places: [], tasks: [] });
    const found = [...archives, ...refs].filter(({ run }) => runs.includes(run));
    const groups = Map.groupBy(found, ({ run }) => run);
    return new Map(Array.from(groups, ([run, kept]) => [run, kept.map(({ ref }) => ref)]));
  }
}

/** By the repository that they work on. */
async function groupsOf(
  { engine }: WorkspacePorts,
  runs: readonly RunRecord[],
): Promise<Iterable<[RepositoryOrigin, string[]]>> {
  const groups = new Map<string, [RepositoryOrigin, string[]]>();
  for (const { run } of runs) {
    // It may have come from elsewhere since its first commit.
    const repository = (await engine.load(run)).origin?.repository;
    if (repository === undefined) continue;
    const group = groups.get(repository.commonDir) ?? [repository, []];
    groups.set(repository.commonDir, group);
    group[1].push(run);
  }
  return groups.values();
}

function heldText(run: string, ref: string): string {
  const name = ref.replace(/^refs\/heads\//, '');
  return `git keeps ${name} of it: take its work (piton merge ${run}), or see piton workspace clean ${run}`;
}
