import type { AgentDraft, TaskDraft } from '../definition/index.ts';
import type {
  AgentName,
  Budget,
  JsonSchema,
  OnInterrupt,
  Permissions,
  RegisteredAgent,
} from '../model/index.ts';
import type { Command, CommandOptions } from './command-options.ts';
import { optionalMilliseconds, type Duration } from './task-options.ts';

/** One of Piton's, or what `registerAgent` gives. */
type AnyAgent = AgentName | RegisteredAgent;

/** What an agent can be told besides what every task can. `Other`: the tasks whose sessions there are. */
export interface AgentOptions<Other extends string = string> extends Omit<
  CommandOptions,
  'capture' | 'onInterrupt' | 'onConflict'
> {
  /** Who does it, or several by preference: the next is taken where one is not installed. */
  readonly agent: AnyAgent | readonly AnyAgent[];
  /** What it may do by itself; a list is in the words of its CLI. Default: `edit`. */
  readonly permissions?: Permissions;
  /** Goes on in the session of a task that it needs, directly or not, or in a copy of that; default: a new one. */
  readonly session?: { readonly continue: Other } | { readonly fork: Other };
  /** By the agent's own name for it. */
  readonly model?: string;
  /** How hard the model thinks, in the agent's own words. */
  readonly effort?: string;
  /** Turns of the conversation after which an attempt fails. */
  readonly maxTurns?: number;
  /** An attempt that prints nothing for so long, while no tool of it is at work, is ended and goes on in its session; 0: never. */
  readonly idleTimeout?: Duration;
  /** What all attempts together may use up; then the task is held. */
  readonly budget?: Budget;
  /** Handed to the CLI as they are; by agent where they differ. For `command` and `acp`: the program and its arguments. */
  readonly args?: readonly string[] | Readonly<Partial<Record<AnyAgent, readonly string[]>>>;
  /**
   * Decides whether its work is done: run where it runs, with its environment. If it fails, the agent is told why and
   * goes on in its session, `revise` times at most; default once.
   */
  readonly check?: string | { readonly run: Command; readonly revise?: number };
  /** What becomes of work that conflicts with that of others: a person is asked, or its agent resolves the conflict; default `hold`. */
  readonly onConflict?: 'hold' | 'agent';
  /** Of `check` and `setup`, if they are text; default `sh`. */
  readonly shell?: string;
  /** What it may do by itself after an interruption; default `continue`. `ask` also forbids automatic retry. */
  readonly onInterrupt?: OnInterrupt;
}

/** What an agent gives: the text of its answer, unless a schema asks for JSON. */
export type Answered<Schema> = [Schema] extends [JsonSchema] ? unknown : string;

/** The option that the type of the output comes from. */
export interface AnsweredOptions<Schema> {
  readonly output?: Schema;
}

export function agentDraft(options: AgentOptions, prompt: string): AgentDraft {
  const { agent, permissions, session, model, effort, maxTurns, idleTimeout, budget, args } = options;
  const { env, secrets, inheritEnv, workingDirectory } = options;
  return {
    type: 'agent',
    agents: typeof agent === 'string' ? [agent] : agent,
    prompt,
    permissions,
    session,
    model,
    effort,
    maxTurns,
    idleTimeoutMs: optionalMilliseconds('idleTimeout', idleTimeout),
    budget,
    args: args as AgentDraft['args'],
    env,
    secrets,
    inheritEnv,
    workingDirectory,
  };
}

export function checkDraft({ check, shell }: Pick<AgentOptions, 'check' | 'shell'>): TaskDraft['check'] {
  if (check === undefined) return undefined;
  const { run, revise } = typeof check === 'string' ? { run: check } : check;
  return { work: { type: 'command', run, shell }, revise };
}
