import { loadForDriving, type Project } from '../../../project/index.ts';
import { asError, cleanLine, hasCode, PitonError, shellWord, someNames } from '../../../base/index.ts';
import type {
  Observation,
  Piton,
  Run,
  RunEvent,
  TaskView,
  WatchedRun,
  WatchedTask,
} from '../../../library/index.ts';
import type { GateKeys } from '../answers/gate-keys.ts';
import { createGateKeys } from '../answers/create-gate-keys.ts';
import { canAskHere, type KeyPorts } from '../answers/key-ports.ts';
import { createProgress, type Progress } from '../progress/index.ts';
import { lastKnown } from './last-known.ts';
import { captureConsole } from './capture-console.ts';
import type { Ended, Ending } from './ending.ts';
import { onStopSignals } from './stop-signals.ts';

export interface Driving extends KeyPorts {
  readonly project: Pick<Project, 'watchConfig'>;
  /** Several runs share the screen. */
  readonly isShared?: boolean;
}

/** Starts or resumes runs; each that is driven by this process afterwards is driven to its end. */
export type Begin = () => Promise<readonly Run[]>;

/**
 * Drives runs in this process and shows what happens, until each has ended or can only go on when a person has decided
 * something, or until a signal asks us to stop. Closes Piton.
 */
export async function driveHere(driving: Driving, begin: Begin): Promise<Ended[]> {
  const { piton, output, isShared = false } = driving;
  await loadForDriving();
  const progress = createProgress({
    output,
    isShared,
    asksHere: canAskHere(driving),
    lastLine: lastKnown((attempt) => piton.lastLine(attempt)),
    lastOutputAt: lastKnown((attempt) => piton.lastOutputAt(attempt)),
  });
  const watch = new Watch(piton, progress);
  const keys = await createGateKeys(driving, progress, (run) => watch.look(run));
  watch.askWith(keys);
  const deaf = onStopSignals({ stop: (signal) => watch.stop(signal), leave: () => watch.leave() });
  const silence = captureConsole((line) => progress.say({ tone: 'quiet', symbol: '│', text: line }));
  const unwatch = driving.project.watchConfig((file) =>
    progress.say({
      tone: 'warning',
      symbol: '!',
      text: `${cleanLine(file)} has changed: this process goes on as it was; it counts from the next start`,
    }),
  );
  try {
    return await watch.over(await begun(watch, begin));
  } finally {
    unwatch();
    watch.close();
    deaf();
    progress.close();
    silence();
  }
}

/** Whoever is asked to stop before anything has begun leaves in good order too. */
async function begun(watch: Watch, begin: Begin): Promise<readonly Run[]> {
  try {
    return await begin();
  } catch (thrown) {
    if (!watch.isStopping || !hasCode(thrown, 'STORE_CLOSED')) throw thrown;
    throw new PitonError('RUN_STOPPED', 'Stopped before anything had begun.', { cause: thrown });
  }
}

/** What is known of the runs that are driven here. */
class Watch {
  readonly #piton: Piton;
  readonly #progress: Progress;
  readonly #unobserve: () => void;
  /** What happened before the history of its run was read. */
  readonly #early = new Map<string, RunEvent[]>();
  /** Runs whose history has been read, with those that are not over. */
  readonly #runs = new Map<string, Run>();
  readonly #going = new Set<string>();
  readonly #waiting = new Set<string>();
  isStopping = false;
  #hasLetGo = false;
  #keys: GateKeys | undefined;

  constructor(piton: Piton, progress: Progress) {
    this.#piton = piton;
    this.#progress = progress;
    this.#unobserve = piton.observe((observation) => this.#hear(observation));
  }

  /** Whoever watches is asked what the runs ask. */
  askWith(keys: GateKeys | undefined): void {
    this.#keys = keys;
  }

  look(run: string): void {
    void this.#look(run);
  }

  async over(runs: readonly Run[]): Promise<Ended[]> {
    for (const run of runs) this.#going.add(run.id);
    return Promise.all(runs.map((run) => this.#overOne(run)));
  }

  /** What runs is asked to stop, and may take its time: whoever has none asks again. */
  stop(signal: NodeJS.Signals): void {
    this.isStopping = true;
    this.#keys?.close();
    const text = `${signal}: stopping what runs; nothing is lost. Again: leave at once, and let commands run on`;
    this.#progress.say({ tone: 'warning', symbol: '!', text });
    this.#letGo();
  }

  /** Asked a second time: this process ends now. */
  leave(): void {
    for (const run of this.#runs.keys()) {
      const text = `left run ${run} at once${leftRunning(this.#progress.viewOf(run))}; to continue:`;
      const commands = [`piton resume ${shellWord(run)}`];
      this.#progress.say({ tone: 'warning', symbol: '!', text, commands });
    }
    this.#progress.close();
  }

  close(): void {
    this.#keys?.close();
    this.#unobserve();
  }

  /** Whatever goes wrong here goes wrong again when the command ends, and is told then. */
  #letGo(): void {
    if (this.#hasLetGo) return;
    this.#hasLetGo = true;
    this.#piton.close().catch(() => {});
  }

  async #overOne(run: Run): Promise<Ended> {
    const ending = endingOf(run);
    await this.#catchUp(run);
    const { how, error } = await ending;
    this.#going.delete(run.id);
    this.#leaveIfNothingGoes();
    const isWaiting = how === 'stopped' && !this.isStopping && this.#waiting.has(run.id);
    const view = this.#progress.viewOf(run.id);
    return { ending: isWaiting ? 'waiting' : how, view, ...(error !== undefined && { error }) };
  }

  /** What was before this process came is taken into account, but is no news. */
  async #catchUp(run: Run): Promise<void> {
    const head = (this.#early.get(run.id)?.[0]?.seq ?? Infinity) - 1;
    // A run that has just begun has no past, and may be removed already, if it was short.
    if (head > 0) for await (const event of run.history({ upTo: head })) this.#progress.tell(event, false);
    this.#runs.set(run.id, run);
    for (const event of this.#early.get(run.id) ?? []) this.#progress.tell(event, true);
    this.#early.delete(run.id);
    await this.#look(run.id);
  }

  #hear(observation: Observation): void {
    const { run, type } = observation;
    if (type === 'run.stalled') this.#sayStalled(observation.reason);
    else if (type === 'checkpoint.saved') void this.#look(run);
    if (!('data' in observation)) return;
    if (this.#runs.has(run)) this.#progress.tell(observation, true);
    else this.#keepForLater(run, observation);
  }

  #keepForLater(run: string, event: RunEvent): void {
    const early = this.#early.get(run);
    if (early === undefined) this.#early.set(run, [event]);
    else early.push(event);
  }

  #sayStalled(reason: string): void {
    this.#progress.say({
      tone: 'bad',
      symbol: '!',
      text: `nothing can be written for now (${reason}): it is tried again and again`,
    });
  }

  /** Whether only a person can go on with the run. The view may be in the middle of a transition: the driver is not. */
  async #look(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined || this.isStopping) return;
    const view = this.#progress.viewOf(id);
    this.#keys?.refresh(view);
    const isWaiting = view.waitsForPerson && (await isAtRest(run));
    // Whoever is asked here may decide it right now.
    if (isWaiting && this.#keys?.isAsking(view) !== true) this.#waiting.add(id);
    else this.#waiting.delete(id);
    this.#leaveIfNothingGoes();
  }

  #leaveIfNothingGoes(): void {
    if ([...this.#going].every((run) => this.#waiting.has(run))) this.#letGo();
  }
}

/** Commands and agents are processes of their own, and outlive this one. */
function leftRunning(view: WatchedRun): string {
  const left = [...view.tasks()].filter(isProcess).map(({ address }) => address);
  if (left.length === 0) return ': none of its processes is left running';
  return `: ${someNames(left)} may still be running, and will be taken up again`;
}

function isProcess({ status, isGroup, spec, attempt }: WatchedTask): boolean {
  if (status !== 'running' || isGroup) return false;
  return spec.work.type !== 'function' && attempt?.kind !== 'integrate';
}

/** What is queued behind others starts when these have ended: of a run that is held, they wait for a person themselves. */
function isAboutToGoOn({ status, waiting }: TaskView): boolean {
  return status === 'delayed' || (status === 'queued' && waiting === undefined);
}

async function isAtRest(run: Run): Promise<boolean> {
  try {
    const { status, tasks, wakeAt } = await run.checkpoint();
    const mayGoOn = Object.values(tasks).some(isAboutToGoOn);
    // A question that has a deadline goes on by itself then.
    return status === 'held' && !mayGoOn && wakeAt === undefined;
  } catch {
    // It came to its end in this moment: that is told elsewhere.
    return false;
  }
}

/** All of these say that the run was let go of: which one depends on how far that had come when it was asked. */
const letGoCodes = ['RUN_STOPPED', 'RUN_INTERRUPTED', 'STORE_CLOSED'];

async function endingOf(run: Run): Promise<{ readonly how: Ending; readonly error?: Error }> {
  try {
    return { how: (await run.result()).status };
  } catch (thrown) {
    if (letGoCodes.some((code) => hasCode(thrown, code))) return { how: 'stopped' };
    return { how: 'lost', error: asError(thrown) };
  }
}
