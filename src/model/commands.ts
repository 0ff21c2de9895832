import type { Json } from '../base/index.ts';
import type { AboutChange } from './about.ts';
import type { LimitChange } from './limits.ts';

/**
 * What a person or another process asks of a run. It names what it was decided on, so that it cannot hit something later: the
 * version of the run that was looked at (`seen`), a gate, a session. Who comes second is refused, and told so.
 */
export type Command =
  | { readonly type: 'pause'; readonly reason?: string }
  | { readonly type: 'resume' }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Tries a held, delayed or failed task again, or goes on without it. */
  | {
      readonly type: 'retry' | 'skip';
      readonly task: string;
      readonly seen?: number;
      /** Failed like it: each by itself would be stopped again by the others. */
      readonly also?: readonly string[];
      /** Succeeded tasks that may run again; `true`: all that have to. Without it, nothing that has succeeded runs again. */
      readonly rerunSucceeded?: true | readonly string[];
    }
  /** A person says that the work of a held or failed task was done, and why that is so. */
  | {
      readonly type: 'done';
      readonly task: string;
      readonly comment: string;
      readonly output?: Json;
      readonly seen?: number;
      readonly rerunSucceeded?: true | readonly string[];
    }
  /**
   * A message for the agent that does the task. `now`: one that is working is stopped for it, and goes on with it.
   * `generation`: how often the task had been begun from scratch again; a later conversation is not meant.
   */
  | {
      readonly type: 'tell';
      readonly task: string;
      readonly text: string;
      readonly now?: boolean;
      readonly generation?: number;
    }
  /** A person wants the task's session for a while. `token`: of the lease under which it is held. */
  | {
      readonly type: 'lend';
      readonly task: string;
      readonly session: string;
      /** When it was taken: where nobody drives the run, that is heard of later. */
      readonly from: number;
      readonly host: string;
      readonly pid: number;
      readonly token: string;
    }
  /** And gives it back. */
  | { readonly type: 'return'; readonly task: string; readonly token: string; readonly at: number }
  /** What is to be done with the place of a held task; see `workspace.ordered`. */
  | {
      readonly type: 'place';
      readonly task: string;
      readonly action: 'recreate' | 'restore' | 'adopt' | 'discard';
      readonly seen?: number;
      /** The snapshot or archive to restore. */
      readonly from?: string;
    }
  /** Raises the budget that a task waits for. `attempt`: the last one that the person saw. `by`: who it was. */
  | {
      readonly type: 'raise';
      readonly task: string;
      readonly unit: 'usd' | 'tokens';
      readonly amount: number;
      readonly attempt?: string;
      readonly by?: string;
      readonly comment?: string;
    }
  /** Says something else of the run, or sets its limits. The only one that is decided also where nobody drives the run. */
  | {
      readonly type: 'set';
      readonly about?: AboutChange;
      readonly limits?: readonly LimitChange[];
      /** Gives a checkpoint a name. */
      readonly checkpoint?: { readonly name: string; readonly seq: number };
    }
  | {
      readonly type: 'approve' | 'reject';
      readonly task: string;
      readonly gate: string;
      readonly comment?: string;
    }
  /** The answer to a question. */
  | {
      readonly type: 'answer';
      readonly task: string;
      readonly gate: string;
      readonly answer: Json;
      readonly comment?: string;
    };

/** Who decided something, as far as a system can tell. */
export interface Sender {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** Absent: a program, without one. */
  readonly terminal?: string;
  /** The attempt that it was done inside of: then it was no person. */
  readonly attempt?: string;
}

/** `sender`: absent in what was sent before this was written down. */
export type SentCommand = Command & { readonly sender?: Sender };

/** Something that was asked of a run and is to be decided by whoever drives it. `answer`: what was decided. */
export interface InboxCommand {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  readonly command: SentCommand;
  /** Present once decided; a command is decided once. */
  readonly answer?: CommandAnswer;
}

/** What was decided about a command, and why. */
export interface CommandAnswer {
  readonly accepted: boolean;
  readonly text: string;
}
