import { PitonError } from '../base/index.ts';
import {
  readEvents,
  readHistory,
  type Driver,
  type Engine,
  type EnginePorts,
  type EventsOptions,
  type HistoryOptions,
  type FoundSession,
  type RunEvent,
} from '../engine/index.ts';
import { isFinal, type Command, type CommandAnswer, type RunStatus } from '../model/index.ts';
import {
  Attempts,
  checkpointOf,
  runView,
  shownStatus,
  TaskConversation,
  TimelineReader,
  type AttemptView,
  type Checkpoint,
  type ConversationView,
  type Progress,
  type RunView,
  type TaskView,
  type Timeline,
} from '../views/index.ts';
import { circumstancesOf } from './circumstances.ts';
import { resultOf, type RunResult } from './run-result.ts';
import type { Definition } from './definition.ts';
import type { CommandResult } from './command-result.ts';
import { taskOf } from './task-of.ts';
import { lendSession, type LentSession } from './lent-session.ts';

const longestWaitMs = 1_000;

type GateCommand = Extract<Command, { readonly type: 'approve' | 'reject' }>;

interface Seen {
  /** The `version` of the checkpoint that this was decided on: refused if the task has gone on since. */
  readonly seen?: number;
}

/** A run, whoever drives it: what it has done, how it ends, and what may be asked of it. */
export class Run<Outputs = unknown, State = unknown> {
  readonly id: string;
  readonly #engine: Engine;
  readonly #ports: EnginePorts;
  readonly #definition: Definition | undefined;

  constructor(
    id: string,
    { engine, ports, definition }: { engine: Engine; ports: EnginePorts; definition?: Definition },
  ) {
    this.id = id;
    this.#engine = engine;
    this.#ports = ports;
    this.#definition = definition;
  }

  /** Everything that has been committed so far, then live until the run ends or nobody drives it. */
  events(options: EventsOptions = {}): AsyncIterable<RunEvent> {
    return readEvents({ engine: this.#engine, store: this.#ports.store }, this.id, options);
  }

  /** Resolves when the run has ended, however. Rejects if nobody drives it (any more): `RUN_STOPPED`, `RUN_INTERRUPTED`, `LEASE_LOST`. */
  async result(): Promise<RunResult<Outputs, State>> {
    const driver = await this.#engine.driverOf(this.id);
    const result = driver === undefined ? await this.#resultFromStore() : await this.#resultFrom(driver);
    return result as RunResult<Outputs, State>;
  }

  async #resultFrom(driver: Driver): Promise<RunResult<unknown, unknown>> {
    await driver.done;
    const result = await driver.ask(resultOf);
    if (result !== undefined) return result;
    throw new PitonError('RUN_STOPPED', `Run ${this.id} was let go of before it ended.`, {
      run: this.id,
      remedy: 'Resume it: it goes on where it was.',
    });
  }

  async #resultFromStore(): Promise<RunResult<unknown, unknown>> {
    await this.#until(async () => {
      const isDriven = await this.#engine.isDriven(this.id);
      const { status } = await this.#engine.find(this.id);
      if (!isFinal(status) && !isDriven) throw interrupted(this.id);
      return isFinal(status);
    });
    return resultOf(await this.#engine.load(this.id))!;
  }

  /** The state as it is, or as it was at an earlier commit. */
  async checkpoint(seq?: number): Promise<Checkpoint<State>> {
    // A stalled driver is in the middle of a transition and answers when that is over: what is written is what counts.
    const isStalled = this.#engine.stalledBecause(this.id) !== undefined;
    const driver = seq === undefined && !isStalled ? await this.#engine.driverOf(this.id) : undefined;
    const report = (state: Parameters<typeof checkpointOf>[0]): Checkpoint =>
      checkpointOf(state, this.#definition?.progress?.bind(this.#definition));
    const checkpoint =
      driver !== undefined ? await driver.ask(report) : report(await this.#engine.load(this.id, seq));
    return checkpoint as Checkpoint<State>;
  }

  /** All that is known of it now, from its journal and from outside. */
  async view(): Promise<RunView<State>> {
    const circumstances = await circumstancesOf({ engine: this.#engine, ports: this.#ports }, this.id);
    return runView(await this.checkpoint(), circumstances);
  }

  /** `stalled` while nothing can be written, `interrupted` while it should run and nobody drives it. */
  async status(): Promise<RunStatus | 'interrupted'> {
    const isStalled = this.#engine.stalledBecause(this.id) !== undefined;
    const isDriven = await this.#engine.isDriven(this.id);
    return shownStatus(await this.#engine.find(this.id), { isDriven, isStalled }) as
      RunStatus | 'interrupted';
  }

  /** Its attempts, in the order in which they began: of one task, or of all. Throws `TASK_UNKNOWN`. */
  async attempts(task?: string): Promise<readonly AttemptView[]> {
    if (task !== undefined) taskOf(await this.#engine.load(this.id), task);
    const attempts = new Attempts();
    for await (const event of this.history()) attempts.add(event);
    return attempts.list(task);
  }

  /** What ran when, who drove it, and what became of the work of those that died. */
  async timeline(): Promise<Timeline> {
    const reader = new TimelineReader();
    for await (const event of this.history()) reader.add(event);
    return reader.timeline;
  }

  /** What a task and its agents have said to each other, part by part: at least `limit` turns each, if there are so many. Throws `TASK_UNKNOWN`. */
  async conversation(
    task: string,
    { after = 0, limit = 200 }: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<ConversationView> {
    taskOf(await this.#engine.load(this.id), task);
    const said = new TaskConversation(task);
    for await (const event of this.history({ after, transcripts: true })) {
      // A commit is not split: what is left of it would be lost.
      if (said.turns.length >= Math.max(limit, 1) && event.seq > said.turns.at(-1)!.seq)
        return { run: this.id, task, turns: said.turns, next: event.seq - 1 };
      said.add(event);
    }
    return { run: this.id, task, turns: said.turns };
  }

  /** Everything that has been committed so far. What agents have said is left out unless it is asked for. */
  history(options: HistoryOptions = {}): AsyncIterable<RunEvent> {
    return readHistory(this.#ports.store, this.id, options);
  }

  async progress(): Promise<Progress> {
    return (await this.checkpoint()).progress;
  }

  /** What runs may end; nothing new starts. */
  pause(reason?: string): Promise<CommandResult> {
    return this.#send({ type: 'pause', ...(reason !== undefined && { reason }) });
  }

  /** Ends a pause. A run that nobody drives goes on with `piton.resume`. */
  unpause(): Promise<CommandResult> {
    return this.#send({ type: 'resume' });
  }

  cancel(reason = 'cancelled by the operator'): Promise<CommandResult> {
    return this.#send({ type: 'cancel', reason });
  }

  /** Lets a task that waits for approval start. `gate`: of the task when it was looked at; default: the one that is open now. */
  approve(task: string, comment?: string, gate?: string): Promise<CommandResult> {
    return this.#decide({ type: 'approve', task, ...(comment !== undefined && { comment }) }, gate);
  }

  /** Fails a task that waits for approval; the comment is the reason. `gate`: as for `approve`. */
  reject(task: string, comment?: string, gate?: string): Promise<CommandResult> {
    return this.#decide({ type: 'reject', task, ...(comment !== undefined && { comment }) }, gate);
  }

  /**
   * Raises the budget that a task waits for by an amount: its own, that of the run, or that of the day for this run. `by`: who it
   * was, for the journal.
   */
  async raiseBudget(
    task: string,
    amount: { readonly usd: number } | { readonly tokens: number },
    { by, comment }: { readonly by?: string; readonly comment?: string } = {},
  ): Promise<CommandResult> {
    const { tasks } = await this.checkpoint();
    const attempt = tasks[task]?.attempt;
    const isMoney = 'usd' in amount;
    return this.#send({
      type: 'raise',
      task,
      unit: isMoney ? 'usd' : 'tokens',
      amount: isMoney ? amount.usd : amount.tokens,
      ...(attempt !== undefined && { attempt }),
      ...(by !== undefined && { by }),
      ...(comment !== undefined && { comment }),
    });
  }

  /** One gate is meant, and no later one. */
  async #decide(decision: Omit<GateCommand, 'gate'>, seen: string | undefined): Promise<CommandResult> {
    if (seen !== undefined) return this.#send({ ...decision, gate: seen });
    const { task } = decision;
    const { tasks } = await this.checkpoint();
    const gate = tasks[task]?.gate;
    if (gate === undefined) {
      return { status: 'refused', text: whyNoGate(task, tasks[task]) };
    }
    return this.#send({ ...decision, gate });
  }

  /**
   * Tries a held, delayed or failed task again; `also`: together with others that failed. Of a run that has ended:
   * `piton.resume` with `redo`.
   */
  retry(task: string, also: readonly string[] = [], { seen }: Seen = {}): Promise<CommandResult> {
    const belief = seen !== undefined && { seen };
    return this.#send({ type: 'retry', task, ...(also.length > 0 && { also }), ...belief });
  }

  /**
   * Goes on without a task that is held, waits or has failed; `also`: and without others that failed. Of a run that has
   * ended: `piton.resume` with `skip`.
   */
  skip(task: string, also: readonly string[] = [], { seen }: Seen = {}): Promise<CommandResult> {
    const belief = seen !== undefined && { seen };
    return this.#send({ type: 'skip', task, ...(also.length > 0 && { also }), ...belief });
  }

  /**
   * Puts the place of a held task right: `recreate` from its branch, `restore` as it was saved (or `from` another snapshot or
   * archive), `adopt` as it is, `discard` into the archive to begin from scratch.
   */
  place(
    task: string,
    action: 'recreate' | 'restore' | 'adopt' | 'discard',
    { from, seen }: Seen & { readonly from?: string } = {},
  ): Promise<CommandResult> {
    const belief = seen !== undefined && { seen };
    return this.#send({ type: 'place', task, action, ...(from !== undefined && { from }), ...belief });
  }

  /**
   * Says something to the agent that does a task. `now`: one that is working is stopped for it, and goes on with it.
   * `generation`: of the task when it was looked at (0 if it had none): one that was begun from scratch since is not meant.
   */
  tell(
    task: string,
    text: string,
    { now = false, generation }: { readonly now?: boolean; readonly generation?: number } = {},
  ): Promise<CommandResult> {
    const belief = generation !== undefined && { generation };
    return this.#send({ type: 'tell', task, text, ...(now && { now }), ...belief });
  }

  /** The conversation of a task with its agent, and how to open it; takes nothing. Throws as `lend`, but `SESSION_BUSY`. */
  session(task: string): Promise<FoundSession> {
    return this.#engine.findSession(this.id, task);
  }

  /**
   * The conversation of a task with its agent, for a person to go on in; nobody else does until it is given back.
   * Throws `TASK_UNKNOWN`, `SESSION_MISSING`, `SESSION_CLOSED`, `SESSION_BUSY`.
   */
  lend(task: string): Promise<LentSession> {
    const send = async (command: Command): Promise<CommandResult | undefined> => {
      // Asked before the status is: whoever is about to do something of it again has the run by then.
      const isDriven = await this.#engine.isDriven(this.id);
      const { status } = await this.#engine.find(this.id);
      return isFinal(status) && !isDriven ? undefined : this.#send(command);
    };
    return lendSession({ engine: this.#engine, run: this.id, task, send });
  }

  async #send(command: Command): Promise<CommandResult> {
    const { status } = await this.#engine.find(this.id);
    if (isFinal(status)) return { status: 'refused', text: `the run has ended: ${status}` };
    return this.decided(await this.#engine.send(this.id, command));
  }

  /** What becomes of something that was asked of the run earlier, by the id of the result. Waits as long as somebody drives the run. */
  async decided(id: string): Promise<CommandResult> {
    let answer: CommandAnswer | undefined;
    await this.#until(async () => {
      const isDriven = await this.#engine.isDriven(this.id);
      answer = await this.#engine.answerTo(id);
      return answer !== undefined || !isDriven;
    });
    if (answer === undefined) return this.#unanswered(id);
    return { status: answer.accepted ? 'accepted' : 'refused', text: answer.text };
  }

  /** It may have come too late: then nobody will ever decide it. */
  async #unanswered(id: string): Promise<CommandResult> {
    const { status } = await this.#engine.find(this.id);
    return isFinal(status)
      ? { status: 'refused', text: `the run has ended: ${status}` }
      : { status: 'queued', text: 'nobody drives the run: it waits for whoever resumes it', ids: [id] };
  }

  /**
   * Looks again whenever something has changed, and now and then without that: a driver elsewhere may die without a
   * word. The timer also keeps the process alive for whoever waits.
   */
  async #until(isTrue: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const changed = Promise.withResolvers<void>();
      const unwatch = this.#engine.onChange(() => changed.resolve());
      const timer = setTimeout(() => changed.resolve(), longestWaitMs);
      try {
        if (await isTrue()) return;
        await changed.promise;
      } finally {
        clearTimeout(timer);
        unwatch();
      }
    }
  }
}

function interrupted(run: string): PitonError {
  return new PitonError('RUN_INTERRUPTED', `Run ${run} has not ended, and nobody drives it.`, {
    run,
    remedy: 'Resume it: it goes on where it was.',
  });
}

function whyNoGate(address: string, task: TaskView | undefined): string {
  if (task === undefined) return `the run has no task ${address}`;
  const isOverBudget = task.actions?.some((action) => action.startsWith('raise-')) === true;
  return isOverBudget
    ? `${address} waits because ${task.reason}: say by how much to raise it`
    : `${address} waits for no approval`;
}
