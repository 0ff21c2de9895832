import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  chain,
  manualClock,
  open,
  route,
  stateGraph,
  workflow,
  type OpenOptions,
  type Piton,
} from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function openTwo(options: Partial<OpenOptions> = {}): Promise<[Piton, Piton]> {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const both = { store, durability: 'process', ...options } as const;
  return [await openPiton(both), await openPiton(both)];
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

test.each(['manual', 'off', { every: 100 }] as const)(
  'with the checkpoint policy %o, a driver whose run was taken over starts nothing more',
  async (checkpoint) => {
    const [first, second] = await openTwo();
    const executed: string[] = [];
    const [reached, gate] = [latch<void>(), latch<void>()];
    const flow = (name: string) =>
      workflow('flow', { checkpoint })
        .task('a', () => void executed.push(`${name}:a`))
        .task('b', { needs: ['a'] }, async () => {
          executed.push(`${name}:b`);
          reached.open();
          await gate.opened;
        })
        .task('c', { needs: ['b'] }, () => void executed.push(`${name}:c`));
    const stale = await first.start(flow('first'), { id: 'r' });
    await reached.opened;
    const lost = stale.result().catch((error: unknown) => error);
    const taken = await second.resume(flow('second'), 'r', { takeover: true });
    gate.open();
    expect((await taken.result()).status).toBe('succeeded');
    expect(await lost).toMatchObject({ code: 'LEASE_LOST' });
    expect(executed).not.toContain('first:c');
  },
);

test('a task that must be asked about is written down before it starts, whatever the checkpoint policy', async () => {
  const [first, second] = await openTwo();
  const started = latch<void>();
  const flow = workflow('flow', { checkpoint: { every: 10 } }).task(
    'pay',
    { onInterrupt: 'ask' },
    async ({ signal }) => {
      started.open();
      await untilAborted(signal);
    },
  );
  await first.start(flow, { id: 'r' });
  await started.opened;
  const run = await second.resume(flow, 'r', { takeover: true });
  expect((await run.checkpoint()).tasks['pay']).toMatchObject({ status: 'held', attempts: 1 });
});

test('two who resume a run at once in one process get the same driver, and closing stops it', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const started = [latch<void>(), latch<void>()];
  let aborted = 0;
  const flow = workflow('flow').task('a', async ({ signal, attempt }) => {
    started[attempt - 1]!.open();
    await untilAborted(signal).finally(() => aborted++);
  });
  const first = await open({ store });
  await first.start(flow, { id: 'r' });
  await started[0]!.opened;
  await first.close();
  const second = await open({ store });
  const [one] = await Promise.all([
    second.resume(flow, 'r'),
    second.resume(flow, 'r'),
    second.start(flow, { id: 'r' }),
  ]);
  await started[1]!.opened;
  expect(await one.pause()).toMatchObject({ status: 'accepted' });
  await second.close();
  expect(aborted).toBe(2);
});

test('nothing is started while Piton closes', async () => {
  const piton = await open({ store: `sqlite:${temporaryFolder()}/state.db` });
  const flow = workflow('flow').task('a', () => 1);
  const closing = piton.close();
  await expect(piton.start(flow, { id: 'late' })).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  await closing;
});

test.each(['manual', 'off', 'on-gates', { every: 10 }] as const)(
  'closing ends with the checkpoint policy %o',
  async (checkpoint) => {
    const piton = await open({ store: 'memory:' });
    const started = latch<void>();
    const flow = workflow('flow', { checkpoint })
      .task('a', () => 1)
      .task('b', { needs: ['a'] }, async ({ signal }) => {
        started.open();
        await untilAborted(signal);
      });
    const run = await piton.start(flow, {});
    await started.opened;
    const left = run.result().catch((error: unknown) => error);
    await piton.close();
    expect(await left).toMatchObject({ code: 'RUN_STOPPED' });
  },
);

test('a function that does not stop when Piton closes is held, not started beside itself', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const [started, end] = [latch<void>(), latch<void>()];
  let running = 0;
  let most = 0;
  const flow = workflow('flow').task('deaf', async () => {
    most = Math.max(most, ++running);
    started.open();
    await end.opened;
    running--;
  });
  const first = await open({ store, graceMs: 0 });
  await first.start(flow, { id: 'r' });
  await started.opened;
  await first.close();
  const second = await openPiton({ store });
  const run = await second.resume(flow, 'r');
  expect((await run.checkpoint()).tasks['deaf']).toMatchObject({ status: 'held' });
  end.open();
  await eventually('it has stopped', () => running === 0);
  await run.retry('deaf');
  expect((await run.result()).status).toBe('succeeded');
  expect(most).toBe(1);
});

test('a run whose stored definition calls what is not there any more is refused, not failed', async () => {
  const [first, second] = await openTwo();
  const started = latch<void>();
  const begun = workflow('flow').task('a', async ({ signal, attempt }) => {
    started.open();
    if (attempt === 1) await untilAborted(signal);
  });
  await first.start(
    begun.task('old', { needs: ['a'] }, () => 'old'),
    { id: 'r' },
  );
  await started.opened;
  const renamed = begun.task('new', { needs: ['a'] }, () => 'new');
  await expect(second.resume(renamed, 'r', { takeover: true, keepDefinition: true })).rejects.toMatchObject({
    code: 'RUN_CHANGED',
    message: expect.stringContaining('it calls functions that are not there any more: old') as string,
  });
  const run = await second.resume(renamed, 'r', { takeover: true, acceptDrift: true });
  expect((await run.result()).outputs).toEqual({ a: null, new: 'new' });
});

test('a state can be looked at while the run ends', async () => {
  const piton = await openPiton();
  const seen: Promise<unknown>[] = [];
  const flow = workflow('flow', { checkpoint: { preserve: false } }).task('a', () => 1);
  piton.observe((event) => {
    if (event.type === 'run.succeeded') seen.push(piton.find(event.run).then((run) => run.checkpoint()));
  });
  await (await piton.start(flow, {})).result();
  expect(await Promise.all(seen)).toMatchObject([{ status: 'succeeded' }]);
});

test('the result of a run that nobody drives is not waited for', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const first = await open({ store });
  const started = latch<void>();
  const flow = workflow('flow').task('a', async ({ signal }) => {
    started.open();
    await untilAborted(signal);
  });
  await first.start(flow, { id: 'r' });
  await started.opened;
  await first.close();
  const second = await openPiton({ store });
  const left = await second.find('r');
  await expect(left.result()).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
  const events: string[] = [];
  for await (const event of left.events()) events.push(event.type);
  expect(events.at(-1)).toBe('attempt.ended');
});

test('a store that stays locked for longer than the lease stalls the run, which then goes on', async () => {
  const file = `${temporaryFolder()}/state.db`;
  const piton = await openPiton({ store: `sqlite:${file}?patience=50`, leaseMs: 300, durability: 'process' });
  const [reached, gate] = [latch<void>(), latch<void>()];
  const flow = workflow('flow')
    .task('a', () => (reached.open(), gate.opened))
    .task('b', { needs: ['a'] }, () => 'done');
  const run = await piton.start(flow, {});
  await reached.opened;
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const stalled = latch<void>();
  piton.observe((event) => event.type === 'run.stalled' && stalled.open());
  gate.open();
  await stalled.opened;
  expect(await run.status()).toBe('stalled');
  const { expires_at: expiresAt } = other.prepare('SELECT expires_at FROM leases').get() as {
    expires_at: number;
  };
  await eventually('the lease has run out', () => Date.now() > expiresAt);
  other.exec('ROLLBACK');
  other.close();
  expect((await run.result()).outputs).toEqual({ a: null, b: 'done' });
});

test('too little room at the start stalls the run and says so', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db?min-free=${Number.MAX_SAFE_INTEGER}`;
  const stalled = latch<string>();
  const piton = await openPiton({
    store,
    observers: [(event) => event.type === 'run.stalled' && stalled.open(event.reason)],
  });
  const run = await piton.start(
    workflow('flow').task('a', () => 1),
    {},
  );
  expect(await stalled.opened).toContain('too little room');
  expect(await run.status()).toBe('stalled');
});

test('a task is timed from when it starts, not from when it was planned', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const started = latch<void>();
  const flow = workflow('flow').task('a', { timeout: '1m' }, async ({ signal }) => {
    started.open();
    await untilAborted(signal);
  });
  const starting = piton.start(flow, {});
  clock.advance(30_000);
  const run = await starting;
  await started.opened;
  clock.advance(59_999);
  expect((await run.checkpoint()).tasks['a']!.status).toBe('running');
  clock.advance(1);
  expect((await run.result()).status).toBe('failed');
});

test('null is an output like any other', async () => {
  const piton = await openPiton();
  const nothing = workflow('w')
    .task('a', () => 1)
    .outputs(() => null);
  expect((await (await piton.start(nothing, {})).result()).outputs).toBeNull();
  const way = route<{ n: number }, void>('r', [], () => {});
  expect((await (await piton.start(way, { inputs: { n: 1 } })).result()).outputs).toBeNull();
  const last = chain<number, number | null>('c', () => null);
  expect(
    (await (await piton.start(last, { inputs: { items: [1], initial: 0 } })).result()).outputs,
  ).toBeNull();
});

test.each([-1, 0, 1.5, 999])('there is no checkpoint %d', async (seq) => {
  const piton = await openPiton();
  const run = await piton.start(
    workflow('w').task('a', () => 1),
    {},
  );
  await run.result();
  await expect(run.checkpoint(seq)).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
});

test.each(['run.created', 'attempt.started'] as const)(
  'an observer of %s may close Piton, and nothing is started then',
  async (type) => {
    const piton = await open({ store: 'memory:', graceMs: 60_000 });
    const [closed, started] = [latch<Promise<void>>(), [] as string[]];
    piton.observe((event) => event.type === type && closed.open(piton.close()));
    const flow = workflow('flow').task('a', ({ signal }) => (started.push('a'), untilAborted(signal)));
    const run = await piton.start(flow, {});
    const left = run.result().catch((error: unknown) => error);
    await closed.opened;
    expect(await left).toMatchObject({ code: expect.stringMatching(/RUN_STOPPED|STORE_CLOSED/) as string });
    expect(started).toEqual([]);
  },
);

test('Piton closes at any moment of a chain of quick steps', async () => {
  let built = workflow('quick') as ReturnType<typeof workflow>;
  for (let index = 0; index < 50; index++) {
    const needs = index === 0 ? [] : [`t${index - 1}`];
    built = built.task(`t${index}`, { needs: needs as never[] }, async () => index) as never;
  }
  for (let turns = 0; turns < 20; turns++) {
    const piton = await open({ store: 'memory:', graceMs: 60_000 });
    await piton.start(built, {});
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    await expect(piton.close()).resolves.toBeUndefined();
  }
});

test('what happens to one who resumes a run does not reach others who look at it', async () => {
  const [first, second] = await openTwo();
  const [started, end] = [latch<void>(), latch<void>()];
  const flow = workflow('flow').task('a', () => (started.open(), end.opened));
  await first.start(flow, { id: 'r' });
  await started.opened;
  const run = await second.find('r');
  const refused = second.resume(flow, 'r').catch((error: unknown) => error);
  expect(await run.status()).toBe('running');
  const result = run.result();
  expect(await refused).toMatchObject({ code: 'RUN_DRIVEN' });
  end.open();
  expect((await result).status).toBe('succeeded');
});

test('starting a run beside a resume that finds none makes it all the same', async () => {
  const piton = await openPiton();
  const flow = workflow('flow').task('a', () => 1);
  const missing = piton.resume(flow, 'r').catch((error: unknown) => error);
  const run = await piton.start(flow, { id: 'r' });
  expect(await missing).toMatchObject({ code: 'RUN_NOT_FOUND' });
  expect((await run.result()).outputs).toEqual({ a: 1 });
});

test('resuming a paused run that is driven here ends the pause', async () => {
  const piton = await openPiton();
  const [started, end] = [latch<void>(), latch<void>()];
  const flow = workflow('flow')
    .task('a', () => (started.open(), end.opened))
    .task('b', { needs: ['a'] }, () => 2);
  const run = await piton.start(flow, { id: 'r' });
  await started.opened;
  await run.pause();
  end.open();
  expect((await (await piton.resume(flow, 'r')).result()).outputs).toEqual({ a: null, b: 2 });
});

test('a lease that could not be released is not renewed either', async () => {
  const file = `${temporaryFolder()}/state.db`;
  const store = `sqlite:${file}?patience=50`;
  const [first, second] = [await open({ store }), await openPiton({ store, leaseMs: 300 })];
  const started = latch<void>();
  const flow = workflow('flow').task('a', ({ signal, attempt }) => {
    started.open();
    return attempt === 1 ? untilAborted(signal) : attempt;
  });
  await first.start(flow, { id: 'r' });
  await started.opened;
  await first.close();
  const other = new DatabaseSync(file);
  const changed = workflow('flow').task('a', { version: '2' }, () => 1);
  second.observe((event) => event.type === 'checkpoint.loaded' && other.exec('BEGIN IMMEDIATE'));
  await expect(second.resume(changed, 'r')).rejects.toMatchObject({ code: 'RUN_CHANGED' });
  other.exec('ROLLBACK');
  other.close();
  const third = await openPiton({ store });
  const run = latch<Awaited<ReturnType<typeof third.resume<object, { a: unknown }, undefined>>>>();
  await eventually('the lease has run out', async () => {
    const resumed = await third.resume(flow, 'r').catch(() => undefined);
    if (resumed !== undefined) run.open(resumed);
    return resumed !== undefined;
  });
  expect((await (await run.opened).result()).outputs).toEqual({ a: 2 });
});

test('a value that is missing though nothing was to be dropped is damage', async () => {
  const file = `${temporaryFolder()}/state.db`;
  const piton = await openPiton({ store: `sqlite:${file}` });
  const flow = workflow('flow').task('a', () => 'x'.repeat(20_000));
  await (await piton.start(flow, { id: 'r' })).result();
  const database = new DatabaseSync(file);
  database.exec(`DELETE FROM blobs WHERE length(text) BETWEEN 20000 AND 20010`);
  database.close();
  expect(await piton.verify('r')).toMatchObject([{ ok: false, firstBad: 2 }]);
});

test('observers are told the state of each node, also where several end in one commit', async () => {
  const heard: unknown[] = [];
  const piton = await openPiton({
    observers: [(event) => event.type === 'node.left' && heard.push([event.before, event.after])],
  });
  const nothing = workflow('nothing')
    .task('never', { if: () => false }, () => 1)
    .outputs(() => null);
  const graph = stateGraph<{ n: number }>('g', { state: { n: 0 } })
    .node('a', nothing, { update: (_, { n }) => ({ n: n + 1 }) })
    .node('b', nothing, { update: (_, { n }) => ({ n: n + 10 }) })
    .edge('a', 'b')
    .edge('b', 'end');
  await (await piton.start(graph, {})).result();
  expect(heard).toEqual([
    [{ n: 0 }, { n: 1 }],
    [{ n: 1 }, { n: 11 }],
  ]);
});
