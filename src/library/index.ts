export type { AgentOptions } from './agent-options.ts';
export { chain, type ChainInputs, type ChainOptions, type ChainStep } from './chain.ts';
export type { RunResult } from './run-result.ts';
export type { Waiting } from '../kernel/index.ts';
export type { Command, CommandOptions } from './command-options.ts';
export type { DiffOptions, MergeOptions, PullRequestRequest } from './delivery.ts';
export type { Delivery } from './delivery-options.ts';
export type { Definition, InputsOf, OutputsOf, StepContext } from './definition.ts';
export { GraphBuilder, stateGraph, type GraphSettings } from './graph-builder.ts';
export type { LentSession } from './lent-session.ts';
export { loadWorkflow, type NamedFunction } from './load-workflow.ts';
export { parallel, type Collected, type ParallelInputs, type ParallelOptions } from './parallel.ts';
export type { Workspace } from './place-options.ts';
export type { RunsFilter } from './list-runs.ts';
export { Piton, type StartOptions } from './piton.ts';
export type { SearchOptions } from './search.ts';
export { assertTask } from './task-of.ts';
export { allOf, anyOf, not, type Predicate } from './predicates.ts';
export { route, type Route } from './route.ts';
export type { CommandResult } from './command-result.ts';
export { Run } from './run.ts';
export { assertRunId } from './run-id.ts';
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
  type Checkpoint,
  type CheckView,
  type Delivered,
  type OpenBreaker,
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
  type Observation,
  type Placement,
  type Repair,
  type ResumeOptions,
  type ResumePreview,
  type RunVerdict,
  type Standing,
} from '../engine/index.ts';
export type { RunEvent } from '../model/index.ts';
export type { RunRecord } from '../store/index.ts';
