import type { Json } from '../base/index.ts';
import type { AgentTraits, JsonSchema, Permissions } from '../model/index.ts';

export type { AgentTraits, Permissions } from '../model/index.ts';

/** The conversation that an attempt is to work in: a new one, one that goes on, or a copy of one. */
export type SessionRequest =
  | { readonly type: 'new'; readonly id?: string }
  | { readonly type: 'continue'; readonly id: string }
  | { readonly type: 'fork'; readonly of: string; readonly id?: string };

/** One attempt of a task, as an adapter is asked to turn it into a command line. */
export interface AgentRequest {
  /** Reaches the CLI by standard input or a file, never as an argument: those are limited, and seen by everybody. */
  readonly prompt: string;
  /** Where the agent works, absolute. */
  readonly directory: string;
  /** The id of a new session is ours to choose only where the agent `choosesSession`. */
  readonly session: SessionRequest;
  readonly model?: string;
  readonly effort?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly permissions: Permissions;
  /** The task's own checks, which may be run under `edit`. */
  readonly allowedCommands: readonly string[];
  /** Patterns of what its task may write: what they name in so many words is open to it under `edit`. */
  readonly writes?: readonly string[];
  /** Calls that the agent has asked for, and a person has allowed. */
  readonly allowed: readonly AskedCall[];
  readonly outputSchema?: JsonSchema;
  /** Handed to the CLI as they are, after our own. */
  readonly args: readonly string[];
  /** Absolute; the command's files are written there before the start. */
  readonly folder: string;
  /** What it will find in its environment, if it is started on this machine. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A tool call, as in `tool-started`. */
export interface AskedCall {
  readonly tool: string;
  readonly input: Json;
}

/** How to start the CLI. Its first word is the agent's `executable`, unless that is empty. */
export interface AgentCommand {
  readonly argv: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Becomes standard input, which is empty without it. */
  readonly input?: string;
  /** Name in the request's folder -> content. */
  readonly files: Readonly<Record<string, string>>;
  /** What was asked for and the CLI has no means to do: somebody else must see to it. */
  readonly unmet: readonly Unmet[];
}

/** Options of a task that an agent has no means for: it works without them. */
export type Unmet = 'model' | 'effort' | 'max-turns' | 'budget';

/** What an agent says, whichever it is. Everything in it is JSON. */
export type AgentEvent =
  | { readonly type: 'session'; readonly id: string; readonly model?: string; readonly version?: string }
  | { readonly type: 'message'; readonly role: 'assistant' | 'user'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The id is unique among the calls of one process only. */
  | { readonly type: 'tool-started'; readonly id: string; readonly name: string; readonly input: Json }
  | {
      readonly type: 'tool-finished';
      readonly id: string;
      readonly isError: boolean;
      readonly output: string;
    }
  /** Of an agent that does not always: from here on, each tool call is told before it begins, or is not. */
  | { readonly type: 'tool-starts'; readonly areShown: boolean }
  | { readonly type: 'denied'; readonly tool: string; readonly reason: string }
  /** It stands before a call that it may not make by itself; it ends here by a failure of that kind. */
  | { readonly type: 'asked'; readonly tool: string; readonly input: Json; readonly reason: string }
  | UsageEvent
  /** `until` in milliseconds since 1970, where it was said. */
  | { readonly type: 'limit'; readonly until?: number; readonly text: string }
  | { readonly type: 'result'; readonly text: string; readonly structured?: Json }
  | { readonly type: 'failure'; readonly kind: FailureKind; readonly message: string }
  /** For people: retries of the CLI, what it remarks. */
  | { readonly type: 'notice'; readonly text: string }
  | UnknownEvent;

/**
 * What the adapter does not know: it may have told that something has begun. What is known and means nothing to us is no
 * event at all.
 */
export interface UnknownEvent {
  readonly type: 'unknown';
  /** Of an event; absent: a line that is none. */
  readonly kind?: string;
  /** For people. */
  readonly text: string;
}

/** Tokens. `input` counts all that was read, `cachedInput` is the part of it that came from a cache. */
export interface UsageEvent {
  readonly type: 'usage';
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly reasoning?: number;
  readonly costUsd?: number;
  /** Counted since the session began, earlier processes included: the last one counts, they must not be summed. */
  readonly isCumulative: boolean;
  /** Told on the way: what this process has used since its last count. Replaces the last one told so; the next count replaces it. */
  readonly isSoFar?: boolean;
}

/** Why an attempt of an agent failed, as far as its output tells: decides whether it is tried again, waits, or asks a person. */
export type FailureKind =
  | 'auth'
  | 'limit'
  | 'denied'
  | 'asked'
  | 'refused'
  | 'truncated'
  | 'max-turns'
  | 'budget'
  | 'session-missing'
  | 'session-in-use'
  | 'model-unknown'
  | 'network'
  /** The CLI does not know an option that we need: mostly, it is too old. */
  | 'unsupported'
  | 'error';

/** How the process of an agent ended. */
export interface AgentExit {
  readonly code: number;
  readonly timedOut: boolean;
}

/**
 * Reads one process's output. Never throws, and depends on nothing but what it is given: after a crash the
 * same lines are read again from the start, and must give the same events.
 */
export interface AgentParser {
  /** One whole line of standard output, in order. */
  line(text: string): readonly AgentEvent[];
  /** It has told how it ended, and as far as it tells, nothing of it goes on: only its own end is to come. */
  isDone(): boolean;
  /**
   * What is known only when the process has ended, with the end of standard error. Afterwards there has been
   * exactly one of `result` and `failure`.
   */
  end(exit: AgentExit, stderr: string): readonly AgentEvent[];
}

/** What a parser has to know besides the output itself. */
export interface ParserContext {
  /** When the process was started, in milliseconds since 1970: what "at 3 AM" is counted from. */
  readonly now: number;
  /** The session that was asked for. */
  readonly session?: string;
  /** Of clock times without one, as `Europe/Vienna`; default: this machine's. */
  readonly timeZone?: string;
}

/** What kind of thing a tool call does, for deciding whether it may be repeated. */
export type ToolClass = 'reading' | 'editing' | { readonly shell: string } | 'unknown' | 'irreversible';

/** Names of environment variables; `AWS_*` are all that begin so. */
export interface AgentVariables {
  readonly always: readonly string[];
  /** Only where a variable is set (`NAME`), or set to something (`NAME=value`). */
  readonly when?: Readonly<Record<string, readonly string[]>>;
}

/** An adapter to one agent CLI: data in, data out; it starts nothing and writes nothing. */
export interface Agent {
  /** What workflows call it. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Whether the id of a new session can be given before the start. */
  readonly choosesSession: boolean;
  /** What definitions are checked with, before any adapter is asked: the same as `command` does. */
  readonly traits: AgentTraits;
  /** Whether a session belongs to the folder it was begun in: gone on in elsewhere, it is unknown, or the agent works in that folder. */
  readonly bindsSessions?: boolean;
  readonly pricing: 'usd' | 'tokens' | 'none';
  /** Whether a tool call is told before it has ended. Where not, the call in flight is unknown, unless `tool-starts` was told. */
  readonly showsToolStart: boolean;
  /** Whether what it may not do by itself is asked of a person; where not, it is denied. */
  readonly asks: boolean;
  /** Whether it waits for the end of a usage limit by itself, however long, and says so on standard error alone. */
  readonly waitsAtLimits?: boolean;
  /** The file that its first start here, and the first one of each version, prepares; two that do so at once can fail. */
  preparedFile?(environment: Readonly<Record<string, string>>): string | undefined;
  /** The program's name. Empty: the caller names it in `args`. */
  readonly executable: string;
  /** The versions its behaviour was tested with; absent if it was written from documentation only. */
  readonly tested?: { readonly from: string; readonly to: string };
  /** Environment variables that the CLI itself reads, its login and its settings: it is given them without being asked. */
  readonly variables: AgentVariables;
  /** What to type to log in; empty if there is no such thing. */
  readonly login: string;
  /** The arguments with which the program prints its version. */
  versionCommand(): readonly string[];
  /** The version in what that printed; undefined if there is none. */
  parseVersion(output: string): string | undefined;
  /** Throws `PERMISSIONS_UNSUPPORTED` and `SESSION_UNSUPPORTED` rather than allow more than was asked for. */
  command(request: AgentRequest): AgentCommand;
  /** The command that opens the session for a person; empty if there is none. */
  interactive(session: string): readonly string[];
  /** Reads the stream of one attempt, from its beginning: it is told line by line, and gives events. */
  parser(context: ParserContext): AgentParser;
  /** `name` and `input` as in `tool-started`. */
  toolClass(name: string, input: Json): ToolClass;
  /** One line: what the permissions become. */
  explainPermissions(permissions: Permissions): string;
}
