import { stateGraph, workflow, type Definition, type Piton } from './library.ts';
import { noteOf } from './peers/programs/protocol.js';

/** What is run, the same here and beside the peers. Tasks do next to nothing: what costs is keeping them. */

interface Count {
  readonly count: number;
}

/** Told at the beginning of each step, which waits for what it gives back. */
type Visited = (step: number, signal: AbortSignal) => unknown;

/** A graph of one node that is visited so many times. */
export function graphChain(steps: number, visited: Visited = () => {}): Definition {
  return stateGraph<Count>('graph-chain', { state: { count: 0 }, maxSteps: steps + 1 })
    .node('step', async ({ count }, { signal }) => {
      await visited(count, signal);
      return { count: count + 1 };
    })
    .edge('step', 'end', ({ count }) => count >= steps)
    .edge('step', 'step');
}

/** So many tasks, each of which needs the one before. */
export function taskChain(tasks: number, visited: (step: number) => unknown = () => {}): Definition {
  let built = workflow('task-chain') as Built;
  for (let index = 0; index < tasks; index++) {
    const before = `t${index - 1}`;
    built = built.task(`t${index}`, { needs: index === 0 ? [] : [before] }, async ({ needs }) => {
      await visited(index);
      return (needs[before] ?? 0) + 1;
    });
  }
  return built;
}

/** One task, then many that need it, then one that needs all of them. */
export function fanOut(width: number): Definition {
  const names = Array.from({ length: width }, (_, index) => `w${index}`);
  let built = (workflow('fan-out') as Built).task('first', {}, () => 1);
  names.forEach((name, index) => {
    built = built.task(name, { needs: ['first'] }, ({ needs }) => needs['first']! + index);
  });
  return built.task('last', { needs: names }, ({ needs }) => Object.values(needs).length);
}

/** Layers of tasks, each of which needs three of the layer before. */
export function layers(tasks: number, width: number, atLast: () => void = () => {}): Definition {
  let built = workflow('layers') as Built;
  needsInLayers(tasks, width).forEach((needs, index) => {
    built = built.task(`t${index}`, { needs }, () => {
      if (index === tasks - 1) atLast();
      return index;
    });
  });
  return built.outputs(() => null);
}

export function needsInLayers(tasks: number, width: number): readonly (readonly string[])[] {
  return Array.from({ length: tasks }, (_, index) => {
    const start = (Math.floor(index / width) - 1) * width;
    if (start < 0) return [];
    const places = [0, 7, 31].map((offset) => (index + offset) % width);
    return [...new Set(places)].map((place) => `t${start + place}`);
  });
}

interface Notes {
  readonly notes: readonly string[];
}

/** A graph whose state grows by so many bytes at each step. */
export function growing(
  { steps, bytes }: { steps: number; bytes: number },
  visited: (step: number) => void,
): Definition {
  return stateGraph<Notes>('growing', { state: { notes: [] }, maxSteps: steps + 1 })
    .node('note', ({ notes }) => {
      visited(notes.length);
      return { notes: [...notes, noteOf(notes.length, bytes)] };
    })
    .edge('note', 'end', ({ notes }) => notes.length >= steps)
    .edge('note', 'note');
}

/** Names that are not known to the compiler, so that a loop can add tasks. */
interface Built extends Definition {
  task(
    name: string,
    options: { readonly needs?: readonly string[] },
    run: (context: { readonly needs: Readonly<Record<string, number>> }) => unknown,
  ): Built;
  outputs(compute: () => unknown): Built;
}

export async function runOnce(piton: Piton, definition: Definition): Promise<void> {
  const run = await piton.start(definition);
  const { status } = await run.result();
  if (status !== 'succeeded') throw new Error(`the run of ${definition.workflow.name} ended: ${status}`);
}

/** So many runs, a limited number of them at a time. */
export async function runMany(
  piton: Piton,
  definition: Definition,
  { runs, concurrency }: { runs: number; concurrency: number },
): Promise<void> {
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started++ < runs) await runOnce(piton, definition);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
