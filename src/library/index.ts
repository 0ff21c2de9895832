export type { AgentOptions } from './agent-options.ts';
export { chain, type ChainInputs, type ChainOptions, type ChainStep } from './chain.ts';
export type { RunResult } from './run-result.ts';
export type { Waiting } from '../kernel/index.ts';
export type { Command, CommandOptions } from './command-options.ts';
export type { DiffOptions, MergeOptions, PullRequestRequest } from './delivery.ts';
export type { Delivery } from './delivery-options.ts';
export type { Comparison } from './compare.ts';
export type { ForkOptions } from './fork.ts';
export { readCheckpointName } from './fork.ts';
export type { Definition, InputsOf, OutputsOf, StepContext } from './definition.ts';
export { GraphBuilder, stateGraph, type GraphSettings } from './graph-builder.ts';
export type { LentSession } from './lent-session.ts';
export { loadWorkflow, type NamedFunction } from './load-workflow.ts';
export { parallel, type Collected, type ParallelInputs, type ParallelOptions } from './parallel.ts';
export type { Workspace } from './place-options.ts';
export type { RunsFilter } from './list-runs.ts';
export type { GraphMigrationOptions, MigrationOptions } from './migration-options.ts';
export { Piton } from './piton.ts';
export type { StartOptions } from './start-options.ts';
export type { SearchOptions } from './search.ts';
export { assertTask } from './task-of.ts';
export { allOf, anyOf, not, type Predicate } from './predicates.ts';
export type { NotStorable, OutputOf, Storable } from './storable.ts';
export { route, type Route } from './route.ts';
export type { CommandResult } from './command-result.ts';
export { Run } from './run.ts';
export type { LimitSetting, RunSettings } from './run-settings.ts';
export { assertRunId } from '../model/index.ts';
export type {
  BreakerOptions,
  CheckpointOption,
  Duration,
  RetryOptions,
  RunBudget,
  StepOptions,
  UsageLimitOptions,
} from './task-options.ts';
export { bytesText } from './upkeep/choose-kept.ts';
export type { CleanOptions } from './upkeep/clean-workspaces.ts';
export type { ReconcileOptions } from './upkeep/reconcile.ts';
export type { WorkspacesOptions } from './upkeep/report-workspaces.ts';
export type { RestoreOptions } from './upkeep/restore-archive.ts';
export { checkStoreFile, listBackups, type BackupFile } from './store-files.ts';
export type { StoreInfo } from './upkeep/store-info.ts';
export type { WorkspaceAction } from './upkeep/workspace-actions.ts';
export type { WorkspaceReport } from './upkeep/workspace-report.ts';
export { workflow, WorkflowBuilder, type TaskOptions } from './workflow-builder.ts';
export type { TaskContext, WorkflowSettings } from './task-context.ts';
export type { Diff, DiffFile, PullRequest, RunMerged } from '../workspaces/index.ts';
export {
  actionsFor,
  Attempts,
  callLines,
  isAnswer,
  isWithin,
  TurnReader,
  WatchedRun,
  type ConversationView,
  type SaidTurn,
  type Turn,
  type TaskCounts,
  type WatchedAttempt,
  type WatchedTask,
  checksIn,
  decisionsIn,
  type AttemptView,
  type ChangedTask,
  type ChangedValue,
  type Checkpoint,
  type CheckpointDifference,
  type CheckpointPlace,
  type CheckView,
  type Delivered,
  type OpenBreaker,
  type QuestionView,
  type QueuedDecision,
  type WorkspaceView,
  type DayUsage,
  type DecisionView,
  type DriverView,
  type DriveView,
  type LeftAttempt,
  type InboxItem,
  type OfferedAction,
  type ProblemView,
  type Progress,
  type LimitSet,
  type RunLimits,
  type RunLine,
  type RunView,
  type SearchHit,
  type ShownStatus,
  type TaskView,
  type Timeline,
  type Usage,
} from '../views/index.ts';
export {
  assertSameWorkflow,
  mentionsGit,
  placementIn,
  type Drift,
  type DriftReport,
  type DriftView,
  type MigratedValue,
  type Observation,
  type ChosenRun,
  type EndStatus,
  type KeptRun,
  type Placement,
  type PruneOptions,
  type PruneReport,
  type Exported,
  type ExportOptions,
  type Imported,
  type ImportOptions,
  type Repair,
  type RedoOptions,
  type Rerun,
  type Reruns,
  type ResumeOptions,
  type ResumePreview,
  type RunVerdict,
  type Standing,
} from '../engine/index.ts';
export type { RunEvent } from '../model/index.ts';
export type { RunRecord } from '../store/index.ts';
