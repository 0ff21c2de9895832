export type { Conversation, PastAttempt } from './conversation.ts';
export { lentOf, sessionOrigin } from './agent-start.ts';
export { artifactSources } from './artifact-sources.ts';
export { classify } from './classify.ts';
export { decideCommand, decideSet } from './commands.ts';
export { limitsOf } from './fold-settings.ts';
export { confirmWork, type Confirmation } from './confirm-work.ts';
export { returnedSession } from './conversation-commands.ts';
export {
  decideReopen,
  previewReopen,
  type Reopened,
  type Reopening,
  type ReopenRefused,
  type RerunSucceeded,
  type Reruns,
} from './decide-reopen.ts';
export type { Rerun } from './reruns.ts';
export { rerunsSince } from './reruns-since.ts';
export { applyPatch, difference } from './difference.ts';
export type { ChangedField } from './changed-fields.ts';
export { adopted, viewDrift, type DriftView } from './drift.ts';
export type { Drift, DriftVerdict } from './judge-key.ts';
export { migrationPath, tasksOfDefinition, type MigratedScope } from './migrations.ts';
export { answerTo, assertAskable, decideQuestion, type FunctionQuestion } from './questions.ts';
export { actionsAt } from './fold-gates.ts';
export { fold, foldCommit, newRunState } from './fold.ts';
export { tasksLeftBehind } from './fold-import.ts';
export {
  gateOf,
  isAsking,
  isSettled,
  type AgentStart,
  type AskedCall,
  type AttemptState,
  type Question,
  type Gate,
} from './life.ts';
export { waitingToMerge } from './merge-queue.ts';
export { addForgottenItem } from './new-tasks.ts';
export { isStanding, isToBeCleaned, placesToClean } from './places-to-clean.ts';
export { heldForPlace } from './place-actions.ts';
export { decideEdits, holdSpooled, leaveAttempts, refuseEdits, type ForkEdits } from './decide-fork.ts';
export { decideOutcome, interruptionOf } from './outcomes.ts';
export {
  mayNeedWorktrees,
  mentionsGit,
  placementIn,
  placementOf,
  type Placement,
  type Standing,
} from './placement.ts';
export { nextWake, plan } from './plan.ts';
export { rebuildAgenda } from './rebuild-agenda.ts';
export {
  addressOf,
  isGroup,
  kindOf,
  scopeAt,
  statusOfTask,
  taskAt,
  type WorkspaceState,
  type RunState,
  type ScopeState,
  type TaskState,
  type SpooledAttempt,
} from './run-state.ts';
export { isFailFast, reasonToStop } from './settle-task.ts';
export { skippedAlong } from './skipped-along.ts';
export { isSlotEquipped } from './slots.ts';
export { decodeState, encodeState, snapshotFormat } from './snapshot.ts';
export { ownerOf } from './spooled.ts';
export { conflictOf, finishedOf, isConflicting, reportOf } from './stage.ts';
export { spentOn } from './usage.ts';
export { dollarsLeft, reasonToStopSpending } from './budgets.ts';
export { addUsed, nothingUsed, tokensOf, UsageMeter } from './usage-meter.ts';
export { statusOf, summaryOf } from './summary.ts';
export { outputOf, outputsOfScope, variablesOf, viewOf, type TaskView } from './variables.ts';
export { whyWaiting, type Waiting } from './why-waiting.ts';
export type { World } from './world.ts';
export { isUndelivered } from './undelivered.ts';
