export { Engine } from './engine.ts';
export type { ResumeOptions } from './resume-options.ts';
export type { Driver } from './driver.ts';
export { Observers, type Notice, type Observation, type Observer } from './observers.ts';
export type { RunEvent } from '../model/index.ts';
export type { FoundSession, OfferedSession } from './offer-session.ts';
export { leaseName, type AgentSettings, type EnginePorts, type Inputs } from './options.ts';
export { findLostEnd } from './lost-end.ts';
export { knownRequestOf } from './placing.ts';
export type { ResumePreview, TaskPreview } from './preview.ts';
export { pruneRuns } from './prune-runs.ts';
export type { FunctionCall, Program, TaskFunction } from './program.ts';
export { readEvents, readHistory, type EventsOptions, type HistoryOptions } from './read-events.ts';
export { readLastLine, readOutput, type OutputOptions, type OutputPart } from './read-output.ts';
export { mayLive, takeLease } from './leases.ts';
export { senderHere } from './send-command.ts';
export { accountOf } from './run-account.ts';
export { assertSecretsOf } from './secrets.ts';
export { cleanRequest } from './sweeper.ts';
export type { Repair } from './repair.ts';
export type { RunVerdict } from './verify-run.ts';
export {
  addUsed,
  nothingUsed,
  mentionsGit,
  placementIn,
  UsageMeter,
  type Placement,
  type Standing,
} from '../kernel/index.ts';
