import { PitonError, randomId } from '../base/index.ts';
import { checkInputs } from '../definition/index.ts';
import {
  assertSecretsOf,
  Engine,
  pruneRuns,
  readChanges,
  readLastLine,
  readOutput,
  type ChangesOptions,
  type Inputs,
  type Observer,
  type OutputOptions,
  type OutputPart,
  type ResumeOptions,
  type ResumePreview,
  type Repair,
  type RunVerdict,
} from '../engine/index.ts';
import { mayNeedWorktrees, mentionsGit } from '../kernel/index.ts';
import type { Origin, Workflow } from '../model/index.ts';
import type { Pruned, RunChange, RunFilter, RunRecord } from '../store/index.ts';
import type { Diff, PullRequest, RunMerged } from '../workspaces/index.ts';
import {
  usageByDay,
  type DayUsage,
  type DriverView,
  type InboxItem,
  type RunLine,
  type SearchHit,
} from '../views/index.ts';
import type { Definition } from './definition.ts';
import {
  diffOfRun,
  mergeRun,
  openPullRequest,
  type DiffOptions,
  type MergeOptions,
  type PullRequestRequest,
} from './delivery.ts';
import { driverOf, lostEndOf } from './circumstances.ts';
import { readInbox } from './inbox.ts';
import { findRecord } from './find-record.ts';
import { listRuns, type RunsFilter } from './list-runs.ts';
import { plainInputs } from './plain-inputs.ts';
import { programOf } from './program.ts';
import { Run } from './run.ts';
import { assertRunId } from './run-id.ts';
import { searchRuns, type SearchOptions } from './search.ts';
import { cleanWorkspaces, type CleanOptions } from './upkeep/clean-workspaces.ts';
import { reconcile, type ReconcileOptions } from './upkeep/reconcile.ts';
import { reportWorkspaces, type WorkspacesOptions } from './upkeep/report-workspaces.ts';
import { restoreArchive, type RestoreOptions } from './upkeep/restore-archive.ts';
import type { WorkspaceAction } from './upkeep/workspace-actions.ts';
import type { WorkspaceReport } from './upkeep/workspace-report.ts';
import type { WorkspacePorts } from './upkeep/recorded-places.ts';

/** What a run is started with: inputs, the state of a graph, or both, as the workflow has them. */
export type StartOptions<Given, State> = {
  /** The run's name; starting the same id again attaches to that run. Default: a random one. */
  readonly id?: string;
  /** The folder its commands run in, and what it is compared with when it goes on. Default: the working directory. */
  readonly origin?: Origin;
} & InputsOption<Given> &
  StateOption<State>;

type InputsOption<Given> = [Given] extends [undefined]
  ? unknown
  : {} extends Given
    ? { readonly inputs?: Given }
    : { readonly inputs: Given };
type StateOption<State> = State extends object ? { readonly state?: Partial<State> } : unknown;

/** Runs definitions durably on one store. Made by `open`. */
export class Piton implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #ports: WorkspacePorts['ports'];

  constructor(ports: WorkspacePorts['ports']) {
    this.#ports = ports;
    this.#engine = new Engine(ports);
  }

  /**
   * Starts a run; it is durable when this resolves. With the id of a run that is there already it attaches to that one:
   * it goes on with it if nobody drives it, and never starts a second.
   */
  async start<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    ...[options]: {} extends StartOptions<Given, State>
      ? [options?: StartOptions<Given, State>]
      : [options: StartOptions<Given, State>]
  ): Promise<Run<Outputs, State>> {
    const {
      id = randomId(12),
      inputs,
      state,
      origin = { directory: process.cwd() },
    } = (options ?? {}) as { id?: string; inputs?: unknown; state?: unknown; origin?: Origin };
    assertRunId(id);
    await this.#ports.permit?.();
    const program = await programOf(definition);
    const given = await inputsFor(definition, inputs);
    await this.#engine.start(program, {
      run: id,
      inputs: given,
      origin: await this.#withRepository(origin, program.workflow, id),
      ...(state !== undefined && { state: plainInputs(state, 'state') }),
    });
    return this.#handle(id, definition);
  }

  /** How many files a run in that folder would not see, because they are not committed and its tasks work in worktrees. */
  async uncommittedFiles({ workflow }: Definition, folder: string): Promise<number> {
    if (!mayNeedWorktrees(workflow)) return 0;
    const { workspaces } = this.#ports;
    const repository = await workspaces.find(folder, undefined);
    return repository === undefined ? 0 : workspaces.uncommitted(repository);
  }

  /** Where agents write, it is looked for: they work in worktrees of it. */
  async #withRepository(origin: Origin, workflow: Workflow, id: string): Promise<Origin> {
    if (!mayNeedWorktrees(workflow) && origin.workspace?.mode !== 'worktree') return origin;
    const repository = await this.#ports.workspaces.find(origin.directory, workflow.base);
    if (repository === undefined && mentionsGit(workflow)) throw noRepository(origin.directory);
    if (repository === undefined) return origin;
    if ((await this.#ports.store.findRun(id)) === undefined) {
      // Before the repository's configuration is taken for the user's own: that is only for runs that begin.
      assertSecretsOf(workflow, this.#ports.environment);
      await this.#ports.workspaces.assertFree(repository, id);
    }
    return { ...origin, repository };
  }

  /**
   * Goes on with a run after its process has ended. A run that has ended gives its result at once.
   * Throws `RUN_NOT_FOUND`, `RUN_DRIVEN` (elsewhere), `RUN_CHANGED` (the definition), `RUN_DAMAGED`, `REDO_REFUSED`.
   */
  async resume<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    id: string,
    options: ResumeOptions = {},
  ): Promise<Run<Outputs, State>> {
    await this.#ports.permit?.();
    await this.#engine.resume(await programOf(definition), id, options);
    return this.#handle(id, definition);
  }

  /** A run to look at, whoever drives it. Throws `RUN_NOT_FOUND`. */
  async find(id: string): Promise<Run> {
    await this.#engine.find(id);
    return new Run(id, { engine: this.#engine, ports: this.#ports });
  }

  /** The definition a run keeps, and where that came from. Functions cannot be kept: those it calls must be given anew. */
  async definitionOf(id: string): Promise<{ readonly definition: Definition; readonly origin?: Origin }> {
    const { workflow, origin } = await this.#engine.load(id);
    const definition = { workflow, functions: {}, closures: {}, declaresInputs: true };
    return { definition, ...(origin !== undefined && { origin }) };
  }

  /**
   * The error with which going on with a run would be refused, if its journal lacks a commit that was written down outside of it
   * (`RUN_BEHIND`), or that cannot be read (`SPOOL_UNREADABLE`). Cheap: one small file is read.
   */
  async findLostEnd(id: string): Promise<PitonError | undefined> {
    return lostEndOf(this.#ports, await this.#engine.find(id));
  }

  /** What going on with a run would do for each task, and why. Changes nothing. */
  preview(id: string, definition?: Definition): Promise<ResumePreview> {
    return this.#engine.preview(id, definition?.workflow);
  }

  /** Who drives a run, or did so last without letting go of it. */
  async driver(id: string): Promise<DriverView | undefined> {
    return driverOf(this.#ports, id);
  }

  /** What a command has printed so far and, with `follow`, prints until it ends; secrets are left out. */
  output(attempt: string, options: OutputOptions = {}): AsyncIterable<OutputPart> {
    return readOutput(this.#ports, attempt, options);
  }

  /** The folder with everything that an attempt's process wrote. */
  spoolOf(attempt: string): string {
    return this.#ports.spool.folderOf(attempt);
  }

  /** The attempts whose files are still kept, and the process of those that are alive. */
  async keptAttempts(): Promise<{ readonly attempt: string; readonly pid?: number }[]> {
    const { spool } = this.#ports;
    const kept: { readonly attempt: string; readonly pid?: number }[] = [];
    for (const attempt of await spool.list()) {
      const seen = await spool.look(attempt);
      kept.push({ attempt, ...(seen.type === 'alive' && { pid: seen.process.pid }) });
    }
    return kept;
  }

  /** When an attempt last printed anything, in milliseconds since 1970. */
  lastOutputAt(attempt: string): Promise<number | undefined> {
    return this.#ports.spool.lastOutputAt(attempt);
  }

  /** The last line a command printed. */
  lastLine(attempt: string): Promise<string | undefined> {
    return readLastLine(this.#ports, attempt);
  }

  /** What lists show of the runs, newest first. `status`: as they are shown, so also `interrupted` and `behind`. */
  runs(filter: RunsFilter = {}): Promise<readonly RunLine[]> {
    return listRuns(this.#upkeep, filter);
  }

  /**
   * What is stored of the run whose id begins so; without that, of the newest. Throws `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`, `USAGE_INVALID` if
   * it is empty.
   */
  findRecord(prefix?: string): Promise<RunRecord> {
    return findRecord(this.#ports.store, prefix);
  }

  /**
   * What is changed in all runs, whoever drives them: each commit in the order in which it came, and each removal. Whoever keeps the
   * cursor of the last one and goes on after it misses nothing, and is told nothing twice. Throws `CURSOR_INVALID`.
   */
  changes(options: ChangesOptions = {}): AsyncIterable<RunChange> {
    return readChanges({ engine: this.#engine, store: this.#ports.store }, options);
  }

  /** The cursor of the newest change, to hear only of later ones. */
  newestCursor(): Promise<string> {
    return this.#ports.store.newestCursor();
  }

  /** All that waits for a person, in all runs that have not ended. */
  inbox(filter: Pick<RunFilter, 'onDamaged'> = {}): Promise<readonly InboxItem[]> {
    return readInbox(this.#upkeep, filter);
  }

  /**
   * Lines of conversations that hold a text, whatever its case: the newest run first, and in it what was said last. Searched is what
   * agents say, think, call and get back, what people tell them, and what checks report. Throws `USAGE_INVALID`, `RUN_NOT_FOUND`,
   * `TASK_UNKNOWN`.
   */
  search(text: string, options: SearchOptions = {}): AsyncIterable<SearchHit> {
    return searchRuns(this.#upkeep, text, options);
  }

  /** What agents have used, by day and agent, newest day first. */
  async usage(filter: Pick<RunFilter, 'onDamaged'> = {}): Promise<readonly DayUsage[]> {
    return usageByDay(await this.#ports.store.listRuns({ ...filter, spentOn: 'any' }));
  }

  /** The places of all tasks, what is kept of them, and what nobody has recorded. Changes nothing. */
  workspaces(options: WorkspacesOptions = {}): Promise<readonly WorkspaceReport[]> {
    return reportWorkspaces(this.#upkeep, options);
  }

  /**
   * Looks at every place of runs that nobody drives: what nobody cleaned up is cleaned, what somebody has changed is held
   * for a person, and all is journalled. Called again it does nothing. Throws `LOCK_HELD`.
   */
  reconcile(options: ReconcileOptions = {}): Promise<readonly WorkspaceAction[]> {
    return reconcile(this.#upkeep, options);
  }

  /** Cleans what is kept: places of settled tasks, old archives, merged branches. Throws `LOCK_HELD`. */
  cleanWorkspaces(options: CleanOptions = {}): Promise<readonly WorkspaceAction[]> {
    return cleanWorkspaces(this.#upkeep, options);
  }

  /** Lays out what is kept of a place in a new folder. Throws `ARCHIVE_UNKNOWN`, `FOLDER_EXISTS`. */
  restoreArchive(options: RestoreOptions): Promise<void> {
    return restoreArchive(this.#upkeep, options);
  }

  get #upkeep(): WorkspacePorts {
    return { engine: this.#engine, ports: this.#ports };
  }

  /**
   * Brings what a run has made into the branch that is checked out where it was started, if nothing of yours is lost by that.
   * Throws `RUN_INCOMPLETE`, `MERGE_REFUSED`, `DELIVERY_CONFLICT`, `NOTHING_TO_DELIVER`, `RUN_DRIVEN`, `LOCK_HELD`.
   */
  merge(run: string, options: MergeOptions = {}): Promise<RunMerged> {
    return mergeRun(this.#upkeep, run, options);
  }

  /**
   * Pushes the branch of a run and opens a pull request of it, unless there is one. Throws `RUN_INCOMPLETE`,
   * `PUSH_REFUSED`, `PUSH_FAILED`, `PULL_REQUEST_FAILED`, `NOTHING_TO_DELIVER`, `RUN_DRIVEN`.
   */
  openPullRequest(run: string, options: PullRequestRequest = {}): Promise<PullRequest> {
    return openPullRequest(this.#upkeep, run, options);
  }

  /** What a run, or one of its tasks, has changed. Throws `NOTHING_TO_DELIVER`, `TASK_UNKNOWN`, `PLACE_MISSING`. */
  diff(run: string, options: DiffOptions = {}): Promise<Diff> {
    return diffOfRun(this.#upkeep, run, options);
  }

  /** Calls back with everything that happens to the runs driven here, after it was committed. Returns the way to stop. */
  observe(observer: Observer): () => void {
    return this.#ports.observers.add(observer);
  }

  /** Looks through the journal of one run, or of all, and for runs that the store has lost. */
  verify(id?: string): Promise<readonly RunVerdict[]> {
    return this.#engine.verify(id);
  }

  /** All runs, newest first, also those of which a list can show nothing because their rows are damaged. */
  runIds(): Promise<string[]> {
    return this.#ports.store.listRunIds();
  }

  /** Looks through the store itself, beside the journals: pages, rows and what they refer to. Each text names one damage. */
  checkStore(): Promise<readonly string[]> {
    return this.#ports.store.checkMedium();
  }

  /**
   * Takes a damaged run back to its last good commit, and holds every task that may have run since; makes anew what lists show of it.
   */
  repair(id: string): Promise<Repair> {
    return this.#engine.repair(id);
  }

  /** Folds what lists show of the runs anew from their journals. */
  rebuildSummaries(): Promise<void> {
    return this.#engine.rebuildSummaries();
  }

  /** Removes runs that ended before a time, or the ones named. What is damaged is kept, and named. */
  prune(request: {
    readonly before?: number;
    readonly runs?: readonly string[];
  }): Promise<Pick<Pruned, 'runs' | 'kept'>> {
    return pruneRuns(this.#ports, request);
  }

  /** A consistent copy of the store, while runs go on. */
  backup(file: string): Promise<void> {
    return this.#ports.store.backup(file);
  }

  /** Stops what runs, writes that down and lets go of it; it can be resumed. */
  async close(): Promise<void> {
    await this.#engine.close();
    await this.#ports.closePlaces();
    await this.#ports.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #handle<Outputs, State>(id: string, definition: Definition): Run<Outputs, State> {
    return new Run<Outputs, State>(id, { engine: this.#engine, ports: this.#ports, definition });
  }
}

async function inputsFor(definition: Definition, given: unknown): Promise<Inputs> {
  const inputs = plainInputs(given, 'inputs');
  return definition.declaresInputs === true ? checkInputs(definition.workflow, inputs) : inputs;
}

function noRepository(folder: string): PitonError {
  const message = `The workflow wants worktrees or a pull request, and ${folder} is in no git repository with a commit and a checkout.`;
  return new PitonError('GIT_MISSING', message, {
    folder,
    remedy:
      'Run it in one (`git init`, and commit something), or take `workspace` or `deliver` out of the workflow.',
  });
}
