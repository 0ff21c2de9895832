import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { agentNamed, type Agent, type AgentEvent } from '../agents/index.ts';
import type { Json, ProcessIdentity } from '../base/index.ts';
import type {
  AgentStart,
  AttemptState,
  RunState,
  TaskState,
  Conversation as Recalled,
} from '../kernel/index.ts';
import type { AgentWork, Outcome, TaskSpec } from '../model/index.ts';
import type { Exit, SpoolOrder } from '../spool/index.ts';
import { accountOf, boundaryOf, isHarmlessWhatever, labelAfter } from './agent-account.ts';
import { beginsAgain, idleText, isEvent, isUsage, unreadable, wasKilled } from './agent-ends.ts';
import { AgentOrder, argumentsOf } from './agent-order.ts';
import { outcomeOfAgent, unapprovable } from './agent-outcome.ts';
import type { AgentPorts } from './agent-ports.ts';
import { AgentProgram } from './agent-program.ts';
import { Silence, Stillness } from './agent-silence.ts';
import { AgentStream, lostExit, sessionPart, type Passage } from './agent-stream.ts';
import { AgentTurn } from './agent-turn.ts';
import type { Attempt } from './attempt.ts';
import { attemptRedactor } from './hiding.ts';
import type { Needless, ProcessWork } from './process-attempt.ts';
import { redactJson, type Redact } from './redact.ts';
import { samenessOf } from './sameness.ts';
import { boundElsewhere } from './session-request.ts';
import { loginNames } from './task-environment.ts';
import { transcriptPart } from './transcript-part.ts';

type Interruption = Extract<Outcome, { type: 'interrupted' }>;

const pollMs = 100;
const over: Needless = { type: 'over' };

interface Given {
  readonly spec: TaskSpec;
  readonly attempt: AttemptState;
  readonly cli: Recalled['cli'];
}

/** A conversation with an agent: what it says is read along, and its last words decide. */
export function agentWork(given: Given, ports: AgentPorts, attempt: Attempt): ProcessWork {
  const conversation = new Conversation(given, ports, attempt);
  return {
    onInterrupt: given.spec.onInterrupt,
    obstacle: (state, task) => boundElsewhere(state, task, given.attempt.agent!),
    order: (state, task, folder) => conversation.order(state, task, folder),
    turn: (signal) => conversation.turn.wait(signal),
    program: () => conversation.program(),
    readAlong: (signal, process) => conversation.readAlong(signal, process),
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
  /** Before it is known what is to be hidden, nothing is shown. */
  #redact: Redact = () => '[not read yet]';
  #knowsSecrets = false;
  #lastReading: Promise<unknown> = Promise.resolve();
  /** What it was told is in the journal. */
  #isPromptTold: boolean;
  readonly #program: AgentProgram;

  constructor({ spec, attempt: state, cli }: Given, ports: AgentPorts, attempt: Attempt) {
    this.#spec = spec;
    this.#work = spec.work as AgentWork;
    this.#start = state.agent!;
    this.#agent = agentNamed(this.#start.name);
    this.#ports = ports;
    this.turn = new AgentTurn(this.#agent, ports.environment);
    this.#attempt = attempt;
    this.#program = new AgentProgram({
      agent: this.#agent,
      args: argumentsOf(this.#work, this.#agent),
      settings: ports.agents[this.#agent.name],
      // Another driver has started it, and this is what it found.
      version: state.process !== undefined && cli?.agent === this.#start.name ? cli.version : undefined,
    });
    const { session } = this.#start;
    const context = { now: state.startedAt, ...(session !== undefined && { session }) };
    const known = state.upTo ?? 0;
    this.#isPromptTold = state.upTo !== undefined;
    const redact: Redact = (text, isCut) => this.#redact(text, isCut);
    const reading = { agent: this.#agent, context, known, redact };
    this.#stream = new AgentStream(ports.spool, attempt.id, reading);
  }

  /** Its login is as secret as what was declared so. */
  #hiding(): AgentPorts {
    const { secrets, environment } = this.#ports;
    return { ...this.#ports, secrets: [...secrets, ...loginNames(this.#agent.variables, environment)] };
  }

  order(state: RunState, task: TaskState, folder: string): Promise<SpoolOrder> {
    return new AgentOrder({
      spec: this.#spec,
      start: this.#start,
      program: this.#program,
      turn: this.turn,
      ports: this.#ports,
      attempt: this.#attempt.id,
    }).make(state, task, folder);
  }

  program(): { readonly version?: string } {
    return this.#program.facts;
  }

  /** As the conversation itself tells it. */
  #toldVersion(): string | undefined {
    return this.#stream.events.findLast((event) => event.type === 'session')?.version;
  }

  async readAlong(signal: AbortSignal, process: ProcessIdentity): Promise<Needless | undefined> {
    const { spool, clock, lingerMs } = this.#ports;
    const { id } = this.#attempt;
    const silence = await Silence.begin(spool, id, clock);
    // What was printed before may be long ago, and another driver have read it.
    await this.#readAlong(signal);
    const stillness = await Stillness.begin(spool, id, clock);
    let doneAt: number | undefined;
    while (!signal.aborted) {
      if (await this.#readAlong(signal)) {
        await silence.isBroken();
        stillness.isBroken();
      }
      if (this.#agent.waitsAtLimits === true && (await silence.isForLimit())) return over;
      // Counted from its last words, also if another driver has heard them.
      doneAt = this.#stream.isDone ? (doneAt ?? stillness.since) : undefined;
      if (doneAt !== undefined && clock.elapsed() - doneAt >= lingerMs) return over;
      if (await this.#isIdle(stillness, process)) return { type: 'idle', text: idleText(this.#idleMs) };
      await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  get #idleMs(): number {
    return this.#work.idleTimeoutMs ?? this.#ports.idleTimeoutMs;
  }

  /** What a tool does may take as long as it takes, and say nothing. */
  async #isIdle(stillness: Stillness, process: ProcessIdentity): Promise<boolean> {
    if (this.#idleMs === 0 || !(await stillness.hasLasted(this.#idleMs))) return false;
    if (
      accountOf(this.#stream.events).inFlight.length === 0 &&
      !(await this.#ports.spool.hasTools(this.#attempt.id, process))
    )
      return true;
    stillness.isBroken();
    return false;
  }

  #readAlong(signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(() => this.#readAll(signal));
  }

  /** Its end is read while it may still be read along: neither is told twice, and both in their order. */
  #inTurn<T>(reading: () => Promise<T>): Promise<T> {
    const turn = this.#lastReading.then(reading);
    this.#lastReading = turn.catch(() => {});
    return turn;
  }

  /** True if there was anything. Of what another driver has by now, nothing is told. */
  async #readAll(signal?: AbortSignal): Promise<boolean> {
    await this.#learnSecrets();
    await this.#tellPrompt(signal);
    for (let hasRead = false; ; hasRead = true) {
      const passage = await this.#stream.next();
      if (passage === undefined || signal?.aborted === true) return hasRead;
      this.#tell(passage);
    }
  }

  async #learnSecrets(): Promise<void> {
    if (this.#knowsSecrets) return;
    this.#redact = await attemptRedactor(this.#hiding(), this.#attempt.id, this.#work);
    this.#knowsSecrets = true;
  }

  /** What the agent begins with belongs to the conversation, and comes first. */
  async #tellPrompt(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isPromptTold) return;
    const text = await this.#ports.spool.readInput(this.#attempt.id);
    if (signal?.aborted === true) return;
    this.#isPromptTold = true;
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
      ...transcriptPart({ upTo, events }, this.#redact),
      ...(session !== undefined && { session: sessionPart(session) }),
    });
  }

  async outcomeOf(exit: Exit): Promise<Outcome> {
    const isDecided = await this.#inTurn(async () => {
      await this.#readAll();
      const hasDecided = this.#hasSaid('result') || this.#hasSaid('failure');
      this.#tell(await this.#stream.finish(exit));
      return hasDecided;
    });
    if (exit.code === 127 && !this.#hasSaid('session'))
      return this.#program.missing(this.#ports.environment, this.#lastWords());
    const isTold = isDecided || this.#hasSaid('result') || this.#hasSaid('limit');
    if (isTold) return this.#unlessCutOff(exit, { isTold });
    if (wasKilled(exit))
      return this.placeOf({ type: 'interrupted', reason: `it was ended by signal ${exit.code - 128}` });
    if (this.#isUnreadable(exit)) return this.placeOf({ type: 'interrupted', reason: unreadable(exit) });
    return this.#unlessCutOff(exit, { isTold });
  }

  /**
   * A call that it told of, and not the end of, may have taken effect: then nothing is tried again by itself, whatever it
   * said last. One that may be done again is gone on from, if it crashed there.
   */
  async #unlessCutOff({ timedOut }: Exit, { isTold }: { readonly isTold: boolean }): Promise<Outcome> {
    const outcome = await this.#outcome();
    const again = beginsAgain(outcome);
    if (again === undefined || timedOut || accountOf(this.#stream.events).inFlight.length === 0)
      return outcome;
    const place = this.placeOf({ type: 'interrupted', reason: again.reason });
    return place.mayRepeat === false || (again.isUnexplained && !isTold) ? place : outcome;
  }

  /** A complete result counts, even if nobody saw the end of its process. */
  async outcomeOfLoss(interruption: Interruption): Promise<Outcome> {
    const ending = await this.#inTurn(async () => {
      await this.#readAll();
      // Some tell their result only when nothing can follow any more, and nothing can.
      return this.#hasSaid('result') ? undefined : this.#stream.finish(lostExit);
    });
    if (!this.#hasSaid('result')) {
      // What a last line without its end says of what was used, counts like the rest.
      if (ending !== undefined) this.#tell({ ...ending, events: ending.events.filter(isUsage) });
      return this.placeOf(interruption);
    }
    if (ending !== undefined) this.#tell(ending);
    return this.#outcome();
  }

  /**
   * It ended by itself, and how is not understood: that it failed, nobody knows, and what was asked for may be done. Lines
   * that are no events are how most programs say that they cannot even begin.
   */
  #isUnreadable({ timedOut }: Exit): boolean {
    const failure = this.#stream.events.find((event) => event.type === 'failure');
    const isUnexplained = failure?.kind === 'error' && !timedOut;
    const { unclear } = accountOf(this.#stream.events.filter(isEvent));
    return isUnexplained && unclear.length > 0 && !isHarmlessWhatever(this.#work.permissions);
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
    const program = this.#program.describe(this.#toldVersion());
    const toolClass: Agent['toolClass'] = (name, input) =>
      Object.hasOwn(tools, name) ? tools[name]! : this.#agent.toolClass(name, input);
    return {
      ...interruption,
      ...boundaryOf(account, {
        showsToolStart,
        toolClass,
        permissions,
        program,
        isHarmless,
        redact: this.#redact,
      }),
    };
  }

  #hasSaid(type: AgentEvent['type']): boolean {
    return this.#stream.events.some((event) => event.type === type);
  }

  async #outcome(): Promise<Outcome> {
    const { program, maxOutputBytes, clock, spool } = this.#ports;
    const { how } = this.#start;
    const untested = this.#program.untested(this.#toldVersion());
    const traits = {
      agent: this.#agent,
      spec: this.#spec,
      how,
      now: clock.now(),
      redact: this.#redact,
      ...(untested !== undefined && { untested }),
    };
    const told = await outcomeOfAgent(this.#stream.events, traits, { program, maxOutputBytes });
    const outcome = redactJson(told as unknown as Json, this.#redact) as unknown as Outcome;
    if (told.type === 'asked' && !isDeepStrictEqual(told, outcome)) return unapprovable(this.#agent, outcome);
    if (outcome.type !== 'failed' || !outcome.failure.retryable) return outcome;
    const { failure } = outcome;
    const { directory } = (await spool.describe(this.#attempt.id)) ?? {};
    const sameness = await samenessOf({ failure, said: failure.message, directory });
    return { ...outcome, ...(sameness !== undefined && { sameness }) };
  }

  #lastWords(): string {
    const failure = this.#stream.events.findLast((event) => event.type === 'failure');
    return failure?.message ?? 'it ended with exit code 127';
  }
}
