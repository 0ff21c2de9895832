import { expect, test } from 'vitest';
import { manualClock, workflow, type RunEvent, type StepContext } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';

test('a task is given the outputs of what it needs, and the run gives every output by name', async () => {
  const piton = await openPiton();
  const build = workflow<{ n: number }>('build')
    .task('fetch', ({ inputs }) => ({ size: inputs.n }))
    .task('index', { needs: ['fetch'] }, async ({ needs }) => needs.fetch.size * 2);
  const run = await piton.start(build, { inputs: { n: 3 } });
  expect(await run.result()).toMatchObject({
    status: 'succeeded',
    outputs: { fetch: { size: 3 }, index: 6 },
  });
});

test('starting the same id again attaches to that run', async () => {
  const piton = await openPiton();
  let executions = 0;
  const once = workflow('once').task('a', () => ++executions);
  const [first, second] = await Promise.all([piton.start(once, { id: 'x' }), piton.start(once, { id: 'x' })]);
  expect((await first.result()).outputs).toEqual({ a: 1 });
  expect((await second.result()).outputs).toEqual({ a: 1 });
  expect((await (await piton.start(once, { id: 'x' })).result()).outputs).toEqual({ a: 1 });
  expect(executions).toBe(1);
  expect(await piton.runs()).toHaveLength(1);
});

test('a failed attempt is tried again after its backoff, with the same key', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const keys: string[] = [];
  const shaky = workflow('shaky').task(
    'a',
    { retry: { attempts: 3, backoff: '10s', jitter: 0 } },
    ({ key, attempt }) => {
      keys.push(key);
      if (attempt < 3) throw new Error(`no ${attempt}`);
      return attempt;
    },
  );
  const run = await piton.start(shaky, {});
  await eventually('first failure', async () => (await run.status()) === 'delayed');
  expect((await run.checkpoint()).tasks['a']).toMatchObject({
    status: 'delayed',
    reason: 'attempt 1 failed: no 1',
  });
  clock.advance(10_000);
  await eventually('second failure', async () => keys.length === 2 && (await run.status()) === 'delayed');
  clock.advance(19_999);
  expect(keys).toHaveLength(2);
  clock.advance(1);
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { a: 3 } });
  expect(new Set(keys).size).toBe(1);
});

test('errors that say so are not retried', async () => {
  const piton = await openPiton();
  let attempts = 0;
  const fails = workflow('fails').task('a', { retry: 5 }, () => {
    attempts++;
    throw Object.assign(new Error('bad request'), { code: 'E_BAD', retryable: false });
  });
  const result = await (await piton.start(fails, {})).result();
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'TASK_FAILED', message: 'a failed: bad request' },
  });
  expect(attempts).toBe(1);
});

test('a task that takes too long fails with TIMEOUT, and its signal is aborted', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const started = latch<AbortSignal>();
  const slow = workflow('slow').task('a', { timeout: '1m' }, ({ signal }) => {
    started.open(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const run = await piton.start(slow, {});
  const signal = await started.opened;
  clock.advance(59_999);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  const result = await run.result();
  expect(result).toMatchObject({
    status: 'failed',
    error: { message: 'a failed: it did not end within 1m' },
  });
  expect((await run.checkpoint()).tasks['a']!.error).toMatchObject({ code: 'TIMEOUT', retryable: true });
});

test('a function that ignores its signal is given up after the grace, and not started beside itself', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock, graceMs: 5_000 });
  let starts = 0;
  const deaf = workflow('deaf').task('a', { timeout: '1s', retry: 3 }, () => {
    starts++;
    return new Promise(() => {});
  });
  const run = await piton.start(deaf, {});
  await eventually('it runs', () => starts === 1);
  clock.advance(1_000);
  await eventually('it was asked to stop', () => {
    clock.advance(1_000);
    return true;
  });
  await eventually('it is given up', async () => {
    clock.advance(1_000);
    return (await run.checkpoint()).status === 'failed';
  });
  expect((await run.checkpoint()).tasks['a']!.error).toMatchObject({ code: 'TIMEOUT', retryable: false });
  expect(starts).toBe(1);
});

test('clean-up runs after a failure, ordinary dependants are skipped', async () => {
  const piton = await openPiton();
  const seen: unknown[] = [];
  const flow = workflow('flow')
    .task('a', (): number => {
      throw new Error('no');
    })
    .task('b', { needs: ['a'] }, ({ needs }) => needs.a)
    .task('clean', { needs: ['b'], if: 'failure' }, ({ needs }) => void seen.push(needs.b))
    .task('always', { needs: ['b'], if: 'always' }, () => 'done');
  const run = await piton.start(flow, {});
  expect(await run.result()).toMatchObject({ status: 'failed', outputs: { clean: null, always: 'done' } });
  expect(seen).toEqual([undefined]);
  expect((await run.checkpoint()).tasks['b']).toMatchObject({
    status: 'skipped',
    reason: 'it needs a, which failed',
  });
});

test('continueOnError lets dependants go on without the output', async () => {
  const piton = await openPiton();
  const flow = workflow('flow')
    .task('a', { continueOnError: true }, (): number => {
      throw new Error('no');
    })
    .task('b', { needs: ['a'] }, ({ needs }) => needs.a ?? 'nothing');
  expect(await (await piton.start(flow, {})).result()).toMatchObject({
    status: 'succeeded',
    outputs: { b: 'nothing' },
  });
});

test('a predicate decides whether a task runs', async () => {
  const piton = await openPiton();
  const flow = workflow<{ n: number }>('flow')
    .task('n', ({ inputs }) => inputs.n)
    .task('big', { needs: ['n'], if: ({ needs }) => needs.n > 10 }, () => 'big');
  const outputs = async (n: number): Promise<unknown> =>
    (await (await piton.start(flow, { inputs: { n } })).result()).outputs;
  expect(await outputs(11)).toEqual({ n: 11, big: 'big' });
  expect(await outputs(10)).toEqual({ n: 10 });
});

test('for-each does a task once for each item and keeps the order', async () => {
  const piton = await openPiton();
  const flow = workflow<{ words: string[] }>('flow')
    .task(
      'length',
      { forEach: { in: ({ inputs }) => inputs.words, key: (word) => word } },
      ({ item }) => item.length,
    )
    .task('sum', { needs: ['length'] }, ({ needs }) => needs.length.reduce((a, b) => a + b, 0));
  const run = await piton.start(flow, { inputs: { words: ['one', 'three', 'a'] } });
  expect((await run.result()).outputs).toEqual({ length: [3, 5, 1], sum: 9 });
  expect(Object.keys((await run.checkpoint()).tasks)).toEqual([
    'length',
    'sum',
    'length[one]',
    'length[three]',
    'length[a]',
  ]);
});

test('max-parallel and locks hold back what would be too much', async () => {
  const piton = await openPiton();
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  };
  const wide = (settings: object, options: object): ReturnType<typeof workflow> =>
    workflow('wide', settings).task(
      'w',
      { ...options, forEach: { in: () => [1, 2, 3, 4, 5, 6] } },
      work,
    ) as never;
  await (await piton.start(wide({ maxParallel: 2 }, {}), {})).result();
  expect(most).toBe(2);
  most = 0;
  await (await piton.start(wide({}, { locks: ['database'] }), {})).result();
  expect(most).toBe(1);
});

test('a workflow inside a workflow takes inputs and gives outputs', async () => {
  const piton = await openPiton();
  const inner = workflow<{ n: number }>('inner')
    .task('double', ({ inputs }) => inputs.n * 2)
    .outputs(({ double }) => double);
  const outer = workflow('outer')
    .task('n', () => 4)
    .task('inner', { needs: ['n'], with: ({ needs }) => ({ n: needs.n }) }, inner)
    .task(
      'each',
      { needs: ['inner'], forEach: { in: () => [1, 2] }, with: ({ item }) => ({ n: item }) },
      inner,
    )
    .task('end', { needs: ['inner', 'each'] }, ({ needs }) => [needs.inner, ...needs.each]);
  const run = await piton.start(outer, {});
  expect((await run.result()).outputs).toMatchObject({ inner: 8, each: [2, 4], end: [8, 2, 4] });
  expect((await run.checkpoint()).tasks['each[2].double']).toMatchObject({ status: 'succeeded', output: 4 });
});

test('cancel stops what runs and starts nothing more', async () => {
  const piton = await openPiton();
  const started = latch();
  const flow = workflow('flow')
    .task('a', ({ signal }) => {
      started.open();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    })
    .task('b', { needs: ['a'] }, () => 'never');
  const run = await piton.start(flow, {});
  await started.opened;
  expect(await run.cancel('enough')).toEqual({ status: 'accepted', text: 'the run is being cancelled' });
  expect(await run.result()).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
  expect((await run.checkpoint()).tasks).toMatchObject({
    a: { status: 'cancelled' },
    b: { status: 'cancelled' },
  });
  expect(await run.cancel()).toEqual({ status: 'refused', text: 'the run has ended: cancelled' });
});

test('pause lets what runs end and starts nothing until it is lifted', async () => {
  const piton = await openPiton();
  const gate = latch();
  const started = latch();
  const done: string[] = [];
  const flow = workflow('flow')
    .task('a', async () => {
      started.open();
      await gate.opened;
      done.push('a');
    })
    .task('b', { needs: ['a'] }, () => void done.push('b'));
  const run = await piton.start(flow, {});
  await started.opened;
  expect((await run.pause('lunch')).status).toBe('accepted');
  gate.open();
  await eventually('a has ended', () => done.length === 1);
  await eventually(
    'it is written down',
    async () => (await run.checkpoint()).tasks['a']!.status === 'succeeded',
  );
  expect(await run.status()).toBe('paused');
  expect(done).toEqual(['a']);
  expect((await run.unpause()).status).toBe('accepted');
  expect((await run.result()).status).toBe('succeeded');
  expect(done).toEqual(['a', 'b']);
});

test('fail-fast stops the others', async () => {
  const piton = await openPiton();
  const flow = workflow('flow', { failFast: true })
    .task(
      'long',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('x')))),
    )
    .task('bad', () => {
      throw new Error('no');
    });
  const run = await piton.start(flow, {});
  expect((await run.result()).status).toBe('failed');
  expect((await run.checkpoint()).tasks).toMatchObject({
    long: { status: 'cancelled' },
    bad: { status: 'failed' },
  });
});

test('events come from the journal first, then live, in order, and end with the run', async () => {
  const piton = await openPiton();
  const gate = latch();
  const flow = workflow('flow')
    .task('a', () => 1)
    .task('b', { needs: ['a'] }, () => gate.opened);
  const run = await piton.start(flow, { id: 'r' });
  await eventually('a has settled', async () => (await run.checkpoint()).tasks['a']!.status === 'succeeded');
  const events: RunEvent[] = [];
  for await (const event of run.events()) {
    events.push(event);
    if (event.type === 'attempt.started' && event.task === 'b') gate.open();
  }
  expect(events.map(({ type }) => type)).toEqual([
    'run.created',
    'lease.taken',
    'attempt.started',
    'attempt.ended',
    'task.succeeded',
    'attempt.started',
    'attempt.ended',
    'task.succeeded',
    'run.succeeded',
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
  const later: RunEvent[] = [];
  for await (const event of run.events({ after: 2 })) later.push(event);
  expect(later).toEqual(events.slice(6));
});

test('an output that is too large fails the task and says so', async () => {
  const piton = await openPiton({ maxOutputBytes: 1000 });
  const run = await piton.start(workflow('flow').task('a', { retry: 3 }, () => 'x'.repeat(2000)));
  expect((await run.result()).status).toBe('failed');
  const { a } = (await run.checkpoint()).tasks;
  expect(a).toMatchObject({ attempts: 1, error: { code: 'OUTPUT_TOO_LARGE', retryable: false } });
  expect(a!.error!.message).toContain('The output is 2002 bytes long, more than the 1000 allowed');
});

test('an output that does not fit its schema fails the task', async () => {
  const piton = await openPiton();
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const flow = workflow('flow').task('a', { output: schema }, () => ({ n: 'three' }));
  const run = await piton.start(flow, {});
  await run.result();
  expect((await run.checkpoint()).tasks['a']!.error).toMatchObject({ code: 'OUTPUT_INVALID' });
});

test.each([
  ['unknown option', { stor: 'memory:' }, /no option stor.*Did you mean store/],
  ['short lease', { store: 'memory:', leaseMs: 5 }, /leaseMs is 5; it must be at least 100/],
  ['unknown scheme', { store: 'sqlit:x' }, /sqlit/],
])('open refuses an %s with a remedy', async (_, options, message) => {
  await expect(openPiton(options as object)).rejects.toThrow(message);
});

test('bad ids and definitions are refused before anything is written', async () => {
  const piton = await openPiton();
  const fine = workflow('fine').task('a', () => 1);
  await expect(piton.start(fine, { id: '../x' })).rejects.toMatchObject({ code: 'RUN_ID_INVALID' });
  const twice = workflow('twice')
    .task('a', () => 1)
    .task('a', () => 2);
  await expect(piton.start(twice, {})).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
  await expect(piton.start(fine, { inputs: { f: () => 1 } as never })).rejects.toMatchObject({
    code: 'NOT_SERIALISABLE',
  });
  await expect(piton.start(fine, { inputs: [1] as never })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await expect(piton.resume('a-run' as never, fine as never)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: expect.stringContaining('it is the text "a-run". Call piton.resume(workflow, id)'),
  });
  await expect(piton.resume(fine, undefined as never)).rejects.toMatchObject({ code: 'RUN_ID_INVALID' });
  await expect(piton.start({ tasks: {} } as never)).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  expect(await piton.runs()).toEqual([]);
});

test('a weaker checkpoint policy writes less, and a task can ask for more', async () => {
  const piton = await openPiton();
  const commits = async (
    checkpoint: 'every-task' | 'manual' | 'off' | { every: number },
    ask: boolean,
  ): Promise<number> => {
    const step = async (context: StepContext): Promise<void> => (ask ? context.checkpoint() : undefined);
    const flow = workflow('flow', { checkpoint })
      .task('a', () => 1)
      .task('b', { needs: ['a'] }, step)
      .task('c', { needs: ['b'] }, () => 1)
      .task('d', { needs: ['c'] }, () => 1);
    const run = await piton.start(flow, {});
    expect((await run.result()).status).toBe('succeeded');
    return (await piton.verify(run.id))[0]!.commits;
  };
  expect(await commits('every-task', false)).toBe(5);
  expect(await commits({ every: 2 }, false)).toBe(3);
  expect(await commits('manual', false)).toBe(2);
  expect(await commits('manual', true)).toBe(3);
  expect(await commits('off', true)).toBe(3);
  expect(await commits('off', false)).toBe(2);
});

test('a pause outlasts a retry that comes due meanwhile, without keeping the process busy', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  let attempts = 0;
  const flow = workflow('flow').task('a', { retry: { attempts: 2, backoff: '1s', jitter: 0 } }, () => {
    if (++attempts === 1) throw new Error('no');
    return attempts;
  });
  const run = await piton.start(flow, {});
  await eventually('it waits for its retry', async () => (await run.status()) === 'delayed');
  await run.pause();
  clock.advance(60_000);
  // A driver that spins never lets the event loop come round to this.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(attempts).toBe(1);
  await run.unpause();
  expect((await run.result()).outputs).toEqual({ a: 2 });
});

test('the id of a run belongs to one workflow', async () => {
  const piton = await openPiton();
  await (
    await piton.start(
      workflow('one').task('a', () => 1),
      { id: 'x' },
    )
  ).result();
  const other = workflow('other').task('a', () => 1);
  await expect(piton.start(other, { id: 'x' })).rejects.toMatchObject({ code: 'RUN_CHANGED' });
});

test('a checkpoint policy by time writes when the time has come', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const gate = latch<void>();
  const flow = workflow('flow', { checkpoint: { every: '10s' } })
    .task('a', () => 1)
    .task('b', { needs: ['a'] }, () => gate.opened);
  const run = await piton.start(flow, { id: 'r' });
  await eventually('a has ended', async () => (await run.checkpoint()).tasks['a']!.status === 'succeeded');
  expect((await piton.verify('r'))[0]!.commits).toBe(1);
  await eventually('it is written', async () => {
    clock.advance(10_000);
    return (await piton.verify('r'))[0]!.commits === 2;
  });
  gate.open();
  expect((await run.result()).status).toBe('succeeded');
});
