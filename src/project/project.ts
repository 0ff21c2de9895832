import { isDeepStrictEqual } from 'node:util';
import { isInsideAttempt, PitonError, refuseInside, type JsonObject } from '../base/index.ts';
import { resolveConfig, watchConfig, withoutGrants, type Config } from '../config/index.ts';
import type { BackupFile, Definition, Piton } from '../library/index.ts';
import type { Restored } from '../assemble.ts';
import type { AgentView } from './agents/agent-view.ts';
import type { DetachedOptions, ResumeDetachedOptions } from './detached.ts';
import type { DoctorCheck } from './doctor/check.ts';
import type { DriverProcess, DriverOrder } from './driver-process.ts';
import type { Plan } from './plan/plan.ts';
import type { Preflight } from './preflight/finding.ts';
import { selectionOf, type Selection } from './plan/selection.ts';
import { defaultCheckpoint, type Origin, type RunDefaults } from '../model/index.ts';
import { makeFolder } from './project-folder.ts';
import type { Environment, Trusting } from './surroundings.ts';
import type { Standing } from './trust/project-trust.ts';
import type { TrustRecord } from './trust/records.ts';
import { isStoreOutside, storeIdentity, type StoreIdentity } from './trust/store-identity.ts';
import type { CheckOptions, WorkflowReport } from './workflows/check-workflow.ts';
import type { FoundDefinition } from './workflows/find-definition.ts';
import type { WorkflowGraph } from './workflows/graph.ts';
import type { ImportedWorkflow } from './workflows/import-github.ts';
import { findWorkflowFile, workflowFiles, type WorkflowFile } from './workflows/workflow-files.ts';

/** Where a project is looked for, and what overrides its configuration. */
export interface ProjectOptions {
  /** Looked for from here, upwards; default: the folder that this process works in. */
  readonly directory?: string;
  /** This folder, and none above it. */
  readonly root?: string;
  /** Instead of the store that the project names. */
  readonly store?: string;
  /** Reads no configuration file: for whoever judges them. */
  readonly ignoresFiles?: boolean;
  /** Default: this process's. */
  readonly environment?: Environment;
  /** Asks a person whether a project may execute what it says, if that is not known yet. Without it, what is not trusted is refused. */
  readonly confirmTrust?: (standing: Standing) => Promise<boolean>;
}

/** The project around a folder, with its configuration. Where there is none yet, the folder would become one. Throws `CONFIG_INVALID`. */
export async function findProject(options: ProjectOptions = {}): Promise<Project> {
  const { directory = process.cwd(), environment: env = process.env, root, store, confirmTrust } = options;
  const { ignoresFiles = false } = options;
  const flags = {
    ...(root !== undefined && { root }),
    ...(store !== undefined && { store }),
    ...(ignoresFiles && { ignoresFiles }),
  };
  return new Project({
    directory,
    env,
    config: await resolveConfig({ directory, env, flags }),
    confirmTrust,
  });
}

interface ProjectParts extends Pick<Trusting, 'directory' | 'env' | 'config'> {
  readonly confirmTrust: ProjectOptions['confirmTrust'];
}

/**
 * A folder with `.piton` in it: configuration, workflows, the store, and whether it is trusted. What an interface needs beside
 * runs. Most of it is loaded when it is asked for.
 */
export class Project implements Trusting {
  readonly directory: string;
  readonly config: Config;
  readonly #env: Environment;
  readonly #confirmTrust: ProjectOptions['confirmTrust'];
  #trusting: Promise<void> | undefined;
  /** Made to be looked into: no runs came with it. */
  #made: StoreIdentity | undefined;
  #isRefused = false;

  constructor({ directory, env, config, confirmTrust }: ProjectParts) {
    this.directory = directory;
    this.#env = env;
    this.config = config;
    this.#confirmTrust = confirmTrust;
  }

  /** No field: whoever logs a project must not write down its secrets. */
  get env(): Environment {
    return this.#env;
  }

  /** Calls back when a configuration file is not any more what was read of it, once for each. Returns the way to stop. */
  watchConfig(changed: (file: string) => void): () => void {
    return watchConfig(this.config, changed);
  }

  /** Whether anything has been kept here yet. */
  hasStore(): boolean {
    return this.config.storeFile === undefined || storeIdentity(this.config) !== undefined;
  }

  /** Makes `.piton`, if it is not there, and says which files it made. */
  async make(): Promise<readonly string[]> {
    const { config, env } = this;
    // What is made here is one's own. In a project that is there already, somebody else may have written.
    if (!config.isProject) {
      const { trustWhatIsMade } = await import('./trust/project-trust.ts');
      trustWhatIsMade(config, env, false);
    }
    return makeFolder(config);
  }

  /** Piton on the project's store, which is made if need be. Throws `TRUST_NEEDED` if the project leads to a store elsewhere. */
  async open(): Promise<Piton> {
    await this.#assertOwnStore();
    const isNew = !this.hasStore();
    if (!this.config.isProject || isNew) {
      const { trustWhatIsMade } = await import('./trust/project-trust.ts');
      trustWhatIsMade(this.config, this.env);
    }
    makeFolder(this.config);
    if (isNew) {
      const { makeStore } = await import('./trust/project-trust.ts');
      this.#made ??= makeStore(this.config);
    }
    return this.#open();
  }

  /** The same where there are runs. Throws `NO_PROJECT`, `TRUST_NEEDED`. */
  async openExisting(): Promise<Piton> {
    if (!this.hasStore()) throw noStore(this.config);
    await this.#assertOwnStore();
    return this.#open();
  }

  /** For whoever asks for all runs: that there are none is only true of a project. Throws `NO_PROJECT`. */
  assertProject(): void {
    const { isProject, isStoreTyped } = this.config;
    if (!isProject && !isStoreTyped) throw noStore(this.config);
  }

  async #open(): Promise<Piton> {
    const { openGranted } = await import('./open-granted.ts');
    // To look at runs needs no trust; to drive them does, also where what was opened is handed on.
    const permit = (): Promise<void> => this.requireTrust();
    return openGranted(await this.granted(), { environment: this.env, permit });
  }

  /**
   * Puts a backup in the place of the store, which is kept under another name, and joins it with what has happened since; default: the
   * newest. Throws `TRUST_NEEDED`, `BACKUP_UNUSABLE`, `STORE_IN_USE`, `STORE_BUSY`, `INSIDE_ATTEMPT`.
   */
  async restoreStore(backup?: string): Promise<Restored> {
    refuseInside(this.env);
    await this.#assertOwnStore();
    await this.requireTrust();
    const { restoreGranted } = await import('./open-granted.ts');
    const permit = (): Promise<void> => this.requireTrust();
    const restored = await restoreGranted(await this.granted(), { environment: this.env, permit }, backup);
    // The file is another one from now on, and the same person's.
    const { isTrustedByCaller } = await import('./trust/project-trust.ts');
    if (!isTrustedByCaller(this.env) && !this.config.isStoreTyped)
      await this.trust(await this.trustStanding());
    return restored;
  }

  /** The backups that Piton has made of the store, newest first. */
  async backups(): Promise<readonly BackupFile[]> {
    const { storeFile: file, backups } = this.config;
    if (file === undefined) return [];
    const { listBackups } = await import('../library/index.ts');
    return listBackups({ file, folder: backups?.folder });
  }

  /** Looks through the file of the store, or a backup: pages, rows and the chains of its journals. Each text names one damage. */
  async checkStoreFile(file = this.config.storeFile): Promise<readonly string[]> {
    await this.#assertOwnStore();
    const { checkStoreFile } = await import('../library/index.ts');
    return checkStoreFile(this.config.store, file ?? '');
  }

  /** A project could make its reader open a store of another one. */
  async #assertOwnStore(): Promise<void> {
    const { config, env, directory } = this;
    if (!isStoreOutside(config)) return;
    const { isConfigTrusted, trustNeeded } = await import('./trust/project-trust.ts');
    if (isConfigTrusted(config, env)) return;
    throw trustNeeded(config.root, directory, `its store is elsewhere, ${config.store}`);
  }

  /** Most projects have no configuration of their own: then there is nothing to ask. */
  async granted(): Promise<Config> {
    const { config, env } = this;
    if (config.text === undefined) return config;
    const { isConfigTrusted } = await import('./trust/project-trust.ts');
    if (isConfigTrusted(config, env)) return config;
    return withoutGrants(config);
  }

  /** Asked once, whatever the answer was; that a person has trusted it since is noticed. Inside of an attempt nobody is asked. */
  requireTrust(): Promise<void> {
    return (this.#trusting ??= this.#confirm().catch((error: unknown) => {
      this.#trusting = undefined;
      throw error;
    }));
  }

  async #confirm(): Promise<void> {
    const { env, directory } = this;
    const { isTrustedByCaller, trust, trustNeeded } = await import('./trust/project-trust.ts');
    if (isTrustedByCaller(env)) return;
    const standing = await this.trustStanding();
    if (standing.isTrusted) return;
    // A no is remembered; a yes is about what was shown then, and not about what it has become since.
    const isConfirmed =
      !this.#isRefused && !isInsideAttempt(env) && (await this.#confirmTrust?.(standing)) === true;
    this.#isRefused = !isConfirmed;
    if (!isConfirmed) throw trustNeeded(standing.root, directory, standing.reason);
    trust(standing, env);
  }

  /** Whether what the project says may be executed; nobody is asked. */
  async isTrusted(): Promise<boolean> {
    const { isTrustedByCaller } = await import('./trust/project-trust.ts');
    return isTrustedByCaller(this.env) || (await this.trustStanding()).isTrusted;
  }

  /** What would be trusted, and what has changed since it was. Throws `STATE_TRACKED`. */
  async trustStanding(): Promise<Standing> {
    const { config, env } = this;
    const [{ refuseTrackedState }, { standingOf }] = await Promise.all([
      import('./trust/tracked-state.ts'),
      import('./trust/project-trust.ts'),
    ]);
    if (config.isProject) refuseTrackedState(config);
    return standingOf(config, env, this.#made);
  }

  /** Writes down that a person trusts the project as it stands there. Throws `INSIDE_ATTEMPT`. */
  async trust(standing: Standing): Promise<void> {
    refuseInside(this.env);
    const { trust } = await import('./trust/project-trust.ts');
    trust(standing, this.env);
    this.#trusting = undefined;
  }

  /** Every project that this user trusts. */
  async trustedProjects(): Promise<readonly TrustRecord[]> {
    const { allRecords } = await import('./trust/records.ts');
    return allRecords(this.env);
  }

  /** False if it was not trusted. `root`: of any project, as `trustedProjects` tells it. */
  async revokeTrust(root: string): Promise<boolean> {
    const { removeRecord } = await import('./trust/records.ts');
    this.#trusting = undefined;
    this.#isRefused = false;
    return removeRecord(this.env, root);
  }

  /** The workflows in `.piton/workflows`, by name. */
  workflows(): readonly WorkflowFile[] {
    return workflowFiles(this.config);
  }

  /** The file that is meant by a name or a path. Throws `WORKFLOW_NOT_FOUND`, `WORKFLOW_AMBIGUOUS`. */
  findWorkflow(given: string): string {
    return findWorkflowFile(this, given);
  }

  /**
   * To start runs of it, with what the configuration says where it says nothing. A program is executed by that. Throws
   * `DEFINITION_INVALID`, `WORKFLOW_INVALID`, `TRUST_NEEDED`.
   */
  async load(workflow: string, selection: Selection = {}): Promise<Definition> {
    const [{ loadDefinition }, { fillFrom, selectFrom }] = await Promise.all([
      import('./workflows/load-definition.ts'),
      import('./plan/select-from.ts'),
    ]);
    const definition = await loadDefinition(this.findWorkflow(workflow), this);
    return selectFrom(fillFrom(definition, runDefaultsOf(this.config)), selection);
  }

  /** Where a run of a workflow is started, and what it takes from the configuration of now: that is kept with it. */
  originOf(file: string, selection: Selection = {}): Origin {
    const { root, workspaces } = this.config;
    const { mode } = workspaces;
    const defaults = runDefaultsOf(this.config);
    return {
      directory: root,
      file,
      ...(mode !== undefined && { workspace: { mode } }),
      ...(Object.keys(defaults).length > 0 && { defaults }),
      ...selectionOf(selection),
    };
  }

  /** What is wrong with a workflow, what could be better, and what a run of it can come to at most. */
  async check(workflow: string, options: CheckOptions = {}): Promise<WorkflowReport> {
    const { checkWorkflow } = await import('./workflows/check-workflow.ts');
    return checkWorkflow(this.findWorkflow(workflow), this, options);
  }

  /** Writes a draft of a workflow of GitHub Actions beside the other workflows. Throws `WORKFLOW_EXISTS`, and what reading it throws. */
  async importGithub(path: string, options: { readonly replace: boolean }): Promise<ImportedWorkflow> {
    const { importGithub } = await import('./workflows/import-github.ts');
    return importGithub(this, path, options);
  }

  /** What follows what. Throws what `load` throws. */
  async graph(workflow: string): Promise<WorkflowGraph> {
    const [{ loadForReading }, { graphOf }] = await Promise.all([
      import('./workflows/load-definition.ts'),
      import('./workflows/graph.ts'),
    ]);
    return graphOf(await loadForReading(this.findWorkflow(workflow), this));
  }

  /** With defaults. Throws `INPUT_INVALID`. */
  async checkInputs({ workflow, declaresInputs }: Definition, given: JsonObject): Promise<JsonObject> {
    if (declaresInputs !== true) return given;
    const { checkInputs } = await import('../definition/index.ts');
    return checkInputs(workflow, given);
  }

  /** What a run would do, in which order, with nothing done. Throws `INPUT_INVALID`, `BASE_UNKNOWN`. */
  async plan(definition: Definition, inputs: JsonObject): Promise<Plan> {
    const { planRun } = await import('./plan/plan.ts');
    return planRun(definition, await this.checkInputs(definition, inputs), this.config);
  }

  /** What a run would lack, told before it begins. Nothing of the project is executed. `file`: where the workflow stands. */
  async preflight({ workflow }: Pick<Definition, 'workflow'>, file?: string): Promise<Preflight> {
    const { preflight } = await import('./preflight/preflight.ts');
    return preflight(this, workflow, file);
  }

  /** With which definition a run of the store goes on: that of its file, or what the run keeps. Throws `RUN_CHANGED`, `TRUST_NEEDED`. */
  async definitionOf(run: string, piton: Piton): Promise<FoundDefinition> {
    const { findDefinition } = await import('./workflows/find-definition.ts');
    return findDefinition({ piton, trust: this }, run);
  }

  /** Every agent that Piton knows, with what is installed of it. */
  async agents(): Promise<readonly AgentView[]> {
    const { lookForAgents } = await import('./agents/look-for-agents.ts');
    return lookForAgents(this);
  }

  /** Whether everything is in order here, and what to do where it is not. */
  async doctor(): Promise<readonly DoctorCheck[]> {
    const { examine } = await import('./doctor/examine.ts');
    return examine(this);
  }

  /**
   * Starts a run of a workflow in a process of its own, which outlives this one. With the id of a run that exists it resumes that
   * one; if somebody drives it already, their process is given. Throws what `load` and `checkInputs` throw, `RUN_ID_INVALID`, `NOT_SERIALISABLE`, and
   * `RUN_CHANGED` if that is a run of another workflow; what is refused later is told by `ended`.
   */
  async startDetached(workflow: string, options: DetachedOptions = {}): Promise<DriverProcess> {
    const { startDetached } = await import('./detached.ts');
    return startDetached(this, workflow, options);
  }

  /**
   * Goes on with a run in a process of its own, which outlives this one; of a run that is paused and driven, it ends the pause.
   * Throws `NO_PROJECT`, `RUN_NOT_FOUND`; what is refused later, such as a run that is driven already, is told by `ended`.
   */
  async resumeDetached(run: string, options: ResumeDetachedOptions = {}): Promise<DriverProcess> {
    const { resumeDetached } = await import('./detached.ts');
    return resumeDetached(this, run, options);
  }

  /** Starts a process of its own that drives a run, with a command line. It outlives this one. */
  async startDriver(order: DriverOrder): Promise<DriverProcess> {
    const { startDriver } = await import('./driver-process.ts');
    return startDriver(this, order);
  }
}

/** What is as it would be anyway is left out. */
function runDefaultsOf({ checkpoint, maxParallel }: Config): RunDefaults {
  return {
    ...(!isDeepStrictEqual(checkpoint, defaultCheckpoint) && { checkpoint }),
    ...(maxParallel !== undefined && { maxParallel }),
  };
}

function noStore({ root, isProject }: Config): PitonError {
  const what = isProject ? `No run has been started in ${root} yet` : `There is no Piton project in ${root}`;
  return new PitonError('NO_PROJECT', `${what}.`, {
    root,
    remedy: isProject
      ? 'Start one: piton run <workflow>. If there were some, what git still has of them: piton workspace list.'
      : 'Make one with piton init, or go to (or name with --root) the folder of a project.',
  });
}
