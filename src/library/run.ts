import { hasCode, type Json } from '../base/index.ts';
import type { RunState } from '../kernel/index.ts';
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
import { endedText, isFinal, type Command, type CommandAnswer, type RunStatus } from '../model/index.ts';
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
  type Timeline,
} from '../views/index.ts';
import { circumstancesOf } from './circumstances.ts';
import type { RunParts } from './run-parts.ts';
import { resultOf, type RunResult } from './run-result.ts';
import {
  asResult,
  interrupted,
  removed,
  whySuperseded,
  stopped,
  whyNoGate,
  type GateCommand,
  type GateDecision,
  type Redoing,
  type Seen,
} from './decisions.ts';
import type { Definition } from './definition.ts';
import type { CommandResult } from './command-result.ts';
import type { RunSettings } from './run-settings.ts';
import { setRun } from './set-run.ts';
import { taskOf } from './task-of.ts';
import { lendSession, type LentSession } from './lent-session.ts';

const longestWaitMs = 1_000;

/** A run, whoever drives it: what it has done, how it ends, and what may be asked of it. */
export class Run<Outputs = unknown, State = unknown> {
  readonly id: string;
  readonly #engine: Engine;
  readonly #ports: EnginePorts;
  readonly #definition: Definition | undefined;
  /** That has begun it for this handle: knows its end when the run itself has been removed. */
  readonly #driver: Driver | undefined;

  constructor(id: string, { engine, ports, definition, driver }: RunParts) {
    this.id = id;
    this.#driver = driver;
    this.#engine = engine;
    this.#ports = ports;
    this.#definition = definition;
  }

  /** Everything that has been committed so far, then live until the run ends or nobody drives it. */
  events(options: EventsOptions = {}): AsyncIterable<RunEvent> {
    return readEvents({ engine: this.#engine, store: this.#ports.store }, this.id, options);
  }

  /**
   * Resolves when the run has ended, however. Rejects if nobody drives it (any more): `RUN_STOPPED`, `RUN_INTERRUPTED`, `LEASE_LOST`; and
   * with `RUN_REMOVED` if another process, which drove it, has removed it as its workflow says.
   */
  async result(): Promise<RunResult<Outputs, State>> {
    const driver = await this.#engine.driverOf(this.id);
    const result =
      driver === undefined
        ? await this.#orAsLeft(() => this.#resultFromStore(), resultOf)
        : await this.#resultFrom(driver);
    return result as RunResult<Outputs, State>;
  }

  /** Of a run that is removed when it has succeeded: as its driver left it, for whoever has the handle that began it. */
  async #orAsLeft<T>(look: () => Promise<T>, ask: (state: RunState) => T | undefined): Promise<T> {
    try {
      return await look();
    } catch (thrown) {
      const isGone = hasCode(thrown, 'RUN_NOT_FOUND') || hasCode(thrown, 'RUN_REMOVED');
      if (!isGone || this.#driver?.isOver !== true) throw thrown;
      const left = await this.#driver.ask(ask);
      if (left === undefined) throw thrown;
      return left;
    }
  }

  async #resultFrom(driver: Driver): Promise<RunResult<unknown, unknown>> {
    await driver.done;
    const result = await driver.ask(resultOf);
    if (result !== undefined) return result;
    throw stopped(this.id);
  }

  async #resultFromStore(): Promise<RunResult<unknown, unknown>> {
    let isSeen = false;
    try {
      await this.#until(async () => {
        const isDriven = await this.#engine.isDriven(this.id);
        const { status } = await this.#engine.find(this.id);
        isSeen = true;
        if (!isFinal(status) && !isDriven) throw interrupted(this.id);
        return isFinal(status);
      });
      return resultOf(await this.#engine.load(this.id))!;
    } catch (thrown) {
      throw isSeen && hasCode(thrown, 'RUN_NOT_FOUND') ? removed(this.id, thrown) : thrown;
    }
  }

  /** The state as it is, or as it was at an earlier checkpoint: its number, its name, a task, `before:<task>` or a time. Throws `CHECKPOINT_NOT_FOUND`. */
  async checkpoint(where?: number | string): Promise<Checkpoint<State>> {
    const seq = where === undefined ? undefined : await this.#engine.checkpointAt(this.id, where);
    // A stalled driver is in the middle of a transition and answers when that is over: what is written is what counts.
    const isStalled = this.#engine.stalledBecause(this.id) !== undefined;
    const driver = seq === undefined && !isStalled ? await this.#engine.driverOf(this.id) : undefined;
    const report = (state: RunState): Checkpoint =>
      checkpointOf(state, this.#definition?.progress?.bind(this.#definition));
    if (driver !== undefined) return (await driver.ask(report)) as Checkpoint<State>;
    const load = async (): Promise<Checkpoint> => report(await this.#engine.load(this.id, seq));
    return (await (seq === undefined ? this.#orAsLeft(load, report) : load())) as Checkpoint<State>;
  }

  /** The number of the checkpoint from which `resume` goes on with `from`: a task means before it. Throws `CHECKPOINT_NOT_FOUND`. */
  beginningAt(from: number | string): Promise<number> {
    return this.#engine.checkpointAt(this.id, from, true);
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

  /** How much of it is done. */
  async progress(): Promise<Progress> {
    return (await this.checkpoint()).progress;
  }

  /** What is running goes on to its end; nothing new starts, not even a check or merge that would follow it. */
  pause(reason?: string): Promise<CommandResult> {
    return this.#send({ type: 'pause', ...(reason !== undefined && { reason }) });
  }

  /** Ends a pause. A run that nobody drives goes on with `piton.resume`. */
  unpause(): Promise<CommandResult> {
    return this.#send({ type: 'resume' });
  }

  /** Stops what runs, and starts nothing more; the run ends as cancelled. */
  cancel(reason = 'cancelled by the operator'): Promise<CommandResult> {
    return this.#send({ type: 'cancel', reason });
  }

  /** Lets a task that waits for approval start. `gate`: of the task when it was looked at; default: the one that is open now. */
  approve(task: string, comment?: string, gate?: string): Promise<CommandResult> {
    return this.#decide({ type: 'approve', task, ...(comment !== undefined && { comment }) }, gate);
  }

  /** Answers a question that a task asks. Refused if that is no answer to it. `gate`: as for `approve`. */
  answer(
    task: string,
    answer: Json,
    { comment, gate }: { readonly comment?: string; readonly gate?: string } = {},
  ): Promise<CommandResult> {
    return this.#decide({ type: 'answer', task, answer, ...(comment !== undefined && { comment }) }, gate);
  }

  /** Fails a task that waits for approval, or for an answer; the comment is the reason. `gate`: as for `approve`. */
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

  /**
   * Sets what is said of the run (`name`, `labels`, `group`, `note`, `metadata`) and its limits (`maxParallel`, `maxSteps`, `budget`): all
   * of it or nothing, kept in the journal with who did it. Whoever drives the run obeys at once; where nobody does, it is decided here.
   * Throws `USAGE_INVALID`, `RUN_DAMAGED`, `RUN_BEHIND`.
   */
  async set(settings: RunSettings): Promise<CommandResult> {
    const answerOf = (id: string): Promise<CommandAnswer | undefined> => this.#answerOf(id);
    return asResult(
      await setRun({ engine: this.#engine, ports: this.#ports, run: this.id, answerOf }, settings),
    );
  }

  /** One gate is meant, and no later one. */
  async #decide(decision: GateDecision, seen: string | undefined): Promise<CommandResult> {
    if (seen !== undefined) return this.#send({ ...decision, gate: seen } as GateCommand);
    const { task } = decision;
    const { tasks } = await this.checkpoint();
    const gate = tasks[task]?.gate;
    if (gate === undefined) {
      return { status: 'refused', text: whyNoGate(task, tasks[task]) };
    }
    return this.#send({ ...decision, gate } as GateCommand);
  }

  /**
   * Tries a held, delayed or failed task again; `also`: together with others that failed. What has succeeded runs again only with
   * `rerunSucceeded`. Of a run that has ended: `piton.resume` with `redo`.
   */
  retry(task: string, also: readonly string[] = [], redoing: Redoing = {}): Promise<CommandResult> {
    return this.#send({ type: 'retry', task, ...(also.length > 0 && { also }), ...redoing });
  }

  /**
   * Goes on without a task that is held, waits or has failed; `also`: and without others that failed. Of a run that has
   * ended: `piton.resume` with `skip`.
   */
  skip(task: string, also: readonly string[] = [], redoing: Redoing = {}): Promise<CommandResult> {
    return this.#send({ type: 'skip', task, ...(also.length > 0 && { also }), ...redoing });
  }

  /**
   * Says that the work of a held or failed task was done, and why (`comment`, kept in the journal with who said it): it goes on to
   * its check and its merge with what is in its place, or has succeeded with this `output`. Of a run that has ended:
   * `piton.resume` with `done`.
   */
  done(
    task: string,
    comment: string,
    given: Redoing & { readonly output?: Json } = {},
  ): Promise<CommandResult> {
    return this.#send({ type: 'done', task, comment, ...given });
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
    if (isFinal(status)) return { status: 'refused', text: endedText(status) };
    const superseded = status === 'paused' && whySuperseded(await this.#engine.load(this.id), command);
    if (superseded) return { status: 'refused', text: superseded };
    return this.decided(await this.#engine.send(this.id, command));
  }

  /** What becomes of something that was asked of the run earlier, by the id of the result. Waits as long as somebody drives the run. */
  async decided(id: string): Promise<CommandResult> {
    const answer = await this.#answerOf(id);
    return answer === undefined ? this.#unanswered(id) : asResult(answer);
  }

  /** Undefined once nobody drives the run. */
  async #answerOf(id: string): Promise<CommandAnswer | undefined> {
    let answer: CommandAnswer | undefined;
    await this.#until(async () => {
      const isDriven = await this.#engine.isDriven(this.id);
      answer = await this.#engine.answerTo(id);
      return answer !== undefined || !isDriven;
    });
    return answer;
  }

  /** It may have come too late: then nobody will ever decide it. */
  async #unanswered(id: string): Promise<CommandResult> {
    const { status } = await this.#engine.find(this.id);
    return isFinal(status)
      ? { status: 'refused', text: endedText(status) }
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
