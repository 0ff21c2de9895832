import { randomId, toJson, type JsonObject, type PitonError } from '../base/index.ts';
import { assertRunId, assertSameWorkflow, type Definition, type Piton } from '../library/index.ts';
import type { DriverOrder, DriverProcess } from './driver-process.ts';
import { selectionOf, type Selection } from './plan/selection.ts';
import type { Trusting } from './surroundings.ts';

/** Of a run in the background. */
export interface DetachedOptions extends Selection {
  /** Default: a new one. */
  readonly id?: string;
  readonly inputs?: JsonObject;
}

/** What a project can do that is needed here. */
interface Starting extends Trusting {
  open(): Promise<Piton>;
  findWorkflow(given: string): string;
  load(workflow: string, selection: Selection): Promise<Definition>;
  checkInputs(definition: Definition, given: JsonObject): Promise<JsonObject>;
  startDriver(order: DriverOrder): Promise<DriverProcess>;
}

export async function startDetached(
  project: Starting,
  workflow: string,
  { id = randomId(12), inputs = {}, ...selection }: DetachedOptions,
): Promise<DriverProcess> {
  assertRunId(id);
  const definition = await project.load(workflow, selection);
  const given = toJson(inputs, 'inputs') as JsonObject;
  await project.checkInputs(definition, given);
  await project.requireTrust();
  await refuseOther(project, id, definition);
  const tasks = Object.entries(selectionOf(selection)).map(([name, tasks]) => `--${name}=${tasks.join(',')}`);
  const args = ['run', `--id=${id}`, '--input=-', ...tasks, '--', project.findWorkflow(workflow)];
  return drive(project, { run: id, begins: true, args, input: JSON.stringify(given) });
}

/** Whoever drives a run already will do, unless it is a run of something else. */
async function refuseOther(project: Starting, id: string, { workflow }: Definition): Promise<void> {
  const piton = await project.open();
  try {
    // Others, whose ids only begin so, may be damaged.
    const onDamaged = (damage: PitonError): void => {
      if (damage.details['run'] === id) throw damage;
    };
    const existing = (await piton.runs({ prefix: id, onDamaged })).find(({ run }) => run === id);
    if (existing !== undefined) assertSameWorkflow(id, existing.workflow, workflow);
  } finally {
    await piton.close();
  }
}

export async function resumeDetached(project: Starting, run: string): Promise<DriverProcess> {
  await project.requireTrust();
  return drive(project, { run, args: ['resume', '--', run] });
}

/** Nobody can answer there: whether the project is trusted is settled before. */
function drive(project: Starting, { args, ...order }: DriverOrder): Promise<DriverProcess> {
  const { root, store, isStoreTyped } = project.config;
  const where = [`--root=${root}`, ...(isStoreTyped ? [`--store=${store}`] : [])];
  return project.startDriver({ ...order, args: [...where, ...args] });
}
