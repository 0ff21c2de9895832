import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { workflow, type Observation } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Ends every thread that is there, or begun, while `isDeadly`. */
function threads() {
  const seen = new Set<Worker>();
  const state = { isDeadly: false };
  const note = (worker: Worker): void => {
    seen.add(worker);
    if (state.isDeadly) void worker.terminate();
  };
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  return {
    get count() {
      return seen.size;
    },
    async end(): Promise<void> {
      state.isDeadly = true;
      await Promise.all(Array.from(seen, (worker) => worker.terminate()));
    },
    spare: () => void (state.isDeadly = false),
  };
}

/** A function, and a command that needs it. */
function flowOf(first: () => unknown) {
  return workflow('flow')
    .task('first', first)
    .command('second', { needs: ['first'] }, 'echo done');
}

async function scene(leaseMs: number) {
  const folder = temporaryFolder();
  const seen: Observation[] = [];
  const heart = threads();
  const piton = await openPiton({
    store: `sqlite:${join(folder, 'piton.db')}`,
    leaseMs,
    observers: [(observation) => void seen.push(observation)],
  });
  const held = latch();
  const run = await piton.start(
    flowOf(() => held.opened),
    { id: 'run', origin: { directory: folder } },
  );
  await eventually('a thread renews the lease', () => heart.count > 0);
  const has = (type: Observation['type'], task?: string): boolean =>
    seen.some(
      (event) => event.type === type && (task === undefined || ('task' in event && event.task === task)),
    );
  return { folder, seen, heart, piton, held, run, has };
}

test('a driver whose heartbeat has died starts nothing, says why, and goes on when it lives again', async () => {
  const { heart, held, run, has, seen } = await scene(60_000);
  await heart.end();
  await eventually('it is said', () => has('run.stalled'));
  expect(await run.status()).toBe('stalled');
  expect(seen.find(({ type }) => type === 'run.stalled')).toMatchObject({
    reason: expect.stringMatching(/thread that renews its lease has died .* nothing is started .*ulimit -n/),
  });

  held.open();
  await eventually('what had begun has ended', () => has('task.succeeded', 'first'));
  const threadsUntilNow = heart.count;
  await eventually('it is tried again to renew the lease', () => heart.count > threadsUntilNow + 1);
  expect(has('attempt.started', 'second')).toBe(false);

  heart.spare();
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { second: 'done' } });
});

test('a driver without a heartbeat keeps a lease that runs out, as long as nobody else wants it', async () => {
  const { heart, held, run, has, folder } = await scene(900);
  await heart.end();
  await eventually('it is said', () => has('run.stalled'));
  const other = await openPiton({ store: `sqlite:${join(folder, 'piton.db')}` });
  const first = (await other.driver('run'))!;
  await eventually('it is taken anew', async () => (await other.driver('run'))!.since > first.since);
  held.open();
  heart.spare();
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
});

test('a driver without a heartbeat notices that another has taken its run', async () => {
  const { heart, held, has, folder } = await scene(60_000);
  await heart.end();
  await eventually('it is said', () => has('run.stalled'));
  const other = await openPiton({ store: `sqlite:${join(folder, 'piton.db')}` });
  const taken = await other.resume(
    flowOf(() => 1),
    'run',
    { takeover: true },
  );
  await eventually('it lets go of the run', () => has('lease.lost'));
  heart.spare();
  held.open();
  expect(await taken.result()).toMatchObject({ status: 'succeeded' });
});

test('under a low limit of open files, nothing is started until there are some again', async () => {
  const program = startProgram('lack-heartbeat', { args: [temporaryFolder()], under: 'ulimit -n 64' });
  const lines: string[] = [];
  while (!lines.includes('first succeeded')) {
    const line = await program.nextLine();
    expect(line, `after ${lines.join('; ')}`).toBeDefined();
    lines.push(line!);
  }
  expect(lines).toEqual([
    'started task',
    'started first',
    expect.stringMatching(/^stalled: the thread that renews its lease has died/),
    'first succeeded',
  ]);

  program.child.stdin!.write('go\n');
  expect(await program.ended()).toEqual({
    lines: ['started second', '{"status":"succeeded","outputs":2}'],
    by: 0,
  });
});
