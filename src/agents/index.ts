export type {
  Agent,
  AgentCommand,
  AgentEvent,
  AgentExit,
  AgentParser,
  AgentRequest,
  AgentVariables,
  AskedCall,
  FailureKind,
  ParserContext,
  Permissions,
  SessionRequest,
} from './contract.ts';
export { detectAgent, findExecutable, type Detection, type DetectOptions } from './detect.ts';
export { withExecutable } from './executable.ts';
export { installedVersion, untestedText } from './installed-version.ts';
export { readLimit } from './failures.ts';
export { agentNamed, agentNames } from './registry.ts';
export { resetTime } from './reset-time.ts';
export { readStructured } from './structured.ts';
export { nextTimeOfDay, wallTimeAt } from './wall-clock.ts';
