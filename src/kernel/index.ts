export type { Conversation } from './conversation.ts';
export { lentOf, sessionOrigin } from './agent-start.ts';
export { artifactSources } from './artifact-sources.ts';
export { classify } from './classify.ts';
export { decideCommand } from './commands.ts';
export { returnedSession } from './conversation-commands.ts';
export { decideReopen, type Reopened, type Reopening } from './decide-reopen.ts';
export { applyPatch, difference } from './difference.ts';
export { driftOf, type Drift } from './drift.ts';
export { fold, foldCommit, newRunState } from './fold.ts';
export {
  gateOf,
  isSettled,
  type AgentStart,
  type AskedCall,
  type AttemptState,
  type DueTime,
  type PersonsTurn,
} from './life.ts';
export { waitingToMerge } from './merge-queue.ts';
export { addForgottenItem } from './new-tasks.ts';
export { isStanding, isToBeCleaned, placesToClean } from './places-to-clean.ts';
export { heldForPlace } from './place-actions.ts';
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
  kindOf,
  scopeAt,
  statusOfTask,
  taskAt,
  type WorkspaceState,
  type RunState,
  type TaskState,
  type SpooledAttempt,
} from './run-state.ts';
export { isFailFast, reasonToStop } from './settle-task.ts';
export { isSlotEquipped } from './slots.ts';
export { decodeState, encodeState, snapshotFormat } from './snapshot.ts';
export { ownerOf } from './spooled.ts';
export { finishedOf, isConflicting, reportOf } from './stage.ts';
export { spentOn } from './usage.ts';
export { dollarsLeft, reasonToStopSpending } from './budgets.ts';
export { addUsed, nothingUsed, tokensOf, UsageMeter } from './usage-meter.ts';
export { statusOf, summaryOf } from './summary.ts';
export { outputOf, outputsOfScope, variablesOf, viewOf, type TaskView } from './variables.ts';
export { whyWaiting, type Waiting } from './why-waiting.ts';
export type { World } from './world.ts';
