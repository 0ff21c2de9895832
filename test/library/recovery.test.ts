import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { open, registerStore, stateGraph, workflow, type Piton, type RunEvent } from '../../src/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { latch, openPiton, type Latch } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Two that share one store file, as two processes would. */
async function openTwo(): Promise<[Piton, Piton]> {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  return [
    await openPiton({ store, durability: 'process' }),
    await openPiton({ store, durability: 'process' }),
  ];
}

/** Its second task waits at the gate; everything that is executed is noted. */
function gated(): {
  flow: ReturnType<typeof makeFlow>;
  executed: string[];
  started: Promise<void>;
  gate: { open(): void };
} {
  const executed: string[] = [];
  const started = latch<void>();
  const gate = latch<void>();
  return {
    flow: makeFlow(executed, started, gate),
    executed,
    started: started.opened,
    gate: { open: () => gate.open() },
  };
}

function makeFlow(executed: string[], started: Latch, gate: Latch) {
  return workflow('flow')
    .task('a', () => void executed.push('a'))
    .task('b', { needs: ['a'] }, async ({ attempt, signal }) => {
      executed.push(`b${attempt}`);
      started.open();
      await Promise.race([
        gate.opened,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ]);
      return attempt;
    })
    .task('c', { needs: ['b'] }, () => void executed.push('c'));
}

test('a run that was let go of goes on where it was: what had settled is not done again', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const first = await open({ store });
  const { flow, executed, started, gate } = gated();
  const run = await first.start(flow, { id: 'r' });
  await started;
  const left = run.result().catch((error: unknown) => error);
  await first.close();
  expect(await left).toMatchObject({ code: 'RUN_STOPPED' });
  gate.open();
  const second = await openPiton({ store });
  expect(await (await second.find('r')).status()).toBe('interrupted');
  expect(await (await second.resume(flow, 'r')).result()).toMatchObject({
    status: 'succeeded',
    outputs: { b: 2 },
  });
  expect(executed).toEqual(['a', 'b1', 'b2', 'c']);
});

test('resuming a run that has ended gives its result at once and calls nothing', async () => {
  const piton = await openPiton();
  let calls = 0;
  const flow = workflow('flow').task('a', () => ++calls);
  await (await piton.start(flow, { id: 'r' })).result();
  expect((await (await piton.resume(flow, 'r')).result()).outputs).toEqual({ a: 1 });
  expect(calls).toBe(1);
});

test('a run that is not there gives RUN_NOT_FOUND', async () => {
  const piton = await openPiton();
  const flow = workflow('flow').task('a', () => 1);
  await expect(piton.resume(flow, 'r')).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
    details: { run: 'r' },
  });
  await expect(piton.find('r')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('a run that is driven elsewhere says by whom; starting its id again follows it', async () => {
  const [first, second] = await openTwo();
  const { flow, executed, started, gate } = gated();
  const run = await first.start(flow, { id: 'r' });
  await started;
  await expect(second.resume(flow, 'r')).rejects.toMatchObject({
    code: 'RUN_DRIVEN',
    details: { pid: process.pid },
  });
  const follower = await second.start(flow, { id: 'r' });
  const seen: RunEvent[] = [];
  const following = (async () => {
    for await (const event of follower.events()) seen.push(event);
  })();
  gate.open();
  expect((await follower.result()).status).toBe('succeeded');
  expect((await run.result()).status).toBe('succeeded');
  await following;
  expect(seen.at(-1)!.type).toBe('run.succeeded');
  expect(executed).toEqual(['a', 'b1', 'c']);
});

test('a driver whose run was taken over can neither commit nor start anything', async () => {
  const [first, second] = await openTwo();
  const { flow, executed, started, gate } = gated();
  const stale = await first.start(flow, { id: 'r' });
  await started;
  const lost = stale.result().catch((error: unknown) => error);
  const taken = await second.resume(flow, 'r', { takeover: true });
  gate.open();
  expect(await taken.result()).toMatchObject({ status: 'succeeded', outputs: { b: 2 } });
  expect(await lost).toMatchObject({ code: 'LEASE_LOST' });
  expect(executed).toEqual(['a', 'b1', 'b2', 'c']);
});

test('commands reach a run that another process drives', async () => {
  const [first, second] = await openTwo();
  const { flow, started } = gated();
  const run = await first.start(flow, { id: 'r' });
  await started;
  expect(await (await second.find('r')).cancel('from afar')).toMatchObject({ status: 'accepted' });
  expect((await run.result()).error!.message).toBe('from afar');
});

test('a command for a run that nobody drives waits for whoever resumes it', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const first = await open({ store });
  const { flow, executed, started, gate } = gated();
  await first.start(flow, { id: 'r' });
  await started;
  await first.close();
  gate.open();
  const second = await openPiton({ store });
  expect(await (await second.find('r')).cancel('no more')).toMatchObject({ status: 'queued' });
  expect(await (await second.resume(flow, 'r')).result()).toMatchObject({
    status: 'cancelled',
    error: { message: 'no more' },
  });
  expect(executed).toEqual(['a', 'b1']);
});

test('an interrupted task with on-interrupt ask is held until a person decides', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const started = latch<void>();
  let calls = 0;
  const flow = workflow('flow')
    .task('pay', { onInterrupt: 'ask' }, ({ signal }) => {
      started.open();
      if (++calls > 1) return calls;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    })
    .task('after', { needs: ['pay'], if: 'always' }, () => 'after');
  const first = await open({ store });
  await first.start(flow, { id: 'r' });
  await started.opened;
  await first.close();
  const second = await openPiton({ store });
  const run = await second.resume(flow, 'r');
  expect(await run.status()).toBe('held');
  expect((await run.checkpoint()).tasks['pay']!.reason).toContain('may have done its work');
  expect(await run.retry('after')).toMatchObject({
    status: 'refused',
    text: 'after is pending, not held, delayed or failed',
  });
  expect(await run.retry('pay')).toMatchObject({ status: 'accepted' });
  expect((await run.result()).outputs).toEqual({ pay: 2, after: 'after' });
});

test('a changed definition is refused until somebody says which counts; the stored one always can', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const first = await open({ store });
  const { flow, started, gate } = gated();
  await first.start(flow, { id: 'r' });
  await started;
  await first.close();
  gate.open();
  const second = await openPiton({ store });
  const settledChanged = workflow('flow')
    .task('a', { version: '2' }, () => 1)
    .task('b', { needs: ['a'] }, () => 1)
    .task('c', { needs: ['b'] }, () => 1);
  expect(await second.drift('r', settledChanged)).toMatchObject({
    drift: [{ task: 'a', field: 'version', after: '2', verdict: 'settled' }],
    mustChoose: false,
  });
  await expect(
    second.resume(
      workflow('other').task('a', () => 1),
      'r',
    ),
  ).rejects.toMatchObject({ code: 'RUN_CHANGED' });
  const later = flow.task('d', { needs: ['c'] }, () => 'new');
  await expect(second.resume(later, 'r')).rejects.toMatchObject({
    code: 'RUN_CHANGED',
    details: { drift: [{ task: 'd', change: 'added', verdict: 'applies' }] },
    remedy: expect.stringContaining('keepDefinition') as string,
  });
  await expect(second.resume(later, 'r', { acceptDrift: true, keepDefinition: true })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
  });
  const run = await second.resume(later, 'r', { keepDefinition: true });
  expect((await run.result()).outputs).toEqual({ a: null, b: 2, c: null });
});

test('with acceptDrift the new definition of what has not begun is used', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const first = await open({ store });
  const { flow, started, gate } = gated();
  await first.start(flow, { id: 'r' });
  await started;
  await first.close();
  gate.open();
  const second = await openPiton({ store });
  const later = flow.task('d', { needs: ['c'] }, () => 'new');
  const run = await second.resume(later, 'r', { acceptDrift: true });
  expect((await run.result()).outputs).toEqual({ a: null, b: 2, c: null, d: 'new' });
  expect((await second.findRecord()).workflowHash).toBe(later.workflow.hash);
});

const counting = stateGraph<{ n: number }>('counting', { maxSteps: 1e6, state: { n: 0 } })
  .node('a', ({ n }) => ({ n: n + 1 }))
  .edge('a', 'end', ({ n }) => n >= 2100)
  .edge('a', 'a');

test('a long journal is folded from a snapshot, and a snapshot that was tampered with is not believed', async () => {
  const file = `${temporaryFolder()}/state.db`;
  const first = await open({ store: `sqlite:${file}`, durability: 'process' });
  await (await first.start(counting, { id: 'r' })).result();
  await first.close();
  const database = new DatabaseSync(file);
  const { count } = database.prepare('SELECT count(*) AS count FROM snapshots').get() as { count: number };
  expect(count).toBe(2);
  const second = await open({ store: `sqlite:${file}` });
  expect((await (await second.find('r')).checkpoint(2050)).state).toEqual({ n: 2049 });
  await second.close();
  database.exec(`UPDATE snapshots SET text = replace(text, '"n":', '"n":1')`);
  database.close();
  const third = await openPiton({ store: `sqlite:${file}` });
  expect((await (await third.find('r')).result()).state).toEqual({ n: 2100 });
  expect((await (await third.find('r')).checkpoint(2050)).state).toEqual({ n: 2049 });
});

test('what lists show can be folded anew from the journals', async () => {
  const file = `${temporaryFolder()}/state.db`;
  const first = await open({ store: `sqlite:${file}` });
  const flow = workflow('flow').task('a', () => 1);
  await (await first.start(flow, { id: 'r' })).result();
  const before = await first.findRecord();
  await first.close();
  const database = new DatabaseSync(file);
  database.exec(`UPDATE runs SET status = 'running'; UPDATE commits SET settled = 0`);
  database.close();
  const second = await openPiton({ store: `sqlite:${file}` });
  await second.rebuildSummaries();
  expect(await second.findRecord()).toEqual(before);
});

test("a user's own store can be registered by its scheme", async () => {
  const opened: string[] = [];
  registerStore('mine', (url, options) => {
    opened.push(url);
    return openMemoryStore('memory:', options);
  });
  const piton = await openPiton({ store: 'mine:somewhere' });
  expect(
    (
      await (
        await piton.start(
          workflow('w').task('a', () => 1),
          {},
        )
      ).result()
    ).outputs,
  ).toEqual({ a: 1 });
  expect(opened).toEqual(['mine:somewhere']);
});

test('work that ends while Piton closes is written down, and nothing more is started', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const piton = await open({ store });
  const [started, aborted, executed] = [latch<void>(), latch<void>(), [] as string[]];
  const flow = workflow('flow')
    .task('a', async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.open());
      started.open();
      await aborted.opened;
      return 'finished all the same';
    })
    .task('b', { needs: ['a'] }, () => void executed.push('b'));
  await piton.start(flow, { id: 'r' });
  await started.opened;
  await piton.close();
  const second = await openPiton({ store });
  const { tasks } = await (await second.find('r')).checkpoint();
  expect(tasks).toMatchObject({
    a: { status: 'succeeded', output: 'finished all the same' },
    b: { status: 'queued' },
  });
  expect(executed).toEqual([]);
});

test('going on supersedes a pause that was asked for before, attaching does not', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const first = await open({ store });
  const { flow, started, gate } = gated();
  await first.start(flow, { id: 'r' });
  await started;
  await first.close();
  gate.open();
  const second = await open({ store });
  expect(await (await second.find('r')).pause('queued')).toMatchObject({ status: 'queued' });
  expect(await (await second.start(flow, { id: 'r' })).status()).toBe('paused');
  await second.close();
  const third = await openPiton({ store });
  expect(await (await third.find('r')).status()).toBe('paused');
  expect((await (await third.resume(flow, 'r')).result()).status).toBe('succeeded');
});
