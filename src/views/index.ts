export {
  Attempts,
  checksIn,
  decisionsIn,
  type AttemptView,
  type CheckView,
  type DecisionView,
} from './attempts.ts';
export {
  checkpointOf,
  type Checkpoint,
  type Delivered,
  type OpenBreaker,
  type Progress,
} from './checkpoint.ts';
export {
  compareCheckpoints,
  type ChangedTask,
  type ChangedValue,
  type CheckpointDifference,
  type CheckpointPlace,
} from './compare-checkpoints.ts';
export { usageByDay, type DayUsage } from './day-usage.ts';
export {
  actionsFor,
  inboxItemOf,
  inboxItemOfRun,
  inboxItemOfStatus,
  type InboxItem,
  type OfferedAction,
} from './inbox.ts';
export {
  runView,
  shownStatus,
  type Circumstances,
  type DriverView,
  type ProblemView,
  type RunView,
  type ShownStatus,
} from './run-view.ts';
export { isAnswer, queuedDecision, type QueuedDecision } from './queued.ts';
export type { LimitSet, RunLimits } from './run-limits.ts';
export { runLine, type RunLine } from './run-line.ts';
export type { QuestionView, TaskView, WorkspaceView } from './task-view.ts';
export { TimelineReader, type DriveView, type LeftAttempt, type Timeline } from './timeline.ts';
export { usageOf, type Usage } from './usage.ts';
export type { Found } from './run-memory.ts';
export type { TaskCounts } from './task-counts.ts';
export type { WatchedAttempt } from './task-memory.ts';
export { WatchedRun } from './watched-run.ts';
export type { WatchedTask } from './watched-task.ts';
export { callLines } from './call-lines.ts';
export { TaskConversation, type ConversationView, type SaidTurn } from './conversation.ts';
export { RunSearch } from './run-search.ts';
export type { SearchHit } from './search-hit.ts';
export { searchPattern } from './search-pattern.ts';
export { TurnReader, type Turn } from './turns.ts';
export { isWithin } from './within-task.ts';
