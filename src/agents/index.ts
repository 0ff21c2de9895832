export type {
  Agent,
  AgentCommand,
  AgentEvent,
  AgentExit,
  AgentParser,
  AgentRequest,
  AgentTraits,
  AgentVariables,
  AskedCall,
  FailureKind,
  ParserContext,
  Permissions,
  SessionRequest,
  ToolClass,
  Unmet,
  UnknownEvent,
  UsageEvent,
} from './contract.ts';
export { detectAgent, findExecutable, type Detection, type DetectOptions } from './detect.ts';
export { withExecutable } from './executable.ts';
export { installedVersion } from './installed-version.ts';
export { loginSigns } from './login-signs.ts';
export { readLimit } from './failures.ts';
export { agentNamed, registerAgent, untestedText } from './registry.ts';
export { streamParser, type StreamReader } from './stream-parser.ts';
export { resetTime } from './reset-time.ts';
export { readStructured } from './structured.ts';
export { nextTimeOfDay, wallTimeAt } from './wall-clock.ts';
