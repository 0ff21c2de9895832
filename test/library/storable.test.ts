import { describe, expect, test } from 'vitest';
import {
  chain,
  parallel,
  route,
  stateGraph,
  workflow,
  type Definition,
  type Failure,
  type RunResult,
} from '../../src/index.ts';
import { openPiton } from '../support/open-piton.ts';

class Point {
  readonly x = 1;
}

class Money {
  readonly cents = 100;
  toJSON(): string {
    return '1.00';
  }
}

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function sparse(): unknown[] {
  const list: unknown[] = [1, 2];
  delete list[0];
  return list;
}

/** A value that JSON would lose or change, how it is named, and what to store instead. */
const refused: readonly (readonly [string, () => unknown, string])[] = [
  ['a Date', () => new Date(0), 'is a Date, which JSON cannot keep. Store it as text, e.g. toISOString().'],
  ['an invalid Date', () => new Date(Number.NaN), 'is a Date, which'],
  ['a Map', () => new Map(), 'is a Map, which JSON cannot keep. Store it as an object'],
  ['a Set', () => new Set(), 'is a Set, which JSON cannot keep. Store it as a list'],
  ['a bigint', () => 1n, 'is a bigint, which JSON cannot keep. Store it as text'],
  ['a function', () => () => 1, 'is a function, which'],
  ['a symbol', () => Symbol('x'), 'is a symbol, which'],
  ['an instance', () => new Point(), 'is an instance of Point, which'],
  ['an instance with toJSON', () => new Money(), 'is an instance of Money, which'],
  [
    'an object with a prototype of its own',
    () => Object.create({ a: 1 }) as unknown,
    'is an instance of Object, which',
  ],
  ['an Error', () => new RangeError('x'), 'is an instance of RangeError, which'],
  ['bytes', () => new Uint8Array(2), 'is an instance of Uint8Array, which'],
  ['a boxed string', () => Object('text') as unknown, 'is an instance of String, which'],
  ['NaN', () => Number.NaN, 'is NaN, which'],
  ['Infinity', () => -Infinity, 'is -Infinity, which'],
];

const atPlaces: typeof refused = [
  ['a cycle', cyclic, 'output.self is a cycle'],
  ['undefined in a list', () => [1, undefined], 'output[1] is undefined'],
  ['a hole in a list', sparse, 'output[0] is undefined'],
  ['a Date far inside', () => ({ a: [{ b: new Date(0) }] }), 'output.a[0].b is a Date'],
  ['an own toJSON', () => ({ a: { toJSON: () => 1 } }), 'output.a.toJSON is a function'],
];

async function failureOfOutput(run: () => unknown): Promise<Failure> {
  const piton = await openPiton();
  const started = await piton.start(workflow('flow').task('a', { retry: 3 }, run));
  expect((await started.result()).status).toBe('failed');
  const { a } = (await started.checkpoint()).tasks;
  expect(a).toMatchObject({ attempts: 1, error: { code: 'NOT_SERIALISABLE', retryable: false } });
  return a!.error!;
}

describe('a value that JSON would lose or change', () => {
  test.each(refused)('fails the task that returns it: %s', async (_, make, text) => {
    expect((await failureOfOutput(make)).message).toContain(`output ${text}`);
    expect((await failureOfOutput(() => ({ deep: [make()] }))).message).toContain(`output.deep[0] ${text}`);
  });

  test.each(atPlaces)('fails the task that returns %s, and names the place', async (_, make, text) => {
    expect((await failureOfOutput(make)).message).toContain(text);
  });

  test.each(refused)('is refused as an input, before anything is written: %s', async (_, make, text) => {
    const piton = await openPiton();
    const flow = workflow<{ at: unknown }>('flow').task('a', () => 1);
    await expect(piton.start(flow, { inputs: { at: make() } })).rejects.toThrow(`inputs.at ${text}`);
    expect(await piton.runs()).toEqual([]);
  });

  test.each(refused)('fails the node that puts it into the state: %s', async (_, make, text) => {
    const piton = await openPiton();
    const graph = stateGraph<{ at: unknown }>('graph', { state: { at: 'before' } })
      .node('a', () => ({ at: make() }))
      .edge('a', 'end');
    const result = await (await piton.start(graph)).result();
    expect(result.status).toBe('failed');
    expect(result.error!.message).toContain(`state.at ${text}`);
    expect(result.state).toEqual({ at: 'before' });
  });

  test('is refused as the first state of a graph and of its run', async () => {
    const piton = await openPiton();
    const graphWith = (at: unknown) =>
      stateGraph<{ at: unknown }>('graph', { state: { at } })
        .node('a', () => undefined)
        .edge('a', 'end');
    const at = new Date(0);
    expect(() => graphWith(at).workflow).toThrow('state.at is a Date');
    await expect(piton.start(graphWith(1), { state: { at } })).rejects.toThrow('state.at is a Date');
  });

  test('fails the run whose outputs, items or inputs of another workflow hold it', async () => {
    const piton = await openPiton();
    const at: unknown = new Date(0);
    const child = workflow<{ at: unknown }>('child').task('a', () => 1);
    const flows: Definition<object>[] = [
      workflow('outputs')
        .task('a', () => 1)
        .outputs(() => ({ at })),
      workflow('items').task('a', { forEach: { in: () => [at] } }, () => 1),
      workflow('inputs').task('a', { with: () => ({ at }) }, child),
    ];
    for (const flow of flows) {
      const result: RunResult<unknown, unknown> = await (await piton.start(flow)).result();
      expect(result.status).toBe('failed');
      expect(result.error!.message).toMatch(/(\.at|\[0\]) is a Date, which JSON cannot keep/);
    }
  });
});

describe('what can be stored is read as its type says', () => {
  test('a function that returns nothing has the output null, also where it may return something', async () => {
    const piton = await openPiton();
    const flow = workflow<{ n?: number }>('flow')
      .task('nothing', () => {})
      .task('perhaps', ({ inputs }) => inputs.n?.toFixed())
      .task('read', { needs: ['nothing', 'perhaps'] }, ({ needs }) => [needs.nothing, needs.perhaps])
      .outputs(({ read, perhaps }) => ({ read, perhaps }));
    const result = await (await piton.start(flow)).result();
    expect(result.outputs).toEqual({ read: [null, null], perhaps: null });
  });

  test('a property that is undefined is left out', async () => {
    const piton = await openPiton();
    const flow = workflow('flow')
      .task('a', (): { n?: number | undefined; list: object[] } => ({
        n: undefined,
        list: [{ m: undefined }],
      }))
      .task('b', { needs: ['a'] }, ({ needs }) => 'n' in needs.a || 'm' in needs.a.list[0]!);
    const result = await (await piton.start(flow)).result();
    expect(result.outputs).toStrictEqual({ a: { list: [{}] }, b: false });
  });

  test('patterns give null where their functions give nothing', async () => {
    const piton = await openPiton();
    const each = parallel<number, string | undefined>('each', (n) => (n > 1 ? 'big' : undefined));
    const all = parallel<number, void>('all', () => {}, { collectAll: true });
    const last = chain<number, string | undefined>('last', ({ item }) => (item > 1 ? 'big' : undefined));
    const way = route<{ n: number }, string | undefined>('way', [], () => undefined);
    const inputs = { items: [2, 1] };
    expect((await (await piton.start(each, { inputs })).result()).outputs).toEqual(['big', null]);
    expect((await (await piton.start(all, { inputs: { items: [1] } })).result()).outputs).toEqual([
      { status: 'succeeded', output: null },
    ]);
    const given = { items: [2, 1], initial: undefined };
    expect((await (await piton.start(last, { inputs: given })).result()).outputs).toBeNull();
    expect((await (await piton.start(way, { inputs: { n: 1 } })).result()).outputs).toBeNull();
  });
});
