import type { Command, InboxCommand, Sender } from '../model/index.ts';

/** Something that was decided and has no effect yet: whoever drives the run, or goes on with it, sees to it. */
export interface QueuedDecision {
  /** By which `run.decided` tells what became of it. */
  readonly id: string;
  readonly at: number;
  /** As in `OfferedAction`; or `pause`, `resume`, `cancel`, `tell`, `set`. */
  readonly action: string;
  /** Absent: the run as a whole. */
  readonly task?: string;
  readonly by?: Sender;
}

/** Undefined for what is no decision: that somebody has taken the session of a task, or given it back. */
export function queuedDecision({ id, at, command }: InboxCommand): QueuedDecision | undefined {
  const action = actionOf(command);
  if (action === undefined) return undefined;
  return {
    id,
    at,
    action,
    ...('task' in command && { task: command.task }),
    ...(command.sender !== undefined && { by: command.sender }),
  };
}

/** Whether something that waits for a person goes on by it. A message for an agent waits with it; what is set need not concern it. */
export function isAnswer({ action }: QueuedDecision): boolean {
  return action !== 'tell' && action !== 'set';
}

function actionOf(command: Command): string | undefined {
  switch (command.type) {
    case 'lend':
    case 'return':
      return undefined;
    case 'place':
      return command.action;
    case 'raise':
      return command.unit === 'usd' ? 'raise-dollars' : 'raise-tokens';
    default:
      return command.type;
  }
}
