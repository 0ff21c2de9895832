export { whyNotCheckpointName } from './checkpoint-names.ts';
export { aboutKeys, changeAbout, isAboutKey, whyNotAbout, type AboutChange, type RunAbout } from './about.ts';
export { whyNotLimit, type LimitChange, type LimitName } from './limits.ts';
export { containmentOf } from './containment.ts';
export { loadPatterns, type Patterns } from './load-patterns.ts';
export { forgeFolders, namesSteering, steeringFiles, steeringFolders, steeringPartOf } from './steering.ts';
export {
  admitAgent,
  agentNames,
  knownAgents,
  traitsOf,
  type AgentName,
  type AgentTraits,
  type RegisteredAgent,
} from './agent-names.ts';
export {
  checkpointNames,
  defaultCheckpoint,
  type CheckpointPolicy,
  type RunDefaults,
} from './checkpoint-policy.ts';
export type { Command, CommandAnswer, InboxCommand, Sender, SentCommand } from './commands.ts';
export type { Evaluator, Variables } from './evaluator.ts';
export type { Event, EventOf, EventType, Origin, RunEvent } from './events.ts';
export type { Patch, PatchOperation, PatchPath } from './patch.ts';
export { journalVersion, type Commit, type Lease, type LeaseOwner, type StoredCommit } from './journal.ts';
export type { Failure, Outcome } from './outcome.ts';
export { unknownTask } from './unknown-task.ts';
export type { Spent, Used } from './usage.ts';
export { endedText, isFinal, type RunStatus, type RunSummary, type TaskStatus } from './status.ts';
export {
  cleanupPolicies,
  sandboxModes,
  isFunctionRef,
  versionNumber,
  type AgentWork,
  type AskWork,
  type BreakerPolicy,
  type Budget,
  type Capture,
  type CheckSpec,
  type CleanupPolicy,
  type SandboxMode,
  type DeliverWork,
  type SetupSpec,
  type WorkspaceSpec,
  type CommandWork,
  type Condition,
  type Dynamic,
  type EdgeSpec,
  type ErrorClass,
  type ErrorRule,
  type ForEachSpec,
  type FunctionRef,
  type GraphSpec,
  type InheritEnv,
  type InputSpec,
  type JsonSchema,
  type MigrationSpec,
  type OnInterrupt,
  type Permissions,
  type RetryPolicy,
  type TaskSpec,
  type UsageLimits,
  type Work,
  type Workflow,
} from './workflow.ts';
export { mentionsFailure } from './conditions.ts';
export { encodeName, reservedNames, runBranch } from './ref-names.ts';
export { isExecuting, isObeyed } from './git-programs.ts';
export { isProcess, isProgram, isSeenBySpool } from './programs.ts';
export type { RemoteMachine } from './remote-machine.ts';
export { callText } from './call-text.ts';
export {
  choiceText,
  readAnswer,
  whyNoAnswer,
  whyNoChoices,
  type AnswerForm,
  type AnswerType,
} from './questions.ts';
export { lastWord, lastWordOf, usageEntriesOf } from './transcript.ts';
export { readRetryMatch } from './retry-match.ts';
export { describeEvents, readEvent, readSpooledAttempt } from './read-event.ts';
export { assertRunId } from './run-id.ts';
export type { Fault } from './shape.ts';
export { functionsOf, unversionedFunctions } from './function-refs.ts';
