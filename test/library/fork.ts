/** Forks at many checkpoints of runs of many shapes. */
import { open, type Definition, type Piton } from '../../src/index.ts';
import { shapes, type Hands, type ShapeName } from '../support/shapes.ts';

export const forkedShapes = [
  'chain',
  'diamond',
  'wide fan-out',
  'for-each',
  'retry',
  'skip',
  'cycle',
  'nested chain and parallel',
  'child workflow',
  'checkpoint every 3',
  'forty',
  'gated',
  'pause',
] as const satisfies readonly ShapeName[];

interface Ground {
  readonly piton: Piton;
  readonly definition: Definition;
  /** The tasks that have run since it was last asked. */
  ran(): readonly string[];
}

/** Runs a shape to its end, forks it at so many of its checkpoints, and tells what came out otherwise. */
export async function findWrongForks(
  shape: ShapeName,
  forks: number,
): Promise<{ readonly wrong: readonly string[]; readonly count: number }> {
  await using piton = await open({ store: 'memory:' });
  const executed: string[] = [];
  const hands: Hands = {
    async ran({ task }) {
      executed.push(task);
    },
    pauseRun: async () => {},
    cancelRun: async () => {},
    gate: async () => {},
  };
  const { definition, inputs } = shapes[shape](hands);
  const options = { id: 'run', ...(inputs !== undefined && { inputs }) } as never;
  await (await piton.start(definition, options)).result();
  const ground = { piton, definition, ran: () => executed.splice(0) };
  ground.ran();
  const { seq: last } = await (await piton.find('run')).checkpoint();
  const wrong: string[] = [];
  const chosen = spread(last, forks);
  for (const seq of chosen) wrong.push(...(await wrongIn(ground, seq)));
  return { wrong, count: chosen.length };
}

function spread(last: number, count: number): number[] {
  const all = Array.from({ length: last }, (_, index) => index + 1);
  return all.filter(
    (_, index) => Math.floor((index * count) / last) !== Math.floor(((index + 1) * count) / last),
  );
}

async function wrongIn({ piton, definition, ran }: Ground, seq: number): Promise<string[]> {
  const original = await (await piton.find('run')).checkpoint();
  const before = await (await piton.find('run')).checkpoint(seq);
  const fork = await piton.fork(definition, `run@${seq}`, { id: `fork-${seq}` });
  await fork.result();
  const after = await fork.checkpoint();
  const again = ran().filter((task) => before.tasks[task]?.status === 'succeeded');
  const [ended, expected] = [after, original].map(endOf);
  const verdict = (await piton.verify(fork.id)).flatMap(({ faults }) => faults.map(({ what }) => what));
  return [
    ...again.map((task) => `fork at ${seq}: ${task} had succeeded, and ran again`),
    ...(ended === expected ? [] : [`fork at ${seq} ended as ${ended}, not ${expected}`]),
    ...verdict.map((what) => `fork at ${seq}: ${what}`),
  ];
}

function endOf(checkpoint: Awaited<ReturnType<Awaited<ReturnType<Piton['find']>>['checkpoint']>>): string {
  const { status, outputs, error, state, inputs, tasks } = checkpoint;
  const each = Object.entries(tasks).map(([name, { status: of, output }]) => [name, of, output]);
  return JSON.stringify({ status, outputs, error: error?.message, state, inputs, each });
}
