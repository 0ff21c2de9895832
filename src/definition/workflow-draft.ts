import type { JsonObject } from '../base/index.ts';
import type {
  AgentWork,
  AskWork,
  BreakerPolicy,
  CheckpointPolicy,
  CheckSpec,
  CleanupPolicy,
  CommandWork,
  Condition,
  DeliverWork,
  Dynamic,
  EdgeSpec,
  ErrorRule,
  ForEachSpec,
  InputSpec,
  JsonSchema,
  OnInterrupt,
  RetryPolicy,
  SetupSpec,
  TaskSpec,
  UsageLimits,
  Work,
  Workflow,
  WorkspaceSpec,
} from '../model/index.ts';

/** The shape of a `Workflow` before its defaults are filled in. A finished `Workflow` is one too. */
export interface WorkflowDraft {
  readonly name: string;
  readonly version?: string | undefined;
  readonly migrations?: Workflow['migrations'] | undefined;
  /** Default: `graph` when there is a `graph`. */
  readonly form?: Workflow['form'] | undefined;
  readonly inputs?: Readonly<Record<string, Optional<InputSpec, 'required'>>> | undefined;
  readonly tasks: readonly TaskDraft[];
  readonly maxParallel?: number | undefined;
  /** Default: false. */
  readonly failFast?: boolean | undefined;
  readonly outputs?: Dynamic | undefined;
  /** Default: after every task, preserving payloads. */
  readonly checkpoint?: Loose<CheckpointPolicy> | undefined;
  readonly graph?: GraphDraft | undefined;
  readonly budget?: Workflow['budget'] | undefined;
  readonly usageLimits?: UsageLimitsDraft | undefined;
  readonly workspace?: WorkspaceSpec | undefined;
  readonly base?: string | undefined;
  readonly cleanup?: CleanupPolicy | undefined;
  /** Becomes a task of its own, after all others. */
  readonly deliver?: DeliveryDraft | undefined;
  /** Defaults: 5 failures, 30 s, 30 min. */
  readonly breakers?: Readonly<Record<string, Loose<BreakerPolicy>>> | undefined;
}

/** Quiet hours may be text: `22:00-07:00`. */
export interface UsageLimitsDraft {
  readonly maxWaitMs?: number | undefined;
  readonly quietHours?: UsageLimits['quietHours'] | string | undefined;
}

export interface GraphDraft {
  readonly start: string;
  readonly state?: JsonObject | undefined;
  /** Default: 100. */
  readonly maxSteps?: number | undefined;
}

export interface TaskDraft {
  readonly name: string;
  readonly needs?: readonly string[] | undefined;
  /** Added to what the expressions are seen to read; a closure is taken to read all direct needs. */
  readonly reads?: readonly string[] | undefined;
  readonly if?: Condition | undefined;
  readonly forEach?: ForEachDraft | undefined;
  readonly work: WorkDraft;
  readonly output?: JsonSchema | undefined;
  /** Default: one attempt; if there are more, after 1 s, 2 s, 4 s… up to 1 min, each shortened by up to half. */
  readonly retry?: Loose<RetryPolicy> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly continueOnError?: boolean | undefined;
  readonly priority?: number | undefined;
  readonly locks?: readonly string[] | undefined;
  readonly repositoryLocks?: readonly string[] | undefined;
  readonly writes?: readonly string[] | undefined;
  readonly onInterrupt?: OnInterrupt | undefined;
  readonly version?: string | undefined;
  readonly approval?: Dynamic | undefined;
  readonly check?: CheckDraft | undefined;
  readonly workspace?: WorkspaceSpec | undefined;
  readonly setup?: SetupDraft | undefined;
  readonly pool?: number | undefined;
  readonly artifacts?: readonly string[] | undefined;
  readonly onConflict?: TaskSpec['onConflict'] | undefined;
  readonly sandbox?: TaskSpec['sandbox'] | undefined;
  readonly network?: TaskSpec['network'] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly errors?: readonly ErrorRule[] | undefined;
  readonly update?: Dynamic | undefined;
  readonly next?: readonly EdgeSpec[] | undefined;
}

/** What its work leaves out it has from the agent. Defaults: one revision; `restart`, unless it does what cannot be undone. */
export type CheckDraft = { readonly work: CommandDraft } & Loose<Omit<CheckSpec, 'work'>>;

/** What its work leaves out it has from the task, but not where that runs: a place is made usable as a whole. */
export type SetupDraft = Loose<Omit<SetupSpec, 'work'>> & { readonly work?: CommandDraft | undefined };

/** Defaults: `as` is `item` (`matrix` in a matrix), no failure is forgiven. */
export type ForEachDraft = Pick<ForEachSpec, 'in'> & Loose<Omit<ForEachSpec, 'in'>>;

/** A nested workflow may be a draft; one that inherits has to be, since its expressions are checked where it stands. */
export type WorkDraft =
  | Extract<Work, { type: 'function' }>
  | CommandDraft
  | AgentDraft
  | DeliverDraft
  | AskDraft
  | {
      readonly type: 'workflow';
      readonly workflow: Workflow | WorkflowDraft;
      readonly inherits?: boolean | undefined;
      readonly with?: Dynamic | undefined;
    };

/** Here expressions may still stand in shell text. Defaults: `sh`, nothing added, text (JSON where a schema asks for it). */
export type CommandDraft = Pick<CommandWork, 'type' | 'run' | 'with'> &
  Loose<Omit<CommandWork, 'type' | 'run' | 'with'>>;

/** Defaults: `edit`, no further arguments, nothing added to the environment. */
export type AgentDraft = Pick<AgentWork, 'type' | 'agents' | 'prompt' | 'with'> &
  Loose<Omit<AgentWork, 'type' | 'agents' | 'prompt' | 'with'>>;

/** Default: not a draft. */
export type DeliverDraft = Pick<DeliverWork, 'type' | 'with'> & { readonly pr: Loose<DeliverWork['pr']> };

/** Default: text, or one of the choices if there are some. */
export type AskDraft = Pick<AskWork, 'type' | 'question' | 'with'> &
  Loose<Omit<AskWork, 'type' | 'question' | 'with'>>;

/** What the task that delivers is told. Default: it does so when all others have succeeded, without asking. */
export type DeliveryDraft = Pick<DeliverDraft, 'pr'> & Pick<TaskDraft, 'approval' | 'if'>;

type Loose<T> = { readonly [Key in keyof T]?: T[Key] | undefined };
type Optional<T, Key extends keyof T> = Omit<T, Key> & Loose<Pick<T, Key>>;
