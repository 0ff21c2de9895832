export { exportRun, importRun } from './carry-runs.ts';
export type { Exported, ExportOptions } from './carrying/export-run.ts';
export type { Imported, ImportOptions } from './carrying/import-run.ts';
export { assertSameWorkflow } from './refuse-driving.ts';
export { Engine } from './engine.ts';
export type { DoneTask, RedoOptions, ResumeOptions } from './resume-options.ts';
export type { Driver } from './driver.ts';
export type { Driving } from './driving.ts';
export { Observers, type Notice, type Observation, type Observer } from './observers.ts';
export type { RunEvent } from '../model/index.ts';
export type { FoundSession, OfferedSession } from './offer-session.ts';
export {
  leaseName,
  type AgentSettings,
  type BackupPolicy,
  type EnginePorts,
  type Inputs,
} from './options.ts';
export { joinRestored, type JoinedRuns, type RestoredRun } from './join-restored.ts';
export type { ForkRequest } from './fork-run.ts';
export type { Where } from './find-checkpoint.ts';
export { findLostEnd } from './lost-end.ts';
export { knownRequestOf } from './placing.ts';
export type { ResumePreview, TaskPreview } from './preview.ts';
export type { ChosenRun, EndStatus, KeptRun } from './choose-runs.ts';
export { pruneRuns, type PruneOptions, type PruneReport } from './prune-runs.ts';
export type { FunctionCall, Program, TaskFunction } from './program.ts';
export { previewRedo } from './redo.ts';
export { readChanges, type ChangesOptions } from './read-changes.ts';
export { readEvents, readHistory, type EventsOptions, type HistoryOptions } from './read-events.ts';
export { readLastLine, readOutput, type OutputOptions, type OutputPart } from './read-output.ts';
export { mayLive, takeLease } from './leases.ts';
export { senderHere } from './send-command.ts';
export { decideSettings, withoutSecrets } from './settings.ts';
export { pullRequestOrder } from './pull-request-order.ts';
export { accountOf } from './run-account.ts';
export { assertSecretsOf } from './secrets.ts';
export { cleanRequest } from './sweeper.ts';
export type { Repair } from './repair.ts';
export { backUpStore } from './rotate-backups.ts';
export type { RunVerdict } from './run-verdict.ts';
export {
  mentionsGit,
  placementIn,
  type ChangedField,
  type Drift,
  type DriftView,
  type DriftVerdict,
  type Placement,
  type Rerun,
  type Reruns,
  type Standing,
} from '../kernel/index.ts';
export type { LocateMigration } from './migration-place.ts';
export {
  previewMigration,
  type DriftReport,
  type MigratedValue,
  type MigrationPreview,
} from './preview-migration.ts';
