import type { Json, JsonObject } from '../base/index.ts';
import type { CheckpointPolicy } from './checkpoint-policy.ts';
import type { AnswerType } from './questions.ts';

/**
 * A workflow as data: validated, normalised, frozen, hashed. Nothing here is optional because a user left it out;
 * what is optional is meant to be absent. Closures of TypeScript workflows are named here and live in a `Program`.
 */
export interface Workflow {
  readonly format: 1;
  readonly name: string;
  /** A whole number counts: runs of lower ones are migrated, absent is 1. Anything else is a name for people. See `versionNumber`. */
  readonly version?: string;
  /** How a parked run is brought to a version, by that version: each from the one before it. */
  readonly migrations?: Readonly<Record<string, MigrationSpec>>;
  readonly form: 'tasks' | 'graph';
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly tasks: readonly TaskSpec[];
  /** Attempts of this workflow's tasks that may run at once; absent = no limit. */
  readonly maxParallel?: number;
  /** The first task that fails cancels what has not ended, except tasks whose `if` asks for failure() or always(). */
  readonly failFast: boolean;
  /** What the run gives back; absent = the output of every task by name (graph: the state). */
  readonly outputs?: Dynamic;
  readonly checkpoint: CheckpointPolicy;
  /** Only in the graph form. */
  readonly graph?: GraphSpec;
  /** Circuit breakers of resources that are to behave otherwise than by default. */
  readonly breakers?: Readonly<Record<string, BreakerPolicy>>;
  /** What agents may use up in one run, and all runs of the store together on one day. */
  readonly budget?: Budget & { readonly perDay?: Budget };
  /** What happens when an agent is at its usage limit; absent = it is waited for. */
  readonly usageLimits?: UsageLimits;
  /** Where its tasks work; absent = worktrees where agents write in a git repository, else the folder of the run. */
  readonly workspace?: WorkspaceSpec;
  /** Branch or commit that a run begins from; absent = HEAD. */
  readonly base?: string;
  /** What becomes of places whose tasks have ended; absent = as configured. */
  readonly cleanup?: CleanupPolicy;
  /** sha256 of the canonical JSON of all the rest. */
  readonly hash: string;
}

export interface GraphSpec {
  readonly start: string;
  /** The initial state; a run may start with another one of the same fields. */
  readonly state: JsonObject;
  readonly maxSteps: number;
}

/**
 * What one version changes in the data of a run that was parked at the version before. Templates name the fields that change, and
 * see `inputs`, `state` and, for an output, `output`; a closure gives the whole value.
 */
export interface MigrationSpec {
  readonly inputs?: Dynamic;
  /** Only in the graph form. */
  readonly state?: Dynamic;
  /** By task, inside of an inline body `outer.inner`; of each item of a for-each, and each visit of a node. */
  readonly outputs?: Readonly<Record<string, Dynamic>>;
}

export interface InputSpec {
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly default?: Json;
  readonly description?: string;
}

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = JsonObject;

/** Stands for a closure in the functions that come with the workflow. */
export interface FunctionRef {
  readonly $function: string;
}

/** A value in which strings may contain `${{ expression }}` at any depth, or a closure that gives the value. */
export type Dynamic = Json | FunctionRef;

/** A bare CEL expression, or a predicate. */
export type Condition = string | FunctionRef;

export interface TaskSpec {
  readonly name: string;
  readonly needs: readonly string[];
  /** Names of tasks (of the same scope) that this task's expressions read; a subset of all that it needs, directly or not. */
  readonly reads: readonly string[];
  readonly if?: Condition;
  readonly forEach?: ForEachSpec;
  readonly work: Work;
  /** What an output must look like; absent = anything. */
  readonly output?: JsonSchema;
  readonly retry: RetryPolicy;
  /** Running time of one attempt. */
  readonly timeoutMs?: number;
  readonly continueOnError: boolean;
  /** Higher starts first among those that may start. */
  readonly priority: number;
  /** Held exclusively within the run while an attempt runs. Overlapping `writes` appear here as locks too. */
  readonly locks: readonly string[];
  /** Held exclusively among all runs on the same repository. */
  readonly repositoryLocks?: readonly string[];
  readonly writes: readonly string[];
  readonly onInterrupt: OnInterrupt;
  /** A person is asked this before the first attempt. */
  readonly approval?: Dynamic;
  /** Decides whether the work of an agent is done. */
  readonly check?: CheckSpec;
  /** Otherwise than the workflow says. */
  readonly workspace?: WorkspaceSpec;
  /** Makes a workspace usable, once. */
  readonly setup?: SetupSpec;
  /** Of a for-each: so many places for all items, taken in turn and made usable once. */
  readonly pool?: number;
  /** Files that git does not have, kept for those who need the task: paths in the folder of the run. */
  readonly artifacts?: readonly string[];
  /** What becomes of a result that conflicts with those of others; absent = a person is asked. */
  readonly onConflict?: 'hold' | 'agent';
  /** Whether its processes are contained; absent: as `containmentOf` has it. */
  readonly sandbox?: SandboxMode;
  /** Of contained processes: `off` leaves them this machine's loopback, one of their own. Absent: on. */
  readonly network?: 'on' | 'off';
  /** What it depends on outside, by name: each has a circuit breaker. */
  readonly resources?: readonly string[];
  /** How failures are to be understood, before what Piton knows by itself. The first that fits counts. */
  readonly errors?: readonly ErrorRule[];
  /** Closures cannot be hashed: their author says when they have changed. */
  readonly version?: string;
  /** Graph form: what changes in the state. Absent in a function node: its output is the update. */
  readonly update?: Dynamic;
  /** Graph form: tried in order; the first whose `if` holds is taken. */
  readonly next?: readonly EdgeSpec[];
}

/**
 * `worktree`: a git worktree of its own, from what its needs have made; `directory`: a folder of its own, empty or a copy of
 * one in the folder of the run; `remote`: a worktree on a machine that is reached by ssh, named in the configuration;
 * `shared`: the folder of the run.
 */
export type WorkspaceSpec =
  | { readonly mode: 'worktree' }
  | { readonly mode: 'shared' }
  | { readonly mode: 'directory'; readonly copyOf?: string }
  | { readonly mode: 'remote'; readonly remote: string };

/** `auto`: contained where that is possible, which is told where it is not; `required`: else it is not started. */
export type SandboxMode = (typeof sandboxModes)[number];

export const sandboxModes = ['auto', 'off', 'required'] as const;

/**
 * What becomes of a place whose task has ended. Nothing is removed before all that would be lost by it is kept.
 * `remove-when-clean-else-archive`: what the result of the task does not hold is archived; `remove-on-success`: the same, but
 * places of tasks that did not succeed stay; `archive-on-failure`: those are archived in any case; `archive`: all are.
 */
export type CleanupPolicy = (typeof cleanupPolicies)[number];

export const cleanupPolicies = [
  'remove-when-clean-else-archive',
  'keep',
  'remove-on-success',
  'archive-on-failure',
  'archive',
] as const;

/** Done before the first attempt in a workspace: files that git does not have are copied, then a command is run. */
export interface SetupSpec {
  /** Paths in the folder of the run. */
  readonly copy: readonly string[];
  readonly work?: CommandWork;
  /** So many free ports: PITON_PORT is the first, PITON_PORTS all of them, separated by blanks. */
  readonly ports?: number;
  /** Folders that all places of the repository share. */
  readonly caches?: readonly string[];
}

/** A command that is run when an agent says it is done. If it fails, the agent is told why, in the same session. */
export interface CheckSpec {
  readonly work: CommandWork;
  /** So often at most. */
  readonly revise: number;
  readonly onInterrupt: OnInterrupt;
}

/** What an interrupted task may do by itself: run again from the beginning, go on in its session (agents only), or wait for a person. */
export type OnInterrupt = 'restart' | 'continue' | 'ask';

export interface ForEachSpec {
  /** A list; or, in a matrix, a record of lists whose product is taken. */
  readonly in: Dynamic;
  readonly matrix: boolean;
  /** The name by which expressions see the item. */
  readonly as: string;
  /** Evaluated with the item; absent = the item itself if it is a string or number, else its index. */
  readonly key?: Dynamic;
  readonly maxParallel?: number;
  /** So many items may fail without failing the task. */
  readonly maxFailures: number;
  /**
   * What happens to the other items once too many have failed. true: all of them are cancelled; false: all of them run, and the
   * task fails at the end. Absent: those that run finish, and no other starts.
   */
  readonly failFast?: boolean;
}

export type Work =
  | { readonly type: 'function'; readonly function: string; readonly with?: Dynamic }
  /** A nested workflow. `inherits`: an inline body, which sees the variables around it; else it has inputs of its own. */
  | {
      readonly type: 'workflow';
      readonly workflow: Workflow;
      readonly inherits: boolean;
      readonly with?: Dynamic;
    }
  | CommandWork
  | AgentWork
  | DeliverWork
  | AskWork;

/** A question to a person; the answer is the output of the task. Nothing runs while it waits. */
export interface AskWork {
  readonly type: 'ask';
  /** Text with `${{ }}`. */
  readonly question: string;
  readonly answer: AnswerType;
  /** Of a `choice`: a list, or an expression that gives one. */
  readonly choices?: Dynamic;
  /** Becomes the answer when nobody has answered in time. */
  readonly default?: Dynamic;
  /** How long to wait for an answer. Absent: for ever. */
  readonly deadlineMs?: number;
  /** Never there: expressions stand in `question`, `choices` and `default`. */
  readonly with?: never;
}

/** Hands over what the run has made. Looks first whether that was done. */
export interface DeliverWork {
  readonly type: 'deliver';
  readonly pr: {
    /** The branch it is to be merged into; absent: that which the remote repository takes for its main one. */
    readonly base?: string;
    /** The name of the branch that is pushed; absent: `piton/<run>`. */
    readonly branch?: Dynamic;
    readonly draft: boolean;
    readonly title?: Dynamic;
    readonly body?: Dynamic;
  };
  /** Never there: expressions stand in `pr`. */
  readonly with?: never;
}

/** A conversation with a coding agent, in a process of its own. */
export interface AgentWork {
  readonly type: 'agent';
  /** By preference: the next is taken where one is not installed. */
  readonly agents: readonly string[];
  /** Text with `${{ }}`; a prompt file has been read already, so that a change of it is a change of the task. */
  readonly prompt: string;
  readonly permissions: Permissions;
  /** Goes on in the session of a task it needs, or in a copy of that. */
  readonly session?: { readonly continue: string } | { readonly fork: string };
  readonly model?: string;
  readonly effort?: string;
  readonly maxTurns?: number;
  /** An attempt that prints nothing for so long, while no tool of it is at work, is ended; 0: never. */
  readonly idleTimeoutMs?: number;
  /** What all attempts of the task together may use up. */
  readonly budget?: Budget;
  /** Handed to the CLI as they are; by agent where they are not the same for all. */
  readonly args: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** As for commands. */
  readonly env: Readonly<Record<string, Dynamic>>;
  readonly secrets: readonly string[];
  readonly inheritEnv?: InheritEnv;
  readonly workingDirectory?: string;
  /** Never there: expressions stand in `prompt`, `env` and `workingDirectory`. */
  readonly with?: never;
}

/** Dollars, for agents that tell their price; tokens, read and written, for all. */
export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
}

/** How long a usage limit is waited for. Quiet hours are minutes of the local day, in which no agent that has waited is started. */
export interface UsageLimits {
  /** Longer: the task is held. 0: it is not waited for at all. Absent: as long as it takes. */
  readonly maxWaitMs?: number;
  readonly quietHours?: { readonly from: number; readonly to: number };
}

/** What an agent may do by itself. A list names tools or commands in the CLI's own words. */
export type Permissions = 'read' | 'edit' | 'full' | readonly string[];

/** A process of its own: a shell's text, or a program with its arguments. */
export interface CommandWork {
  readonly type: 'command';
  /**
   * Shell text, in which no expression is left (each became a quoted variable, see `env`); or a program and its arguments,
   * each rendered by itself and never seen by a shell.
   */
  readonly run: string | readonly string[];
  /** Only for shell text. */
  readonly shell: string;
  /** Added to the environment. Values are rendered. */
  readonly env: Readonly<Record<string, Dynamic>>;
  /** Names of environment variables whose values must not be written down anywhere. */
  readonly secrets: readonly string[];
  /** What else it is given of Piton's environment; absent = nothing. */
  readonly inheritEnv?: InheritEnv;
  /** Relative to the folder of the run. */
  readonly workingDirectory?: string;
  /** What of its standard output is the task's output, unless it writes JSON to $PITON_OUTPUT. */
  readonly capture: Capture;
  /** Never there: expressions of a command stand in `run`, `env` and `workingDirectory`. */
  readonly with?: never;
}

/** Names of environment variables, of which `AWS_*` are all that begin so; true: all of them. */
export type InheritEnv = true | readonly string[];

export type Capture = 'text' | 'json' | 'last-line' | 'none';

export interface EdgeSpec {
  readonly if?: Condition;
  /** A node's name, or `end`. */
  readonly to: string;
}

export interface RetryPolicy {
  /** All tries together: 1 = no retry. */
  readonly attempts: number;
  readonly backoffMs: number;
  readonly factor: number;
  readonly maxBackoffMs: number;
  /** 0 = none; 1 = anywhere between nothing and the full delay. */
  readonly jitter: number;
  /** Retry only these: error codes or names, or /patterns/ on the message. Empty = all. */
  readonly on: readonly string[];
  readonly notOn: readonly string[];
}

/** `transient`: trying again may help, and says something of the resource; `permanent`: it cannot. */
export type ErrorClass = 'transient' | 'permanent' | 'unknown';

export interface ErrorRule {
  /** Exit codes of a command. */
  readonly exit?: readonly number[];
  /** An error code or name, or a /pattern/ on the message. */
  readonly match?: string;
  readonly class: ErrorClass;
}

/** Opens after so many transient failures in a row, for `cooldownMs`, which doubles up to the maximum while trials fail. */
export interface BreakerPolicy {
  readonly failures: number;
  readonly cooldownMs: number;
  readonly maxCooldownMs: number;
}

/** The number by which definitions of one workflow follow each other. Undefined: its version is only a name. */
export function versionNumber({ version }: { readonly version?: string | undefined }): number | undefined {
  if (version === undefined) return 1;
  return /^[1-9]\d{0,8}$/.test(version) ? Number(version) : undefined;
}

export function isFunctionRef(value: unknown): value is FunctionRef {
  return typeof value === 'object' && value !== null && typeof (value as FunctionRef).$function === 'string';
}
