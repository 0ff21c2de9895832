import { PitonError, randomId } from '../base/index.ts';
import {
  backUpStore,
  Engine,
  exportRun,
  importRun,
  pruneRuns,
  readChanges,
  readLastLine,
  readOutput,
  type ChangesOptions,
  type DriftReport,
  type Driver,
  type Exported,
  type ExportOptions,
  type Imported,
  type ImportOptions,
  type Observer,
  type OutputOptions,
  type OutputPart,
  previewRedo,
  type PruneOptions,
  type PruneReport,
  type RedoOptions,
  type Reruns,
  type ResumeOptions,
  type ResumePreview,
  type Repair,
  type RunVerdict,
  type Where,
} from '../engine/index.ts';
import { assertRunId, type Origin } from '../model/index.ts';
import type { RunChange, RunFilter, RunRecord } from '../store/index.ts';
import type { Diff, PullRequest, RunMerged } from '../workspaces/index.ts';
import {
  usageByDay,
  type DayUsage,
  type DriverView,
  type InboxItem,
  type RunLine,
  type SearchHit,
} from '../views/index.ts';
import { assertDefinition, type Definition } from './definition.ts';
import {
  diffOfRun,
  mergeRun,
  openPullRequest,
  type DiffOptions,
  type MergeOptions,
  type PullRequestRequest,
} from './delivery.ts';
import { driverOf, keptAttempts, lostEndOf, type KeptAttempt } from './circumstances.ts';
import { compare, type Comparison } from './compare.ts';
import { readInbox } from './inbox.ts';
import { findRecord } from './find-record.ts';
import { makeFork, previewOf, readCheckpointName, seqAt, type ForkOptions, type FromOption } from './fork.ts';
import { listRuns, type RunsFilter } from './list-runs.ts';
import { plainInputs } from './plain-inputs.ts';
import { programOf } from './program.ts';
import { aboutIn } from './run-settings.ts';
import { reportDrift } from './report-drift.ts';
import { Run } from './run.ts';
import { countUncommitted, inputsFor, withRepository, type StartOptions } from './start-options.ts';
import { searchRuns, type SearchOptions } from './search.ts';
import { cleanWorkspaces, type CleanOptions } from './upkeep/clean-workspaces.ts';
import { reconcile, type ReconcileOptions } from './upkeep/reconcile.ts';
import { reportWorkspaces, type WorkspacesOptions } from './upkeep/report-workspaces.ts';
import { HeldByGit } from './upkeep/held-by-git.ts';
import { restoreArchive, type RestoreOptions } from './upkeep/restore-archive.ts';
import { storeInfo, type StoreInfo } from './upkeep/store-info.ts';
import type { WorkspaceAction } from './upkeep/workspace-actions.ts';
import type { WorkspaceReport } from './upkeep/workspace-report.ts';
import type { WorkspacePorts } from './upkeep/recorded-places.ts';

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
      ...others
    } = (options ?? {}) as { id?: string; inputs?: unknown; state?: unknown; origin?: Origin };
    const about = aboutIn(others);
    assertDefinition(definition, 'start(workflow, { inputs })');
    assertRunId(id);
    await this.#ports.permit?.();
    const program = await programOf(definition);
    const given = await inputsFor(definition, inputs);
    const driver = await this.#engine.start(program, {
      run: id,
      inputs: given,
      origin: await withRepository(this.#ports, origin, { workflow: program.workflow, run: id }),
      ...(state !== undefined && { state: plainInputs(state, 'state') }),
      ...(about !== undefined && { about }),
    });
    return this.#handle(id, definition, driver);
  }

  /** How many files a run in that folder would not see, because they are not committed and its tasks work in worktrees. */
  uncommittedFiles({ workflow }: Definition, folder: string): Promise<number> {
    return countUncommitted(this.#ports, workflow, folder);
  }

  /**
   * Goes on with a run after its process has ended. A run that has ended gives its result at once.
   * With `from`, a fork goes on in its place from an earlier checkpoint: the run that is given back has another id.
   * Throws `RUN_NOT_FOUND`, `RUN_DRIVEN` (elsewhere), `RUN_CHANGED` (the definition), `RUN_DAMAGED`, `REDO_REFUSED`, `CHECKPOINT_NOT_FOUND`.
   */
  async resume<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    id: string,
    options: ResumeOptions & FromOption = {},
  ): Promise<Run<Outputs, State>> {
    assertDefinition(definition, 'resume(workflow, id)');
    assertRunId(id);
    const { from, ...others } = options;
    if (from !== undefined) return this.#resumeFrom(definition, { of: id, from }, others);
    await this.#ports.permit?.();
    const driver = await this.#engine.resume(await programOf(definition), id, others);
    return this.#handle(id, definition, driver);
  }

  /** A fork takes the place of the run, which stays as it was. */
  async #resumeFrom<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    { of, from }: { readonly of: string; readonly from: Where },
    options: ResumeOptions,
  ): Promise<Run<Outputs, State>> {
    await this.#ports.permit?.();
    const seq = await this.#engine.checkpointAt(of, from, true);
    const id = await makeFork(this.#upkeep, { definition, of, seq, options: {}, supersedes: true });
    const driver = await this.#engine.resume(await programOf(definition), id, options);
    return this.#handle(id, definition, driver);
  }

  /**
   * A new run that shares the past of another up to a checkpoint (`v1@12`, `v1@before:build`, `v1@14:05`; without one, the last) and
   * goes on from there by itself: outputs, decisions, state and files are as they were then, and the other run is left alone. Throws
   * `CHECKPOINT_NOT_FOUND`, `CHECKPOINT_PRUNED`, `FORK_REFUSED`, `RUN_EXISTS`, and what `resume` throws.
   */
  async fork<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    checkpoint: string,
    options: ForkOptions = {},
  ): Promise<Run<Outputs, State>> {
    const forked = await this.#toFork(definition, checkpoint);
    await this.#ports.permit?.();
    const id = await makeFork(this.#upkeep, { definition, ...forked, options });
    const { acceptDrift = false, keepDefinition = acceptDrift ? false : 'unless-migrated' } = options;
    if (options.drive === false) return this.#handle(id, definition, undefined);
    const program = await programOf(definition);
    const driver = await this.#engine.resume(program, id, { acceptDrift, keepDefinition });
    return this.#handle(id, definition, driver);
  }

  /**
   * The tasks that have run since a checkpoint (written as for `fork`) and would run again in a fork with these options, and whether what
   * the run made was handed over since. Changes nothing. Throws as `fork`.
   */
  async previewFork(definition: Definition, checkpoint: string, options: ForkOptions = {}): Promise<Reruns> {
    const forked = await this.#toFork(definition, checkpoint);
    return previewOf(this.#upkeep, { definition, ...forked, options });
  }

  async #toFork(
    definition: Definition,
    checkpoint: string,
  ): Promise<{ readonly of: string; readonly seq: number; readonly isPresent: boolean }> {
    assertDefinition(definition, 'fork(workflow, checkpoint)');
    const { run: of, at } = readCheckpointName(checkpoint);
    assertRunId(of);
    return { of, seq: await seqAt(this.#upkeep, of, at), isPresent: at === undefined };
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

  /**
   * How a definition differs from the one that a run keeps, field by field, and what can be done about it. Its migrations are run, and
   * what they give is shown and not kept; not so with `dryRun: false`.
   */
  async drift(id: string, definition: Definition, { dryRun = true } = {}): Promise<DriftReport> {
    const { maxOutputBytes } = this.#ports;
    return reportDrift(await this.#engine.load(id), definition, { dryRun, maxOutputBytes });
  }

  /**
   * What would run again if settled tasks of a run were wanted otherwise, by the same options as of `resume`. Changes nothing. Those
   * that have succeeded (`hasSucceeded`) run again only if `rerunSucceeded` names them. Throws `REDO_REFUSED`.
   */
  async previewRedo(id: string, options: RedoOptions): Promise<Reruns> {
    return previewRedo(await this.#engine.load(id), options);
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
  keptAttempts(): Promise<KeptAttempt[]> {
    return keptAttempts(this.#ports);
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

  /**
   * What is different between two checkpoints, of one run or of two (written as for `fork`): inputs, the state of a graph, tasks, outputs,
   * and the files of the branch. Throws `RUN_NOT_FOUND`, `CHECKPOINT_NOT_FOUND`, `CHECKPOINT_PRUNED`.
   */
  compare(from: string, to: string, options: Omit<DiffOptions, 'task'> = {}): Promise<Comparison> {
    return compare(this.#upkeep, [from, to], options);
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

  /** Where the store is, and how much is in it. */
  storeInfo(): Promise<StoreInfo> {
    return storeInfo(this.#ports.store);
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

  /**
   * Removes runs that have ended, or only their payloads, by age, number, size or name; or, with `dryRun`, says which. Never one that
   * somebody works on, is damaged or behind, has workspaces or refs that hold work, or, unless it is named, is the newest of its
   * workflow that succeeded.
   */
  prune(options: PruneOptions): Promise<PruneReport> {
    return pruneRuns({ ...this.#ports, elsewhere: new HeldByGit(this.#upkeep) }, options);
  }

  /** A consistent copy of the store, while runs go on; without a name, among those that are made by themselves. Gives the file. */
  backup(file?: string): Promise<string> {
    return backUpStore(this.#ports, file);
  }

  /**
   * Writes a run into one file that can be brought elsewhere: its journal as it is stored, all values, and what it has made in git. It may be
   * driven meanwhile: then the file has it as it was at one checkpoint. Throws `RUN_NOT_FOUND`, `RUN_DAMAGED`, `EXPORT_EXISTS`, `EXPORT_FAILED`.
   */
  async export(id: string, file: string, options: ExportOptions = {}): Promise<Exported> {
    return exportRun(this.#ports, { ...options, run: id, file });
  }

  /**
   * Adds a run from a file that `export` has written: the same hashes, the same view. One that has not ended is paused, and what was under way where it
   * came from is held, so that nothing is done twice. Imported again, nothing changes. Throws `EXPORT_INVALID`, `EXPORT_TOO_NEW`,
   * `RUN_EXISTS` (another run of that id), `RUN_TOO_NEW`, `FILE_UNREADABLE`.
   */
  async import(file: string, options: ImportOptions = {}): Promise<Imported> {
    return importRun(this.#ports, file, options);
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

  #handle<Outputs, State>(id: string, definition: Definition, driver?: Driver): Run<Outputs, State> {
    const known = { definition, ...(driver !== undefined && { driver }) };
    return new Run<Outputs, State>(id, { engine: this.#engine, ports: this.#ports, ...known });
  }
}
