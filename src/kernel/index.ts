export { decideCommand } from './commands.ts';
export { applyPatch, difference } from './difference.ts';
export { driftOf, type Drift } from './drift.ts';
export { fold, foldCommit, newRunState, type Position } from './fold.ts';
export { decideOutcome } from './outcomes.ts';
export { nextWake, plan } from './plan.ts';
export { rebuildAgenda } from './rebuild-agenda.ts';
export {
  isSettled,
  scopeAt,
  statusOfTask,
  taskAt,
  type AttemptState,
  type Life,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
export { reasonToStop } from './settle-task.ts';
export { decodeState, encodeState, snapshotFormat } from './snapshot.ts';
export { heldTasks, statusOf, summaryOf, unsettledTasks } from './summary.ts';
export { outputOf, outputsOfScope, variablesOf, viewOf, type TaskView } from './variables.ts';
export type { World } from './world.ts';
