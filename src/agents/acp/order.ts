import type { AskedCall, Permissions, SessionRequest } from '../contract.ts';

/** What the client is told in a file. The prompt comes by standard input, the agent's command line as arguments. */
export interface Order {
  /** Where the agent works, absolute. */
  readonly directory: string;
  readonly session: SessionRequest;
  readonly permissions: Permissions;
  readonly allowedCommands: readonly string[];
  readonly writes?: readonly string[];
  readonly allowed: readonly AskedCall[];
  readonly model?: string;
  readonly effort?: string;
  /** Until then a program must have shown that it speaks the protocol. */
  readonly patienceMs: number;
}
