import { hasCode, type Json, type JsonObject } from '../base/index.ts';
import { checkInputs } from '../definition/index.ts';
import {
  assertSameWorkflow,
  type Engine,
  type EnginePorts,
  type ForkRequest,
  type Reruns,
  type ResumeOptions,
  type Where,
} from '../engine/index.ts';
import { scopeAt } from '../kernel/index.ts';
import { isFinal } from '../model/index.ts';
import type { Definition } from './definition.ts';
import { plainInputs } from './plain-inputs.ts';
import { programOf } from './program.ts';
import { assertRunId } from '../model/index.ts';

/** What a fork has otherwise than the run that it shares its past with. */
export interface ForkOptions extends Pick<ResumeOptions, 'acceptDrift' | 'keepDefinition'> {
  /** Default: that of the other with a number, `v1-2`. */
  readonly id?: string;
  /** Inputs by name: those that are left out stay. What has settled and reads one that is given runs again. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Outputs of succeeded tasks, by address: what depends on them runs again. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Of a graph, fields of its state: those that are left out stay. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** `false`: it is paused until it is resumed. */
  readonly drive?: boolean;
}

/** From where a run is gone on with, if not from its end. */
export interface FromOption {
  /** A commit, a name, or a task: from before that one. See `piton.fork`. */
  readonly from?: Where;
}

interface Forking {
  readonly definition: Definition;
  readonly of: string;
  readonly seq: number;
  readonly options: ForkOptions;
  readonly supersedes?: boolean;
  /** No checkpoint was chosen. */
  readonly isPresent?: boolean;
}

interface ForkPorts {
  readonly engine: Engine;
  readonly ports: EnginePorts;
}

/** A checkpoint as people write it: `<run>`, the last; `<run>@<where>`. */
export function readCheckpointName(name: string): { readonly run: string; readonly at?: string } {
  const place = name.indexOf('@');
  return place < 0 ? { run: name } : { run: name.slice(0, place), at: name.slice(place + 1) };
}

/** Makes a fork that nobody drives yet, and gives its id. */
export async function makeFork({ engine, ports }: ForkPorts, forking: Forking): Promise<string> {
  const { of, options, supersedes = false } = forking;
  if (options.id !== undefined) assertRunId(options.id);
  const program = await programOf(forking.definition);
  for (;;) {
    const request = await requestFor(engine, forking, options.id ?? (await freeId(ports, of)));
    const { run } = request;
    // What is refused leaves the run as it was.
    if (supersedes) await engine.previewFork(program, request);
    if (supersedes) await standBack(engine, of, run);
    try {
      await engine.fork(program, request);
      return run;
    } catch (thrown) {
      // Somebody else has forked it at the same moment, and was quicker.
      if (options.id !== undefined || !hasCode(thrown, 'RUN_EXISTS')) throw thrown;
    }
  }
}

/** What it would run again, and changes nothing. */
export async function previewOf({ engine }: ForkPorts, forking: Forking): Promise<Reruns> {
  const program = await programOf(forking.definition);
  return engine.previewFork(program, await requestFor(engine, forking, forking.of));
}

async function requestFor(engine: Engine, forking: Forking, run: string): Promise<ForkRequest> {
  const { of, seq, options, supersedes = false, definition, isPresent = false } = forking;
  assertSameWorkflow(of, (await engine.find(of)).workflow, definition.workflow);
  const edits = {
    ...(options.inputs !== undefined && { inputs: await changedInputs(engine, forking) }),
    ...(options.outputs !== undefined && { outputs: plainInputs(options.outputs, 'outputs') }),
    ...(options.state !== undefined && { state: plainInputs(options.state, 'state') }),
  };
  return { run, of, seq, edits, supersedes, isPaused: options.drive === false, isPresent };
}

/** Whoever drives runs that were interrupted must not go on with both. It can be resumed all the same. */
async function standBack(engine: Engine, run: string, by: string): Promise<void> {
  if (isFinal((await engine.find(run)).status)) return;
  const reason = `superseded by ${by}`;
  await engine.tend(run, async ({ phase }) =>
    phase.status === 'active' || phase.status === 'paused'
      ? [{ type: 'run.paused', data: { reason, supersededBy: by } }]
      : [],
  );
}

/** Those that are not what they were. All of them together have to be what the workflow wants. */
async function changedInputs(engine: Engine, { of, seq, options, definition }: Forking): Promise<JsonObject> {
  const state = await engine.load(of, seq);
  const before = scopeAt(state, '').inputs;
  const given = plainInputs(options.inputs, 'inputs');
  const all = { ...before, ...given };
  const checked = definition.declaresInputs === true ? await checkInputs(state.workflow, all) : all;
  const changed = Object.keys(given).filter((name) => !isSame(checked[name], before[name]));
  return Object.fromEntries(changed.map((name) => [name, checked[name]!]));
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `v1` → `v1-2`, and of that `v1-3`. */
async function freeId({ store, spool }: EnginePorts, of: string): Promise<string> {
  const stem = of.replace(/-\d+$/, '').slice(0, 120) || of;
  const base = (await store.findRun(stem)) === undefined ? of.slice(0, 120) : stem;
  for (let number = 2; ; number++) {
    const id = `${base}-${number}`;
    // One that the store has lost has left its head behind.
    if ((await store.findRun(id)) === undefined && !(await spool.heads.isRecorded(id))) return id;
  }
}

/** The commit of a run that is meant; without a word, the last. */
export async function seqAt({ engine }: ForkPorts, run: string, at: Where | undefined): Promise<number> {
  return at === undefined ? (await engine.load(run)).seq : engine.checkpointAt(run, at);
}
