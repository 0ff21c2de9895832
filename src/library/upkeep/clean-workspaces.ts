import { branchSteps } from './drop-branches.ts';
import { chooseKept } from './choose-kept.ts';
import { findLeftovers, unexplained, whyLeft, type Leftovers } from './find-leftovers.ts';
import { goneArchives, keptArchives, keptPlaces } from './kept-places.ts';
import { keptRefs } from './kept-refs.ts';
import { readRecords, repositoriesOf, type Records, type WorkspacePorts } from './recorded-places.ts';
import { withRepositoryLeases } from '../repository-lease.ts';
import { goneOnAction, tendRun } from './tend-runs.ts';
import { carryOut, strayStep, troublesIn, type Step, type WorkspaceAction } from './workspace-actions.ts';

/** What `piton.cleanWorkspaces` may remove. */
export interface CleanOptions {
  /** Changes nothing, and says what would be done. */
  readonly dryRun?: boolean;
  /** Only what belongs to that run. */
  readonly run?: string;
  /** Only what has been kept for longer; archives, and what else is kept in git, go only by this, or by the quota. */
  readonly olderThanMs?: number;
  /** All that is kept together may take so much; the oldest goes first. Not with `run`. */
  readonly quotaBytes?: number;
  /** Also archives and the like of any age, and branches of runs that did not succeed. */
  readonly force?: boolean;
  /** Also what belongs to runs that this store does not know, and another one may. */
  readonly strays?: boolean;
  /** Of the project. Default: the working directory. */
  readonly folder?: string;
}

/** Cleans what is kept, except what a task that has not settled needs. Throws `LOCK_HELD`. */
export async function cleanWorkspaces(
  look: WorkspacePorts,
  options: CleanOptions,
): Promise<readonly WorkspaceAction[]> {
  const { dryRun = false, folder = process.cwd(), run } = options;
  if (dryRun) {
    const { steps, troubles } = await planCleaning(look, options);
    return [...troubles, ...steps.map(({ action }) => action)];
  }
  const repositories = await repositoriesOf(
    look,
    await readRecords(look, run === undefined ? {} : { run }),
    folder,
  );
  const commonDirs = repositories.map(({ commonDir }) => commonDir);
  return withRepositoryLeases(look.ports, commonDirs, async () => {
    const { records, steps, troubles } = await planCleaning(look, options);
    const actions = [...troubles];
    for (const group of Map.groupBy(steps, ({ action }) => action.run).values())
      actions.push(...(await carryOutGroup(look, records, group)));
    return actions;
  });
}

interface Cleaning {
  readonly records: Records;
  /** Branches last: what is removed before may be proved to be kept by them. */
  readonly steps: readonly Step[];
  readonly troubles: readonly WorkspaceAction[];
}

async function planCleaning(look: WorkspacePorts, options: CleanOptions): Promise<Cleaning> {
  const { run, folder = process.cwd(), strays: isAsked = false, force = false } = options;
  const leftovers = await findLeftovers(
    look,
    await readRecords(look, run === undefined ? {} : { run }),
    folder,
  );
  // Read after the folders were: what has come into being meanwhile is known now, and no stray.
  const records = await readRecords(look, run === undefined ? {} : { run });
  const branches = await branchSteps(look, records, force);
  const archives = keptArchives(look, leftovers.archives, { records, isAsked });
  const refs = keptRefs(look, withoutThose(leftovers.kept, branches), { records, isAsked, force });
  const chosen = await chooseKept(look, [...keptPlaces(look, records), ...archives, ...refs], {
    now: look.ports.clock.now(),
    olderThanMs: options.olderThanMs,
    quotaBytes: run === undefined ? options.quotaBytes : undefined,
    force,
  });
  const steps = [
    ...chosen.map(({ step }) => step),
    ...straySteps(look, { leftovers, records }, isAsked),
    // Where not all could be looked at, what is not seen is not gone.
    ...(leftovers.troubles.length === 0 ? goneArchives(leftovers.archives, records) : []),
    ...branches,
  ];
  return {
    records,
    steps: steps.filter(({ action }) => run === undefined || action.run === run),
    troubles: troublesIn(leftovers, records),
  };
}

/** What goes as the branch of a run does not go as something kept besides. */
function withoutThose(kept: Leftovers['kept'], branches: readonly Step[]): Leftovers['kept'] {
  const names = new Set(branches.map(({ action }) => action.name));
  return kept.filter(({ ref }) => !names.has(ref));
}

function straySteps(
  look: WorkspacePorts,
  { leftovers, records }: { readonly leftovers: Leftovers; readonly records: Records },
  isAsked: boolean,
): Step[] {
  return unexplained(leftovers.strays, records)
    .filter((stray) => whyLeft(stray, records, isAsked) === undefined)
    .map((stray) => strayStep(look, stray));
}

/** What belongs to a run is cleaned under its lease: nobody must begin it again meanwhile. */
async function carryOutGroup(
  look: WorkspacePorts,
  { runs }: Records,
  steps: readonly Step[],
): Promise<readonly WorkspaceAction[]> {
  const owner = runs.find(({ run }) => run === steps[0]!.action.run);
  if (owner === undefined) return (await carryOut(steps)).actions;
  const { state, run } = owner;
  return tendRun(look, owner, async (now) => (now.seq === state.seq ? steps : [goneOnAction(run)]));
}
