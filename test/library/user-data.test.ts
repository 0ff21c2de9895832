import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow, open, stateGraph, workflow, type Piton, type Run } from '../../src/index.ts';
import { plainInputs } from '../../src/library/plain-inputs.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const untilStopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** Starts in one Piton, which is closed in the middle of the run, and goes on in another one on the same store. */
async function interrupted(
  start: (piton: Piton) => Promise<unknown>,
  { begun, resume }: { begun: Promise<void>; resume: (piton: Piton) => Promise<Run<unknown, unknown>> },
): Promise<Run<unknown, unknown>> {
  const store = `sqlite:${temporaryFolder()}/p.db`;
  const first = await open({ store, durability: 'process', graceMs: 100 });
  await start(first);
  await begun;
  await first.close();
  return resume(await openPiton({ store, durability: 'process' }));
}

test('inputs and state with a key called __proto__ are the same after a resume', async () => {
  const text = '{"__proto__":{"admin":false},"b":1}';
  const begun = latch();
  const graph = stateGraph<object>('g')
    .node('a', (_, { attempt, signal }) => {
      begun.open();
      return attempt === 1 ? untilStopped(signal) : { done: true };
    })
    .edge('a', 'end');
  const run = await interrupted(
    (piton) => piton.start(graph, { id: 'x', state: JSON.parse(text) as object }),
    {
      begun: begun.opened,
      resume: (piton) => piton.resume(graph, 'x'),
    },
  );
  const { outputs } = await run.result();
  expect(JSON.stringify(outputs)).toBe(text.replace(/}$/, ',"done":true}'));
});

test('an edge that was added before others does not take over their conditions', async () => {
  const begun = latch();
  const graph = (stop: boolean) =>
    stateGraph<{ n: number }>('g', { state: { n: 1 } })
      .node('a', (_, { signal }) => {
        begun.open();
        return stop ? untilStopped(signal) : {};
      })
      .node('b', () => ({}))
      .node('refund', () => ({}))
      .edge('a', 'b')
      .edge('refund', 'end');
  const old = graph(true)
    .edge('b', 'refund', ({ n }) => n < 0)
    .edge('b', 'end');
  const edited = graph(false)
    .node('ship', () => ({}))
    .edge('ship', 'end')
    .edge('b', 'ship', ({ n }) => n > 0)
    .edge('b', 'refund', ({ n }) => n < 0)
    .edge('b', 'end');
  const run = await interrupted((piton) => piton.start(old, { id: 'x' }), {
    begun: begun.opened,
    resume: (piton) => piton.resume(edited, 'x', { keepDefinition: true }),
  });
  await run.result();
  const taken: string[] = [];
  for await (const event of run.events()) if (event.type === 'edge.taken') taken.push(event.data.to);
  expect(taken).toEqual(['a', 'b', 'end']);
});

test('several edges between the same two nodes have names of their own', () => {
  const graph = stateGraph<{ n: number }>('g')
    .node('a', () => ({}))
    .edge('a', 'a', ({ n }) => n < 1)
    .edge('a', 'end', ({ n }) => n > 5)
    .edge('a', 'a', ({ n }) => n < 3);
  expect(Object.keys(graph.closures)).toEqual(['a:to:a', 'a:to:end', 'a:to:a:2']);
});

test('data that looks like the name of a function is the same in a nested workflow', async () => {
  const piton = await openPiton();
  const state = { tool: { type: 'function', function: 'search' }, ref: { $function: 'x', keep: 1 } };
  const graph = stateGraph<typeof state>('g', { state })
    .node('n', () => ({}))
    .edge('n', 'end');
  const around = workflow('w').task('t', {}, graph);
  expect((await (await piton.start(around)).result()).outputs).toEqual({ t: state });
});

test.each([
  ['a list', [1, 2]],
  ['a string', 'text'],
  ['a number', 3],
])('%s cannot be the inputs of a run', (found, given) => {
  expect(() => plainInputs(given, 'inputs')).toThrow(
    expect.objectContaining({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(`not ${found}`) as string,
    }),
  );
});

test('named inputs, or none, are taken as they are', () => {
  expect(plainInputs({ n: 1 }, 'inputs')).toEqual({ n: 1 });
  expect(plainInputs(undefined, 'state')).toEqual({});
});

const failing = (fields: PropertyDescriptorMap) => () => Object.defineProperties(new Error('x'), fields);
const cyclic: { self?: object } = {};
cyclic.self = cyclic;
const unreadable = {
  get(): never {
    throw new Error('unreadable');
  },
};

test.each<[string, () => unknown, object]>([
  ['no message', failing({ message: { value: undefined } }), { code: 'Error' }],
  ['an object as message', failing({ message: { value: { a: 1 } } }), { message: '{"a":1}' }],
  ['a cyclic message', failing({ message: { value: cyclic } }), { code: 'Error' }],
  ['a list as stack', failing({ stack: { value: [1] } }), { message: 'x' }],
  ['a number as name', failing({ name: { value: 5 } }), { code: '5', message: 'x' }],
  ['a number as code', failing({ code: { value: 5 } }), { code: 'Error', message: 'x' }],
  [
    'nothing that can be read',
    failing({
      message: unreadable,
      name: unreadable,
      code: unreadable,
      stack: unreadable,
      retryable: unreadable,
    }),
    { code: 'Error' },
  ],
  ['no prototype', () => Object.create(null) as unknown, { code: 'Error' }],
  ['no way to be looked at', () => revokedProxy(), { code: 'Error' }],
])('something thrown with %s fails its task, and the journal stays readable', async (_, make, error) => {
  const piton = await openPiton();
  const run = await piton.start(
    workflow('w').task('a', () => {
      throw make();
    }),
  );
  expect((await run.result()).status).toBe('failed');
  const failures: unknown[] = [];
  for await (const event of run.events()) if (event.type === 'task.failed') failures.push(event.data.failure);
  expect(failures).toEqual([expect.objectContaining(error)]);
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test('a predicate that throws something strange fails its run, not the process', async () => {
  const piton = await openPiton();
  const strange = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw strange;
    },
  });
  const graph = stateGraph<object>('g')
    .node('a', () => ({}))
    .edge('a', 'end', () => {
      throw strange;
    });
  expect((await (await piton.start(graph, {})).result()).error).toMatchObject({ code: 'EXPRESSION_FAILED' });
});

test('a retry pattern with flags there are not is refused when the workflow is defined', () => {
  const given = workflow('w').task('a', { retry: { attempts: 2, on: ['/timeout/q'] } }, () => 1);
  expect(() => given.workflow).toThrow(
    expect.objectContaining({
      code: 'DEFINITION_INVALID',
      message: expect.stringContaining('`/timeout/q` is no pattern') as string,
    }),
  );
});

test('a retry pattern with flags matches as they say', async () => {
  const piton = await openPiton();
  const retry = { attempts: 2, backoff: 0, on: ['/TIMEOUT/i'] };
  const flaky = workflow('w').task('a', { retry }, ({ attempt }) => {
    if (attempt === 1) throw new Error('a timeout');
    return attempt;
  });
  expect((await (await piton.start(flaky)).result()).outputs).toEqual({ a: 2 });
});

test('a field that a node returns as undefined is removed from the state', async () => {
  const piton = await openPiton();
  const graph = stateGraph<{ kept: number; gone?: number | undefined }>('g', { state: { kept: 1, gone: 2 } })
    .node('a', () => ({ gone: undefined }))
    .edge('a', 'end');
  expect((await (await piton.start(graph, {})).result()).state).toEqual({ kept: 1 });
});

test('a workflow file that is not UTF-8 is refused with the reason', async () => {
  const file = join(temporaryFolder(), 'latin1.yaml');
  writeFileSync(file, Buffer.from('name: caf\xe9\ntasks: { a: { function: f } }\n', 'latin1'));
  await expect(loadWorkflow(file, { f: () => 1 })).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining('not UTF-8') as string,
  });
});
