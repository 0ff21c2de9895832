import type { Json } from '../base/index.ts';
import type { ErrorClass } from './workflow.ts';

/** How an attempt ended: a value, not an exception. */
export type Outcome =
  /** `update`: what a function node of a graph gave back, to be compared with the state; not yet known to be JSON. */
  | {
      readonly type: 'succeeded';
      readonly output?: Json;
      readonly update?: unknown;
      /** Where the result of the task is now. */
      readonly integrated?: { readonly result: string; readonly commit: string };
      /** It was merged, and is to be checked before it counts. */
      readonly proposed?: {
        readonly result: string;
        readonly commit: string;
        readonly onto: string;
        readonly members: readonly string[];
      };
      readonly artifacts?: { readonly paths: readonly string[]; readonly bytes: number };
      /** Where what the run made has gone. */
      readonly delivered?: {
        readonly how: 'merge' | 'pull-request';
        readonly into: string;
        readonly commit: string;
        readonly url?: string;
      };
    }
  | {
      readonly type: 'failed';
      readonly failure: Failure;
      /** The failure and the files it left, in short: the same again means that trying did not help. */
      readonly sameness?: string;
      /** Of a check, or a conflict: what the agent is told. */
      readonly report?: string;
      /** Files that conflict with those of others. */
      readonly conflict?: readonly string[];
      /** Refs that are not Piton's, moved from within its place. */
      readonly refs?: readonly {
        readonly ref: string;
        readonly before?: string | undefined;
        readonly after?: string | undefined;
      }[];
    }
  /** `agent`: it is at its usage limit until then, whatever it is asked to do. */
  | { readonly type: 'delayed'; readonly until: number; readonly reason: string; readonly agent?: string }
  | { readonly type: 'cancelled'; readonly reason: string }
  /** An agent stands before a call that it may not make by itself. */
  | {
      readonly type: 'asked';
      readonly text: string;
      readonly call: { readonly tool: string; readonly input: Json };
    }
  /** `graceful`: the driver was asked to stop; says nothing against the task. */
  | {
      readonly type: 'interrupted';
      readonly reason: string;
      readonly graceful?: boolean;
      /** It did not stop when it was asked to: started again, it might run beside itself. */
      readonly mayStillRun?: boolean;
      /** It has not even begun, and cannot begin any more: going on can do no harm twice. */
      readonly neverBegan?: boolean;
      /** The agent does not know its session any more: a new one is to be told what was done. */
      readonly sessionLost?: boolean;
      /** Where an agent was interrupted, for people: "in tool 'Bash: npm publish'". */
      readonly boundary?: string;
      /** false: what was under way there may have taken effect, and must not simply be done again. */
      readonly mayRepeat?: boolean;
    };

/** Why something has failed. */
export interface Failure {
  /** TIMEOUT, OUTPUT_INVALID, EXPRESSION_FAILED…; for a user's error its own `code` or name. */
  readonly code: string;
  readonly message: string;
  /** Where it was thrown and what caused it, if code of the user threw it; without the frames of Piton. */
  readonly stack?: string;
  /** false: trying again cannot help. */
  readonly retryable: boolean;
  /** `transient`, `permanent` or `unknown`. */
  readonly class?: ErrorClass;
  /** An agent did not reach its model: not the task's failure, and tried again by a rule of its own. */
  readonly network?: boolean;
  /** Of a command that ended with another than 0. */
  readonly exit?: number;
}
