import { resolve } from 'node:path';
import {
  agentNamed,
  withExecutable,
  type Agent,
  type AgentCommand,
  type AgentRequest,
} from '../agents/index.ts';
import {
  dollarsLeft,
  placementOf,
  variablesOf,
  type AgentStart,
  type PastAttempt,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { AgentWork, Dynamic, InheritEnv, TaskSpec } from '../model/index.ts';
import type { SpoolOrder } from '../spool/index.ts';
import { accountOf, hasNothing, joinAccounts, type Account } from './agent-account.ts';
import type { AgentProgram } from './agent-program.ts';
import { promptOf, recalls } from './agent-prompt.ts';
import { AgentStream, lostExit } from './agent-stream.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { AgentPorts } from './agent-ports.ts';
import { dayOf, endOfDay } from './calendar.ts';
import { checkValues, shownCheck, typableCheck } from './check-text.ts';
import { environmentFor, textOf } from './command-order.ts';
import { filesChangedSince } from './sameness.ts';
import { originsOf, sessionRequest } from './session-request.ts';
import { spoolOrder } from './spool-order.ts';
import { inheritedBy, loginNames, variablesOfAgent } from './task-environment.ts';

interface Ordered {
  readonly spec: TaskSpec;
  readonly start: AgentStart;
  readonly program: AgentProgram;
  readonly turn: AgentTurn;
  readonly ports: AgentPorts;
  readonly attempt: string;
}

interface Rendering {
  readonly render: (value: Dynamic) => string;
  readonly changed: readonly string[] | undefined;
}

/** How an agent is started, and what it is told. */
export class AgentOrder {
  readonly #spec: TaskSpec;
  readonly #work: AgentWork;
  readonly #start: AgentStart;
  readonly #agent: Agent;
  readonly #program: AgentProgram;
  readonly #turn: AgentTurn;
  readonly #ports: AgentPorts;
  readonly #attempt: string;

  constructor({ spec, start, program, turn, ports, attempt }: Ordered) {
    this.#spec = spec;
    this.#work = spec.work as AgentWork;
    this.#start = start;
    this.#agent = agentNamed(start.name);
    this.#program = program;
    this.#turn = turn;
    this.#ports = ports;
    this.#attempt = attempt;
  }

  async make(state: RunState, task: TaskState, folder: string): Promise<SpoolOrder> {
    const { spool, program } = this.#ports;
    const { evaluator } = program;
    const work = this.#work;
    const variables = variablesOf(state, task);
    const render = (value: Dynamic): string => textOf(evaluator.render(value, variables));
    const directory = resolve(folder, render(work.workingDirectory ?? '.'));
    const inherited = this.#inherited(state);
    const surroundings = environmentFor(work, { ...this.#ports, inherited, evaluator, variables });
    // Of another machine nobody knows here what it has, and what was started there before.
    const isHere = placementOf(state, task).mode !== 'remote';
    if (isHere) await this.#program.find(surroundings);
    const { argv, env, input, files } = this.#command({
      ...this.#settings(task, this.#dollarsLeft(state, task)),
      prompt: await this.#prompt(state, task, { render, changed: await this.#changedFiles(task) }),
      directory,
      session: sessionRequest(this.#start),
      folder: spool.folderOf(this.#attempt),
      ...(isHere && { environment: surroundings }),
    });
    if (isHere) this.#turn.join(argv[0]!, surroundings);
    return spoolOrder(state, task, {
      argv,
      directory,
      env: { ...surroundings, ...(this.#spec.check && checkValues(this.#spec.check, render)), ...env },
      secrets: work.secrets,
      inherited,
      hidden: loginNames(this.#agent.variables, this.#ports.environment),
      files,
      ...(input !== undefined && { input }),
    });
  }

  /** What it asks for, and what its CLI reads. */
  #inherited(state: RunState): InheritEnv {
    const { environment, inheritEnv } = this.#ports;
    const inherited = inheritedBy(state, this.#work, inheritEnv);
    return inherited === true
      ? true
      : [...inherited, ...variablesOfAgent(this.#agent.variables, environment)];
  }

  #command(request: AgentRequest): AgentCommand {
    const command = this.#agent.command(request);
    const { executable } = this.#program;
    return executable === undefined ? command : withExecutable(this.#agent, command, executable);
  }

  #dollarsLeft(state: RunState, task: TaskState): number | undefined {
    const { clock, budgetPerDay } = this.#ports;
    const now = clock.now();
    const today = { day: dayOf(now), endsAt: endOfDay(now), elsewhere: this.#ports.elsewhere() };
    return dollarsLeft(state, task, { today, ...(budgetPerDay !== undefined && { budgetPerDay }) });
  }

  /** What the task says of how the agent is to work. */
  #settings(
    { conversation: { allowed = [] } }: TaskState,
    dollars: number | undefined,
  ): Omit<AgentRequest, 'prompt' | 'directory' | 'session' | 'folder'> {
    const { permissions, model, effort, maxTurns } = this.#work;
    const { output, check, writes } = this.#spec;
    return {
      permissions,
      ...(writes.length > 0 && { writes }),
      allowedCommands: check === undefined ? [] : typableCheck(check),
      allowed,
      args: argumentsOf(this.#work, this.#agent),
      ...(dollars !== undefined && { budgetUsd: dollars }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(maxTurns !== undefined && { maxTurns }),
      ...(output !== undefined && { outputSchema: output }),
    };
  }

  /** Only in a place of its own: elsewhere others change files too. */
  async #changedFiles({ workspace }: TaskState): Promise<readonly string[] | undefined> {
    if (this.#start.rung === undefined || workspace?.kind !== undefined || workspace?.base === undefined)
      return undefined;
    return filesChangedSince(workspace.base, workspace.path);
  }

  async #prompt(state: RunState, task: TaskState, { render, changed }: Rendering): Promise<string> {
    const { check } = this.#spec;
    const needed = recalls(task, this.#start);
    // All of them: the last one may have been killed before it did anything.
    const accounts = needed.account ? await this.#accountsOf([task]) : undefined;
    const origin = needed.origin ? joinAccounts(await this.#accountsOf(originsOf(state, task))) : undefined;
    return promptOf({
      prompt: render(this.#work.prompt),
      task,
      start: this.#start,
      ...(check !== undefined && { check: shownCheck(check, render) }),
      ...(changed !== undefined && { changed }),
      ...(accounts !== undefined && {
        account: joinAccounts(accounts),
        isUnheard: accounts.length > 0 && hasNothing(accounts.at(-1)!),
      }),
      ...(origin !== undefined && { origin }),
    });
  }

  async #accountsOf(tasks: readonly TaskState[]): Promise<readonly Account[]> {
    const accounts: Account[] = [];
    for (const attempt of tasks.flatMap(({ conversation }) => conversation.lastEnd?.attempts ?? []))
      accounts.push(await this.#accountOfAttempt(attempt));
    return accounts;
  }

  /** Another agent may have begun the task: each is understood in its own way. */
  async #accountOfAttempt({ id, agent: name, upTo }: PastAttempt): Promise<Account> {
    const { spool, clock } = this.#ports;
    const context = { now: clock.now() };
    const end = upTo !== undefined && { end: upTo };
    const stream = new AgentStream(spool, id, { agent: agentNamed(name), context, ...end });
    while ((await stream.next()) !== undefined);
    const { messages } = accountOf(stream.events);
    // Calls that are told only when nothing can follow any more belong to it; half of a message does not.
    await stream.finish(lostExit);
    const account = { ...accountOf(stream.events), messages };
    // Where calls are told only when they have ended, there may always have been one.
    const { areStartsShown = agentNamed(name).showsToolStart } = account;
    const isBlind = !areStartsShown && !stream.events.some(({ type }) => type === 'result');
    return isBlind ? { ...account, unclear: [...account.unclear, 'a call that was under way'] } : account;
  }
}

/** Of the person's own, for this agent. */
export function argumentsOf({ args }: AgentWork, { name }: Agent): readonly string[] {
  return isList(args) ? args : (args[name] ?? []);
}

/** Unlike `Array.isArray`, it also tells what is no list. */
function isList(args: AgentWork['args']): args is readonly string[] {
  return Array.isArray(args);
}
