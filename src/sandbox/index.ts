export { agentAmong } from './agent-folders.ts';
export { findSandbox } from './availability.ts';
export { Sandbox, type SandboxRequest } from './sandbox.ts';
