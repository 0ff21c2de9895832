/** When runs are written down, what observers are told of it, and what is left of a run that has succeeded. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/base/index.ts';
import {
  open,
  workflow,
  type CheckpointOption,
  type Observation,
  type Piton,
  type StepContext,
} from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Saved = Extract<Observation, { type: 'checkpoint.saved' }>;

/** As `cause task → next`, one for each commit. */
async function checkpointsOf(
  checkpoint: CheckpointOption,
  inside: (context: StepContext) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const saved: Saved[] = [];
  const observe = (observation: Observation): void => {
    if (observation.type === 'checkpoint.saved') saved.push(observation);
  };
  await using piton = await open({ store: 'memory:', observers: [observe] });
  const flow = workflow('flow', { checkpoint })
    .task('a', () => 1)
    .task('b', { needs: ['a'] }, async (context) => void (await inside(context)))
    .task('c', { needs: ['b'] }, () => 3)
    .command('d', { needs: ['c'] }, 'true')
    .task('e', { needs: ['d'] }, () => 5);
  await (await piton.start(flow)).result();
  expect(saved.map(({ seq }) => seq)).toEqual(saved.map((_, index) => index + 1));
  return saved.map(({ cause, task = '-', next }) => `${cause} ${task} → ${next.join()}`);
}

describe('a checkpoint tells why it was made, and what comes next', () => {
  test('at every transition', async () => {
    expect(await checkpointsOf('every-task')).toEqual([
      'forced - → a',
      'task a → b',
      'task b → c',
      'task c → d',
      'forced d → ',
      'task d → e',
      'task e → ',
    ]);
  });

  test('when two tasks have settled, and before a command', async () => {
    expect(await checkpointsOf({ every: 2 })).toEqual([
      'forced - → a',
      'task b → c',
      'forced d → d',
      'forced d → ',
      'task e → ',
    ]);
  });

  test('off: first and last, and what must be durable before and after a command starts', async () => {
    expect(await checkpointsOf('off')).toEqual([
      'forced - → a',
      'forced d → d',
      'forced d → ',
      'forced - → ',
    ]);
  });

  test('where a function asks for it, with what has settled until then', async () => {
    const asked = await checkpointsOf('manual', (context) => context.checkpoint());
    expect(asked.slice(0, 3)).toEqual(['forced - → a', 'manual b → b', 'forced d → d']);
  });

  test('at gates', async () => {
    const opened = await checkpointsOf('on-gates', (context) =>
      context.ask('Who?', { default: 'nobody', deadline: 1 }),
    );
    expect(opened.slice(0, 2)).toEqual(['forced - → a', 'gate b → b']);
  });

  test('when the time is up', async () => {
    const clock = manualClock();
    const saved: string[] = [];
    await using piton = await open({
      store: 'memory:',
      clock,
      observers: [
        (observation) => {
          if (observation.type === 'checkpoint.saved') saved.push(observation.cause);
        },
      ],
    });
    const waiting = Promise.withResolvers<void>();
    const flow = workflow('flow', { checkpoint: { every: '30s' } })
      .task('a', () => 1)
      .task('b', { needs: ['a'] }, () => waiting.promise);
    const run = await piton.start(flow);
    while ((await run.checkpoint()).tasks['b']?.status !== 'running') await Promise.resolve();
    expect(saved).toEqual(['forced']);
    clock.advance(29_999);
    await run.checkpoint();
    expect(saved).toEqual(['forced']);
    clock.advance(1);
    while (saved.length < 2) await run.checkpoint();
    expect(saved).toEqual(['forced', 'timer']);
    waiting.resolve();
    await run.result();
  });
});

describe('a run that is removed when it has succeeded', () => {
  const policy = { checkpoint: { preserve: 'remove-on-success' } } as const;
  const flow = (task: () => unknown) => workflow('flow', policy).task('a', task);

  async function idsIn(piton: Piton): Promise<string[]> {
    return (await piton.runs()).map(({ run }) => run).sort();
  }

  function inFile(): Promise<Piton> {
    return open({ store: `sqlite:${join(temporaryFolder(), 'piton.db')}`, durability: 'process' });
  }

  test.each(['memory', 'sqlite'])(
    'still tells its handle how it ended, whenever that is asked (%s)',
    async (kind) => {
      await using piton = kind === 'memory' ? await open({ store: 'memory:' }) : await inFile();
      const run = await piton.start(
        flow(() => 7),
        { id: 'one' },
      );
      expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { a: 7 } });
      expect(await idsIn(piton)).toEqual([]);
      expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { a: 7 } });
      expect((await run.checkpoint()).tasks['a']).toMatchObject({ status: 'succeeded', output: 7 });
      await expect(piton.find('one')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      await expect(run.checkpoint(1)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      expect(await piton.verify()).toEqual([]);
    },
  );

  test('stays if it has failed, or was cancelled', async () => {
    await using piton = await inFile();
    const failing = flow(() => {
      throw new Error('no');
    });
    expect(await (await piton.start(failing, { id: 'one' })).result()).toMatchObject({ status: 'failed' });
    expect(await idsIn(piton)).toEqual(['one']);
  });

  test('whoever waits elsewhere is told that it is gone, or how it ended', async () => {
    const store = `sqlite:${join(temporaryFolder(), 'piton.db')}`;
    await using piton = await open({ store, durability: 'process' });
    await using other = await open({ store, durability: 'process' });
    const waiting = Promise.withResolvers<void>();
    const run = await piton.start(
      flow(() => waiting.promise),
      { id: 'one' },
    );
    const elsewhere = (await other.find('one')).result().then(
      ({ status }) => status as string,
      (error: { code: string }) => error.code,
    );
    waiting.resolve();
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
    expect(['succeeded', 'RUN_REMOVED']).toContain(await elsewhere);
  });

  test('its id is free: the same id is another run', async () => {
    await using piton = await inFile();
    let times = 0;
    for (let index = 0; index < 2; index++)
      await (
        await piton.start(
          flow(() => ++times),
          { id: 'one' },
        )
      ).result();
    expect(times).toBe(2);
  });

  test('others of its workflow that are to be kept stay, and so do those of others', async () => {
    await using piton = await inFile();
    const kept = workflow('flow', { checkpoint: { preserve: true } }).task('a', () => 1);
    const other = workflow('other').task('a', () => 1);
    await (await piton.start(kept, { id: 'kept' })).result();
    await (await piton.start(other, { id: 'other' })).result();
    let isBroken = true;
    const held = flow(() => {
      if (isBroken) throw new Error('no');
    });
    await (await piton.start(held, { id: 'left' })).result();
    isBroken = false;
    // A second attempt of a run that had failed succeeds, and that one goes too.
    await (await piton.resume(held, 'left', { redo: ['a'] })).result();
    expect(await idsIn(piton)).toEqual(['kept', 'other']);
  });
});
