import { expect, test } from 'vitest';
import {
  chain,
  open,
  parallel,
  route,
  stateGraph,
  workflow,
  allOf,
  anyOf,
  not,
  type Definition,
  type Observation,
  type ParallelInputs,
} from '../../src/index.ts';
import { openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Draft {
  draft: string;
  ok: boolean;
}

const refine = stateGraph<Draft>('refine', { maxSteps: 100 })
  .node('write', async (state) => ({ draft: `${state.draft}x` }))
  .node('review', async (state) => ({ ok: state.draft.length >= 3 }))
  .edge('write', 'review')
  .edge('review', 'end', (state) => state.ok)
  .edge('review', 'write');

test('a graph goes round until an edge leads to its end, and gives its state', async () => {
  const piton = await openPiton();
  const run = await piton.start(refine, { state: { draft: '', ok: false } });
  expect(await run.result()).toMatchObject({ status: 'succeeded', state: { draft: 'xxx', ok: true } });
  expect(Object.keys((await run.checkpoint()).tasks)).toEqual([
    'write#1',
    'review#1',
    'write#2',
    'review#2',
    'write#3',
    'review#3',
  ]);
});

test('every checkpoint of a graph can be looked at again, with its provenance', async () => {
  const piton = await openPiton();
  const run = await piton.start(refine, { id: 'r', state: { draft: '', ok: false } });
  await run.result();
  const checkpoint = await run.checkpoint(3);
  expect(checkpoint).toMatchObject({
    run: 'r',
    seq: 3,
    state: { draft: 'x', ok: false },
    lastTask: 'write#2',
  });
  expect((await run.checkpoint(4)).state).toEqual({ draft: 'xx', ok: false });
});

test('the state cannot be changed in place', async () => {
  const piton = await openPiton();
  const sly = stateGraph<{ list: number[] }>('sly', { state: { list: [1] } })
    .node('a', (state) => void state.list.push(2))
    .edge('a', 'end');
  const result = await (await piton.start(sly, {})).result();
  expect(result).toMatchObject({ status: 'failed', state: { list: [1] } });
});

test('adding one message to a list of a thousand costs one message', async () => {
  const piton = await openPiton();
  const messages = Array.from({ length: 1000 }, (_, index) => ({ index, text: 'x'.repeat(100) }));
  const talk = stateGraph<{ messages: object[] }>('talk')
    .node('say', (state) => ({ messages: [...state.messages, { text: 'new' }] }))
    .edge('say', 'end');
  const run = await piton.start(talk, { state: { messages } });
  await run.result();
  for await (const event of run.events()) {
    if (event.type !== 'state.updated') continue;
    expect(event.data.patch).toEqual([
      { op: 'splice', path: ['messages'], at: 1000, remove: 0, items: [{ text: 'new' }] },
    ]);
  }
});

test('a failed node ends the graph unless an edge asks for failures', async () => {
  const piton = await openPiton();
  const graph = stateGraph<{ tried: boolean }>('g', { state: { tried: false } })
    .node('try', () => {
      throw new Error('no');
    })
    .node('rescue', () => ({ tried: true }))
    .edge('rescue', 'end');
  const lost = graph.edge('try', 'rescue', () => true).edge('try', 'end');
  expect((await (await piton.start(lost, {})).result()).error).toMatchObject({ message: 'try#1 failed: no' });
  const rescued = graph.edge('try', 'rescue', 'failure').edge('try', 'end');
  expect(await (await piton.start(rescued, {})).result()).toMatchObject({
    status: 'succeeded',
    state: { tried: true },
  });
});

test('max-steps ends a cycle that would never end', async () => {
  const piton = await openPiton();
  const endless = stateGraph<{ n: number }>('endless', { maxSteps: 10, state: { n: 0 } })
    .node('a', ({ n }) => ({ n: n + 1 }))
    .edge('a', 'a', ({ n }) => n < 1000)
    .edge('a', 'end');
  const result = await (await piton.start(endless, {})).result();
  expect(result).toMatchObject({ status: 'failed', state: { n: 10 }, error: { code: 'MAX_STEPS' } });
});

test('a node can be a workflow of its own', async () => {
  const piton = await openPiton();
  const squares = parallel<number, number>('squares', async (n) => n * n);
  const graph = stateGraph<{ n: number; sum: number }>('g', { state: { n: 1, sum: 0 } })
    .node('square', squares, {
      with: ({ n }) => ({ items: [n, n + 1] }),
      update: (outputs, { n, sum }) => ({ n: n + 1, sum: sum + outputs.reduce((a, b) => a + b, 0) }),
    })
    .edge('square', 'end', ({ n }) => n > 3)
    .edge('square', 'square');
  const left: unknown[] = [];
  piton.observe((event) => event.type === 'node.left' && left.push(event.after['n']));
  const result = await (await piton.start(graph, {})).result();
  expect(result.state).toEqual({ n: 4, sum: 1 + 4 + 4 + 9 + 9 + 16 });
  expect(left).toEqual([2, 3, 4]);
});

test('a chain folds over its items and tells its progress', async () => {
  const piton = await openPiton();
  const seen: unknown[] = [];
  const sum = chain<number, number>('sum', async ({ result, item, index }) => {
    seen.push([result, item, index]);
    return result + item;
  });
  const run = await piton.start(sum, { inputs: { items: [1, 2, 3], initial: 10 } });
  expect((await run.result()).outputs).toBe(16);
  expect(seen).toEqual([
    [10, 1, 0],
    [11, 2, 1],
    [13, 3, 2],
  ]);
  expect(await run.progress()).toEqual({ done: 3, total: 3, percent: 100 });
  expect((await run.checkpoint(3)).progress).toEqual({ done: 1, total: 3, percent: 33 });
  expect((await (await piton.start(sum, { inputs: { items: [], initial: 7 } })).result()).outputs).toBe(7);
});

test('parallel keeps the order, and stops at the first failure or collects all', async () => {
  const piton = await openPiton();
  const half = async (n: number): Promise<number> => {
    if (n % 2 === 1) throw new Error(`${n} is odd`);
    return n / 2;
  };
  const start = <Output>(definition: Definition<ParallelInputs<number>, Output>, items: number[]) =>
    piton.start(definition, { inputs: { items } });
  expect((await (await start(parallel('p', half), [2, 4, 2])).result()).outputs).toEqual([1, 2, 1]);
  expect((await (await start(parallel('p', half), [2, 3])).result()).status).toBe('failed');
  const collected = await (
    await start(parallel('p', half, { collectAll: true, maxWorkers: 1 }), [3, 4])
  ).result();
  expect(collected).toMatchObject({
    status: 'succeeded',
    outputs: [
      { status: 'failed', error: { message: '3 is odd' } },
      { status: 'succeeded', output: 2 },
    ],
  });
});

test('parallel without collectAll stops the items that run when one fails', async () => {
  const piton = await openPiton();
  const aborted: number[] = [];
  const race = parallel<number, number>('race', async (n, { signal }) => {
    if (n === 0) throw new Error('no');
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted.push(n);
        reject(new Error('stopped'));
      }),
    );
  });
  expect((await (await piton.start(race, { inputs: { items: [1, 0, 2] } })).result()).status).toBe('failed');
  expect(aborted).toEqual([1, 2]);
});

test('a route takes the first way that applies, else the default', async () => {
  const piton = await openPiton();
  const isBig = ({ n }: { n: number }): boolean => n > 100;
  const isEven = ({ n }: { n: number }): boolean => n % 2 === 0;
  const double = workflow<{ n: number }>('double')
    .task('d', ({ inputs }) => inputs.n * 2)
    .outputs(({ d }) => `doubled ${d}`);
  const triage = route<{ n: number }, string>(
    'triage',
    [
      { when: allOf(isBig, isEven), run: ({ n }) => `big and even ${n}` },
      { name: 'doubling', when: anyOf(isBig, not(isEven)), run: double },
    ],
    () => 'small and even',
  );
  const outputs = async (n: number): Promise<unknown> =>
    (await (await piton.start(triage, { inputs: { n } })).result()).outputs;
  expect(await outputs(102)).toBe('big and even 102');
  expect(await outputs(7)).toBe('doubled 14');
  expect(await outputs(2)).toBe('small and even');
});

test('observers hear of runs, tasks, edges, cycles, checkpoints and node states; one that throws harms nobody', async () => {
  const heard: Observation[] = [];
  const piton = await openPiton({
    observers: [
      () => {
        throw new Error('faulty');
      },
      (observation) => heard.push(observation),
    ],
  });
  const run = await piton.start(refine, { state: { draft: 'x', ok: false } });
  expect((await run.result()).status).toBe('succeeded');
  const types = heard.map(({ type }) => type);
  for (const type of ['run.created', 'edge.taken', 'task.succeeded', 'checkpoint.saved', 'run.succeeded'])
    expect(types).toContain(type);
  expect(heard.find(({ type }) => type === 'cycle.entered')).toMatchObject({ node: 'write', visit: 2 });
  expect(heard.find(({ type }) => type === 'node.entered')).toMatchObject({
    task: 'write#1',
    before: { draft: 'x' },
  });
  expect(heard.find(({ type }) => type === 'node.left')).toMatchObject({
    task: 'write#1',
    before: { draft: 'x', ok: false },
    after: { draft: 'xx', ok: false },
  });
});

test('with preserve: false the big values of the way are dropped after success, and the result stays', async () => {
  const folder = temporaryFolder();
  const piton = await openPiton({ store: `sqlite:${folder}/p.db`, durability: 'process' });
  const big = stateGraph<{ text: string; n: number }>('big', {
    state: { text: '', n: 0 },
    checkpoint: { preserve: false },
  })
    .node('a', ({ n }) => ({ text: String(n).repeat(20_000), n: n + 1 }))
    .edge('a', 'end', ({ n }) => n === 5)
    .edge('a', 'a');
  const run = await piton.start(big, { id: 'big' });
  const { state } = await run.result();
  await piton.close();
  const again = await open({ store: `sqlite:${folder}/p.db`, durability: 'process' });
  expect((await (await again.find('big')).result()).state).toEqual(state);
  expect(await again.verify('big')).toMatchObject([{ ok: true }]);
  await expect((await again.find('big')).checkpoint(2)).rejects.toMatchObject({ code: 'CHECKPOINT_PRUNED' });
  await again.close();
});
