import { PitonError, randomId } from '../base/index.ts';
import { checkInputs } from '../definition/index.ts';
import {
  Engine,
  type EnginePorts,
  type Inputs,
  type Observer,
  type ResumeOptions,
  type RunVerdict,
} from '../engine/index.ts';
import type { RunFilter, RunRecord } from '../store/index.ts';
import type { Definition } from './definition.ts';
import { plainInputs } from './plain-inputs.ts';
import { programOf } from './program.ts';
import { Run } from './run.ts';

/** What a run is started with: inputs, the state of a graph, or both, as the workflow has them. */
export type StartOptions<Given, State> = {
  /** The run's name; starting the same id again attaches to that run. Default: a random one. */
  readonly id?: string;
} & InputsOption<Given> &
  StateOption<State>;

type InputsOption<Given> = [Given] extends [undefined]
  ? unknown
  : object extends Given
    ? { readonly inputs?: Given }
    : { readonly inputs: Given };
type StateOption<State> = State extends object ? { readonly state?: Partial<State> } : unknown;

/** Runs definitions durably on one store. Made by `open`. */
export class Piton implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #ports: EnginePorts;

  constructor(ports: EnginePorts) {
    this.#ports = ports;
    this.#engine = new Engine(ports);
  }

  /**
   * Starts a run; it is durable when this resolves. With the id of a run that is there already it attaches to that one:
   * it goes on with it if nobody drives it, and never starts a second.
   */
  async start<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    ...[options]: {} extends StartOptions<Given, State>
      ? [options?: StartOptions<Given, State>]
      : [options: StartOptions<Given, State>]
  ): Promise<Run<Outputs, State>> {
    const {
      id = randomId(12),
      inputs,
      state,
    } = (options ?? {}) as { id?: string; inputs?: unknown; state?: unknown };
    assertRunId(id);
    const program = await programOf(definition);
    const given = await inputsFor(definition, inputs);
    await this.#engine.start(program, {
      run: id,
      inputs: given,
      ...(state !== undefined && { state: plainInputs(state, 'state') }),
    });
    return this.#handle(id, definition);
  }

  /**
   * Goes on with a run after its process has ended. A run that has ended gives its result at once.
   * Throws `RUN_NOT_FOUND`, `RUN_DRIVEN` (elsewhere), `RUN_CHANGED` (the definition), `RUN_DAMAGED`.
   */
  async resume<Given, Outputs, State>(
    definition: Definition<Given, Outputs, State>,
    id: string,
    options: ResumeOptions = {},
  ): Promise<Run<Outputs, State>> {
    await this.#engine.resume(await programOf(definition), id, options);
    return this.#handle(id, definition);
  }

  /** A run to look at, whoever drives it. Throws `RUN_NOT_FOUND`. */
  async find(id: string): Promise<Run> {
    await this.#engine.find(id);
    return new Run(id, { engine: this.#engine, store: this.#ports.store });
  }

  /** Newest first. */
  list(filter: RunFilter = {}): Promise<RunRecord[]> {
    return this.#engine.list(filter);
  }

  /** Calls back with everything that happens to the runs driven here, after it was committed. Returns the way to stop. */
  observe(observer: Observer): () => void {
    return this.#ports.observers.add(observer);
  }

  /** Looks through the journal of one run, or of all. */
  async verify(id?: string): Promise<readonly RunVerdict[]> {
    const runs =
      id === undefined ? (await this.list({ limit: Number.MAX_SAFE_INTEGER })).map(({ run }) => run) : [id];
    const verdicts: RunVerdict[] = [];
    for (const run of runs) verdicts.push(await this.#engine.verify(run));
    return verdicts;
  }

  /** Takes a damaged run back to its last good commit, and holds every task that may have run since. */
  repair(id: string): Promise<{ readonly held: readonly string[]; readonly lastGood: number }> {
    return this.#engine.repair(id);
  }

  /** Folds what lists show of the runs anew from their journals. */
  rebuildSummaries(): Promise<void> {
    return this.#engine.rebuildSummaries();
  }

  /** Removes runs that ended before a time, or the ones named. */
  prune(request: {
    readonly before?: number;
    readonly runs?: readonly string[];
  }): Promise<{ readonly runs: number }> {
    return this.#ports.store.prune(request);
  }

  /** A consistent copy of the store, while runs go on. */
  backup(file: string): Promise<void> {
    return this.#ports.store.backup(file);
  }

  /** Stops what runs, writes that down and lets go of it; it can be resumed. */
  async close(): Promise<void> {
    await this.#engine.close();
    await this.#ports.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #handle<Outputs, State>(id: string, definition: Definition): Run<Outputs, State> {
    return new Run<Outputs, State>(id, { engine: this.#engine, store: this.#ports.store, definition });
  }
}

async function inputsFor(definition: Definition, given: unknown): Promise<Inputs> {
  const inputs = plainInputs(given, 'inputs');
  return definition.declaresInputs === true ? checkInputs(definition.workflow, inputs) : inputs;
}

function assertRunId(id: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(id)) return;
  throw new PitonError('RUN_ID_INVALID', `"${id}" cannot be the id of a run.`, {
    id,
    remedy: 'Use up to 128 letters, digits and . _ : - and begin with a letter or digit.',
  });
}
