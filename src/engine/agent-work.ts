import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import {
  agentNamed,
  withExecutable,
  type Agent,
  type AgentCommand,
  type AgentEvent,
  type AgentRequest,
} from '../agents/index.ts';
import type { Json } from '../base/index.ts';
import {
  dollarsLeft,
  placementOf,
  variablesOf,
  type AgentStart,
  type AttemptState,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { AgentWork, Budget, Dynamic, Outcome, TaskSpec, Used } from '../model/index.ts';
import type { Exit, SpoolOrder } from '../spool/index.ts';
import { accountOf, boundaryOf, joinAccounts, labelAfter, type Account } from './agent-account.ts';
import { outcomeOfAgent, unapprovable } from './agent-outcome.ts';
import { missingAgent } from './missing-agent.ts';
import { promptOf } from './agent-prompt.ts';
import { Silence } from './agent-silence.ts';
import { AgentStream, sessionPart, type Passage } from './agent-stream.ts';
import { AgentTurn } from './agent-turn.ts';
import type { Attempt } from './attempt.ts';
import { checkValues, shownCheck, typableCheck } from './check-text.ts';
import { environmentFor, hiddenValues, textOf } from './command-order.ts';
import type { ProcessPorts, ProcessWork } from './process-attempt.ts';
import { redactJson, redactor, type Redact } from './redact.ts';
import { samenessOf } from './sameness.ts';
import { boundElsewhere, originsOf, sessionRequest } from './session-request.ts';
import type { AgentSettings } from './options.ts';
import { dayOf, endOfDay } from './calendar.ts';

/** What was read of an agent's stream, for the journal. */
export interface TranscriptPart {
  readonly upTo: number;
  readonly entries: readonly Json[];
  readonly session?: { readonly id: string; readonly model?: string; readonly version?: string };
}

export interface AgentPorts extends ProcessPorts {
  /** Whether a shell command may be done twice. */
  isHarmless(command: string): boolean;
  /** How agents are installed and to be understood here, by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly budgetPerDay?: Budget;
  /** What agents have used today in other runs. */
  elsewhere(): Used;
  /** A good moment to keep the files as they are. */
  boundary(attempt: Attempt, label: string): void;
  /** To be journalled before anything acts on it. */
  transcript(attempt: Attempt, part: TranscriptPart): void;
}

type Interruption = Extract<Outcome, { type: 'interrupted' }>;

const pollMs = 100;

/** Killed, and its exit code with it. */
const lostExit: Exit = { code: 137, timedOut: false };

/** A conversation with an agent: what it says is read along, and its last words decide. */
export function agentWork(
  given: { readonly spec: TaskSpec; readonly attempt: AttemptState },
  ports: AgentPorts,
  attempt: Attempt,
): ProcessWork {
  const conversation = new Conversation(given, ports, attempt);
  return {
    onInterrupt: given.spec.onInterrupt,
    obstacle: (state, task) => boundElsewhere(state, task, given.attempt.agent!),
    order: (state, task, folder) => conversation.order(state, task, folder),
    turn: (signal) => conversation.turn.wait(signal),
    readAlong: (signal) => conversation.readAlong(signal),
    outcomeOf: (exit) => conversation.outcomeOf(exit),
    outcomeOfLoss: (interruption) => conversation.outcomeOfLoss(interruption),
    mayPause: () => conversation.mayPause(),
    placeOf: (interruption) => conversation.placeOf(interruption),
  };
}

class Conversation {
  readonly turn: AgentTurn;
  readonly #spec: TaskSpec;
  readonly #work: AgentWork;
  readonly #start: AgentStart;
  readonly #agent: Agent;
  readonly #ports: AgentPorts;
  readonly #attempt: Attempt;
  readonly #stream: AgentStream;
  readonly #redact: Redact;
  /** What it was told is in the journal. */
  #isPromptTold: boolean;

  constructor(
    { spec, attempt: state }: { readonly spec: TaskSpec; readonly attempt: AttemptState },
    ports: AgentPorts,
    attempt: Attempt,
  ) {
    this.#spec = spec;
    this.#work = spec.work as AgentWork;
    this.#start = state.agent!;
    this.#agent = agentNamed(this.#start.name);
    this.#ports = ports;
    this.turn = new AgentTurn(this.#agent, ports.environment);
    this.#attempt = attempt;
    this.#redact = redactor(hiddenValues(this.#work, ports));
    const { session } = this.#start;
    const context = { now: state.startedAt, ...(session !== undefined && { session }) };
    const known = state.upTo ?? 0;
    this.#isPromptTold = state.upTo !== undefined;
    const reading = { agent: this.#agent, context, known, redact: this.#redact };
    this.#stream = new AgentStream(ports.spool, attempt.id, reading);
  }

  order(state: RunState, task: TaskState, folder: string): SpoolOrder {
    const { spool, program, environment } = this.#ports;
    const { evaluator } = program;
    const work = this.#work;
    const variables = variablesOf(state, task);
    const render = (value: Dynamic): string => textOf(evaluator.render(value, variables));
    const directory = resolve(folder, render(work.workingDirectory ?? '.'));
    const surroundings = environmentFor(work, { environment, evaluator, variables });
    const isHere = placementOf(state, task).mode !== 'remote';
    const { argv, env, input, files } = this.#command({
      ...this.#settings(task, this.#dollarsLeft(state, task)),
      prompt: this.#prompt(state, task, render),
      directory,
      session: sessionRequest(this.#start),
      folder: spool.folderOf(this.#attempt.id),
      // Of another machine nobody knows here what it has, and what was started there before.
      ...(isHere && { environment: surroundings }),
    });
    if (isHere) this.turn.join(argv[0]!, surroundings);
    return {
      attempt: this.#attempt.id,
      run: state.run,
      seq: state.seq,
      task: task.address,
      number: task.attempts,
      key: task.key!,
      argv,
      directory,
      env: { ...surroundings, ...(this.#spec.check && checkValues(this.#spec.check, render)), ...env },
      secrets: work.secrets,
      files,
      ...(input !== undefined && { input }),
      ...(this.#spec.timeoutMs !== undefined && { timeoutMs: this.#spec.timeoutMs }),
    };
  }

  #args(): readonly string[] {
    const { args } = this.#work;
    return isList(args) ? args : (args[this.#agent.name] ?? []);
  }

  #command(request: AgentRequest): AgentCommand {
    const command = this.#agent.command(request);
    const executable = this.#ports.agents[this.#agent.name]?.executable;
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
    { allowed = [] }: TaskState,
    dollars: number | undefined,
  ): Omit<AgentRequest, 'prompt' | 'directory' | 'session' | 'folder'> {
    const { permissions, model, effort, maxTurns } = this.#work;
    const { output, check } = this.#spec;
    return {
      permissions,
      allowedCommands: check === undefined ? [] : typableCheck(check),
      allowed,
      args: this.#args(),
      ...(dollars !== undefined && { budgetUsd: dollars }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(maxTurns !== undefined && { maxTurns }),
      ...(output !== undefined && { outputSchema: output }),
    };
  }

  #prompt(state: RunState, task: TaskState, render: (value: Dynamic) => string): string {
    const { check } = this.#spec;
    return promptOf({
      prompt: render(this.#work.prompt),
      task,
      start: this.#start,
      ...(check !== undefined && { check: shownCheck(check, render) }),
      // All of them: the last one may have been killed before it did anything.
      account: () => this.#accountOf([task]),
      origin: () => this.#accountOf(originsOf(state, task)),
    });
  }

  #accountOf(tasks: readonly TaskState[]): Account {
    const attempts = tasks.flatMap(({ lastEnd }) => lastEnd?.attempts ?? []);
    return joinAccounts(attempts.map((attempt) => this.#accountOfAttempt(attempt)));
  }

  /** Another agent may have begun the task: each is understood in its own way. */
  #accountOfAttempt({ id, agent: name }: { readonly id: string; readonly agent: string }): Account {
    const { spool, clock } = this.#ports;
    const stream = new AgentStream(spool, id, { agent: agentNamed(name), context: { now: clock.now() } });
    while (stream.next() !== undefined);
    return accountOf(stream.events);
  }

  async readAlong(signal: AbortSignal): Promise<boolean> {
    const silence = new Silence(this.#ports.spool, this.#attempt.id);
    while (!signal.aborted) {
      if (this.#readAll()) silence.isBroken();
      if (this.#agent.waitsAtLimits === true && silence.isForLimit()) return true;
      await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  /** True if there was anything. */
  #readAll(): boolean {
    this.#tellPrompt();
    let hasRead = false;
    for (let passage = this.#stream.next(); passage !== undefined; passage = this.#stream.next()) {
      this.#tell(passage);
      hasRead = true;
    }
    return hasRead;
  }

  /** What the agent begins with belongs to the conversation, and comes first. */
  #tellPrompt(): void {
    if (this.#isPromptTold) return;
    this.#isPromptTold = true;
    const text = this.#ports.spool.readInput(this.#attempt.id);
    if (text !== undefined) this.#tell({ upTo: 0, events: [{ type: 'message', role: 'user', text }] });
  }

  #tell({ upTo, events }: Passage): void {
    if (events.length === 0) return;
    const tool = events.findLast((event) => event.type === 'tool-finished');
    if (tool !== undefined)
      this.#ports.boundary(this.#attempt, labelAfter(tool, this.#stream.events, this.#redact));
    const session = events.findLast((event) => event.type === 'session');
    if (session !== undefined) this.turn.pass();
    this.#ports.transcript(this.#attempt, {
      upTo,
      entries: events.map((event) => redactJson(event as unknown as Json, this.#redact)),
      ...(session !== undefined && { session: sessionPart(session) }),
    });
  }

  async outcomeOf(exit: Exit): Promise<Outcome> {
    this.#readAll();
    const isDecided = this.#hasSaid('result') || this.#hasSaid('failure');
    this.#tell(this.#stream.finish(exit));
    if (exit.code === 127 && !this.#hasSaid('session')) return this.#missing();
    if (isDecided || this.#hasSaid('result') || this.#hasSaid('limit') || !wasKilled(exit))
      return this.#outcome();
    return this.placeOf({ type: 'interrupted', reason: `it was ended by signal ${exit.code - 128}` });
  }

  /** A complete result counts, even if nobody saw the end of its process. */
  async outcomeOfLoss(interruption: Interruption): Promise<Outcome> {
    this.#readAll();
    // Some tell their result only when nothing can follow any more, and nothing can.
    const ending = this.#hasSaid('result') ? undefined : this.#stream.finish(lostExit);
    if (!this.#hasSaid('result')) {
      // What a last line without its end says of what was used, counts like the rest.
      if (ending !== undefined) this.#tell({ ...ending, events: ending.events.filter(isUsage) });
      return this.placeOf(interruption);
    }
    if (ending !== undefined) this.#tell(ending);
    return this.#outcome();
  }

  /** One that has said its last word ends by itself. */
  mayPause(): boolean {
    if (this.#hasSaid('result') || this.#hasSaid('failure')) return false;
    return this.placeOf({ type: 'interrupted', reason: '' }).mayRepeat === true;
  }

  placeOf(interruption: Interruption): Interruption {
    const account = accountOf(this.#stream.events);
    const isHarmless = (command: string): boolean => this.#ports.isHarmless(command);
    const { permissions } = this.#work;
    const { tools = {} } = this.#ports.agents[this.#agent.name] ?? {};
    const { showsToolStart } = this.#agent;
    const toolClass: Agent['toolClass'] = (name, input) =>
      Object.hasOwn(tools, name) ? tools[name]! : this.#agent.toolClass(name, input);
    return {
      ...interruption,
      ...boundaryOf(account, { showsToolStart, toolClass, permissions, isHarmless, redact: this.#redact }),
    };
  }

  #hasSaid(type: AgentEvent['type']): boolean {
    return this.#stream.events.some((event) => event.type === type);
  }

  async #outcome(): Promise<Outcome> {
    const { program, maxOutputBytes, clock, spool } = this.#ports;
    const { how } = this.#start;
    const traits = { agent: this.#agent, spec: this.#spec, how, now: clock.now(), redact: this.#redact };
    const told = await outcomeOfAgent(this.#stream.events, traits, { program, maxOutputBytes });
    const outcome = redactJson(told as unknown as Json, this.#redact) as unknown as Outcome;
    if (told.type === 'asked' && !isDeepStrictEqual(told, outcome)) return unapprovable(this.#agent, outcome);
    if (outcome.type !== 'failed' || !outcome.failure.retryable) return outcome;
    const { failure } = outcome;
    const directory = spool.describe(this.#attempt.id)?.directory;
    const sameness = await samenessOf({ failure, said: failure.message, directory });
    return { ...outcome, ...(sameness !== undefined && { sameness }) };
  }

  #missing(): Outcome {
    const { agents, environment } = this.#ports;
    const lastWords = this.#stream.events.findLast((event) => event.type === 'failure')?.message;
    return missingAgent(this.#agent, {
      executable: agents[this.#agent.name]?.executable,
      args: this.#args(),
      path: environment['PATH'] ?? '',
      lastWords,
    });
  }
}

/** Unlike `Array.isArray`, it also tells what is no list. */
function isList(args: AgentWork['args']): args is readonly string[] {
  return Array.isArray(args);
}

/** By somebody, or by a machine that is short of memory: an agent does not fail that way, it goes on. */
function wasKilled({ code, timedOut }: Exit): boolean {
  return !timedOut && [129, 130, 137, 143].includes(code);
}

function isUsage({ type }: AgentEvent): boolean {
  return type === 'usage';
}
