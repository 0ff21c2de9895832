import type { JsonObject } from '../../base/index.ts';
import type { AskedCall, Permissions, SessionRequest } from '../contract.ts';

/** What the player is told in a file; the prompt comes by standard input. */
export interface Order {
  readonly session: SessionRequest;
  readonly permissions: Permissions;
  readonly allowedCommands: readonly string[];
  readonly allowed: readonly AskedCall[];
  readonly model?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly outputSchema?: JsonObject;
}
