import { randomId, toJson, type JsonObject, type PitonError } from '../base/index.ts';
import { assertRunId, assertSameWorkflow, type Definition, type Piton } from '../library/index.ts';
import type { DriverOrder, DriverProcess } from './driver-process.ts';
import { selectionOf, type Selection } from './plan/selection.ts';
import type { Preflight } from './preflight/finding.ts';
import { preflightError } from './preflight/preflight-error.ts';
import type { Trusting } from './surroundings.ts';

/** Of a run in the background. */
export interface DetachedOptions extends Selection {
  /** Default: a new one. */
  readonly id?: string;
  readonly inputs?: JsonObject;
  /** Start although something that it needs is missing. Default: false. */
  readonly force?: boolean;
}

/** What a project can do that is needed here. */
interface Starting extends Trusting {
  open(): Promise<Piton>;
  findWorkflow(given: string): string;
  load(workflow: string, selection: Selection): Promise<Definition>;
  checkInputs(definition: Definition, given: JsonObject): Promise<JsonObject>;
  preflight(definition: Definition, file: string): Promise<Preflight>;
  startDriver(order: DriverOrder): Promise<DriverProcess>;
}

export async function startDetached(
  project: Starting,
  workflow: string,
  { id = randomId(12), inputs = {}, force = false, ...selection }: DetachedOptions,
): Promise<DriverProcess> {
  assertRunId(id);
  const definition = await project.load(workflow, selection);
  const given = toJson(inputs, 'inputs') as JsonObject;
  await project.checkInputs(definition, given);
  await project.requireTrust();
  const isNew = !(await isThere(project, id, definition));
  const file = project.findWorkflow(workflow);
  if (isNew && !force) await assertComplete(project, definition, file);
  const tasks = Object.entries(selectionOf(selection)).map(([name, tasks]) => `--${name}=${tasks.join(',')}`);
  const args = ['run', `--id=${id}`, '--input=-', ...tasks, ...(force ? ['--force'] : []), '--', file];
  return drive(project, { run: id, begins: true, args, input: JSON.stringify(given) });
}

async function assertComplete(project: Starting, definition: Definition, file: string): Promise<void> {
  const error = preflightError(
    definition.workflow.name,
    await project.preflight(definition, file),
    project.directory,
  );
  if (error !== undefined) throw error;
}

/** Whoever drives a run already will do, unless it is a run of something else. Throws `RUN_CHANGED`. */
async function isThere(project: Starting, id: string, { workflow }: Definition): Promise<boolean> {
  const piton = await project.open();
  try {
    // Others, whose ids only begin so, may be damaged.
    const onDamaged = (damage: PitonError): void => {
      if (damage.details['run'] === id) throw damage;
    };
    const existing = (await piton.runs({ prefix: id, onDamaged })).find(({ run }) => run === id);
    if (existing !== undefined) assertSameWorkflow(id, existing.workflow, workflow);
    return existing !== undefined;
  } finally {
    await piton.close();
  }
}

export interface ResumeDetachedOptions {
  /** Goes on with the file as it is now. Default: with the definition that the run keeps, unless the file migrates it. */
  readonly acceptDrift?: boolean;
}

export async function resumeDetached(
  project: Starting,
  run: string,
  { acceptDrift = false }: ResumeDetachedOptions,
): Promise<DriverProcess> {
  await project.requireTrust();
  const choice = acceptDrift ? '--accept-drift' : '--keep-older';
  return drive(project, { run, args: ['resume', choice, '--', run] });
}

/** Nobody can answer there: whether the project is trusted is settled before. */
function drive(project: Starting, { args, ...order }: DriverOrder): Promise<DriverProcess> {
  const { root, store, isStoreTyped } = project.config;
  const where = [`--root=${root}`, ...(isStoreTyped ? [`--store=${store}`] : [])];
  return project.startDriver({ ...order, args: [...where, ...args] });
}
