import { heldForPlace, isSettled, isToBeCleaned, statusOfTask, type RunState } from '../../kernel/index.ts';
import type { Look } from '../../workspaces/index.ts';
import { findLeftovers, unexplained, whyLeft, type Leftovers } from './find-leftovers.ts';
import {
  isOver,
  lookAt,
  placesOf,
  readRecords,
  repositoriesOf,
  type ReadRun,
  type RecordedPlace,
  type Records,
  type WorkspacePorts,
} from './recorded-places.ts';
import { withRepositoryLeases } from '../repository-lease.ts';
import { drivenAction, goneOnAction, tendRun, type Planned } from './tend-runs.ts';
import {
  actionsOf,
  carryOut,
  cleanStep,
  policyOf,
  strayStep,
  troublesIn,
  type Step,
  type WorkspaceAction,
} from './workspace-actions.ts';
import { willBeMade } from './report-workspaces.ts';

/** Which runs `piton.reconcile` looks at, and whether it changes anything. */
export interface ReconcileOptions {
  /** Changes nothing, and says what would be done. */
  readonly dryRun?: boolean;
  /** Only what belongs to that run. */
  readonly run?: string;
  /** Only runs with places that are there, as far as is recorded: quick, where there are many others. */
  readonly standing?: boolean;
  /** Also branches of runs that this store does not know. */
  readonly strays?: boolean;
  /** Of the project. Default: the working directory. */
  readonly folder?: string;
}

/** Looks at every place of runs that nobody drives, and puts right what can be. Throws `LOCK_HELD`. */
export async function reconcile(
  look: WorkspacePorts,
  options: ReconcileOptions,
): Promise<readonly WorkspaceAction[]> {
  const { dryRun = false, folder = process.cwd(), standing = false } = options;
  if (standing && (await look.ports.store.listRuns({ hasPlaces: true, limit: 1 })).length === 0) return [];
  if (dryRun) return reconcileNow(look, options);
  const repositories = await repositoriesOf(look, await readRecords(look, options), folder);
  const commonDirs = repositories.map(({ commonDir }) => commonDir);
  return withRepositoryLeases(look.ports, commonDirs, () => reconcileNow(look, options));
}

async function reconcileNow(
  look: WorkspacePorts,
  options: ReconcileOptions,
): Promise<readonly WorkspaceAction[]> {
  const { dryRun = false, run, strays = false, folder = process.cwd() } = options;
  const leftovers = await findLeftovers(look, await readRecords(look, options), folder);
  // Read after the folders were: what has come into being meanwhile is known now, and no stray.
  const records = await readRecords(look, options);
  const actions = [...troublesIn(leftovers, records)];
  for (const each of records.runs) actions.push(...(await reconcileRun(look, each, dryRun)));
  const planned = planStrays(look, { leftovers, records }, { run, isAsked: strays });
  for (const each of planned)
    actions.push(...(dryRun ? actionsOf([each]) : await carryOutStray(look, records, each)));
  return actions;
}

async function reconcileRun(
  look: WorkspacePorts,
  read: ReadRun,
  dryRun: boolean,
): Promise<readonly WorkspaceAction[]> {
  const open = placesOf(read.state).filter(isOpen);
  if (open.length === 0) return [];
  if (read.isDriven) return [drivenAction(read.run)];
  const planFor = (state: RunState): Promise<Planned> => planPlaces(look, state);
  return dryRun ? actionsOf(await planFor(read.state)) : tendRun(look, read, planFor);
}

/** Nothing has been decided about it yet. */
function isOpen(recorded: RecordedPlace): boolean {
  return recorded.place.cleaned === undefined;
}

async function planPlaces(look: WorkspacePorts, state: RunState): Promise<Planned> {
  const places = placesOf(state).filter(isOpen);
  const looks = await lookAt(
    look,
    places.filter((recorded) => !isSettled(recorded.task.life)),
  );
  return places.flatMap((recorded) => planPlace(look, recorded, looks.get(recorded)));
}

function planPlace(
  look: WorkspacePorts,
  recorded: RecordedPlace,
  seen: Look | undefined,
): (Step | WorkspaceAction)[] {
  const { state, task, place } = recorded;
  const policy = policyOf(look, state);
  if (isToBeCleaned(state, task, policy)) {
    const reason = `its task is over (${task.life.status}), and nobody has cleaned up after it`;
    return [cleanStep(look, recorded, { policy, reason })];
  }
  const about = { run: state.run, task: task.address, name: place.path };
  if (seen?.health === 'missing') return [{ ...about, what: 'nothing', reason: willBeMade(recorded) }];
  if (seen?.health !== 'drifted') return [];
  return [
    holdStep(recorded, seen) ?? { ...about, what: 'nothing', reason: `${seen.text}: ${leftText(recorded)}` },
  ];
}

function leftText({ task }: RecordedPlace): string {
  return task.life.status === 'held' ? 'its task is held already' : 'its next attempt will find that';
}

/** Only what has not begun again can be held; whoever is at work there finds it out by itself. */
function holdStep({ state, task, place }: RecordedPlace, { text }: Look): Step | undefined {
  if (!['pending', 'queued'].includes(statusOfTask(task))) return undefined;
  const { address } = task;
  return {
    action: { run: state.run, task: address, what: 'hold', name: place.path, reason: text },
    carryOut: async () => ({
      done: 'held',
      events: [
        { type: 'workspace.recovered', task: address, data: { found: text, how: 'held' } },
        // On other machines what is there is never moved away.
        heldForPlace(task, text, place.kind === 'remote' ? 'WORKSPACE_DRIFTED' : 'WORKTREE_REFUSED'),
      ],
    }),
  };
}

function planStrays(
  look: WorkspacePorts,
  { leftovers, records }: { readonly leftovers: Leftovers; readonly records: Records },
  { run, isAsked }: { readonly run: string | undefined; readonly isAsked: boolean },
): Planned {
  const keeps = look.ports.cleanup === 'keep' ? 'what is left behind is kept (cleanup: keep)' : undefined;
  return unexplained(leftovers.strays, records)
    .filter((stray) => run === undefined || stray.run === run)
    .map((stray) => {
      const step = strayStep(look, stray);
      const left = keeps ?? whyLeft(stray, records, isAsked);
      if (left === undefined) return step;
      return { ...step.action, what: 'nothing', reason: `${stray.text}: ${left}` };
    });
}

/** Of a run that has ended, under its lease: nobody must begin it again meanwhile. */
async function carryOutStray(
  look: WorkspacePorts,
  { runs }: Records,
  planned: Step | WorkspaceAction,
): Promise<readonly WorkspaceAction[]> {
  const { run } = 'action' in planned ? planned.action : planned;
  const owner = runs.find((each) => each.run === run);
  if (owner === undefined) return (await carryOut([planned])).actions;
  return tendRun(look, owner, async (state) => (isOver(state) ? [planned] : [goneOnAction(owner.run)]));
}
