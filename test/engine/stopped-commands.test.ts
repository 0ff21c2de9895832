import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow, open, workflow, type Piton } from '../../src/index.ts';
import { executionsOf, writeFlow } from '../support/commands.ts';
import { eventually } from '../support/eventually.ts';
import { latch } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Ends with this code when it is asked to stop, and not before. */
const whenAsked = (code: number): string =>
  `trap 'echo "asked"; exit ${code}' TERM\ntouch begun\nwhile :; do sleep 0.02; done`;

interface Place {
  readonly folder: string;
  open(): Promise<Piton>;
  /** Starts or resumes the run. */
  drive(piton: Piton): ReturnType<Piton['resume']>;
}

function place(text: string, onInterrupt: 'restart' | 'ask' = 'restart'): Place {
  const folder = temporaryFolder();
  writeFlow(folder, [{ name: 'task', text, onInterrupt }]);
  return {
    folder,
    open: () => open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process', graceMs: 60_000 }),
    drive: async (piton) =>
      piton.start(await loadWorkflow(join(folder, 'flow.yaml')), { id: 'r', origin: { directory: folder } }),
  };
}

async function begun({ folder }: Place): Promise<void> {
  await eventually('the command begins', () => existsSync(join(folder, 'begun')));
}

test('a command that ended well after it was asked to stop is finished work: it is not done again', async () => {
  const here = place(whenAsked(0));
  const first = await here.open();
  await here.drive(first);
  await begun(here);
  await first.close();

  await using second = await here.open();
  expect((await (await second.find('r')).checkpoint()).tasks['task']).toMatchObject({
    status: 'succeeded',
    attempts: 1,
  });
  expect(await (await here.drive(second)).result()).toMatchObject({
    status: 'succeeded',
    outputs: { task: 'asked' },
  });
  expect(executionsOf(here.folder)).toEqual({ task: 1 });
});

test('a command that ended otherwise after it was asked to stop has not failed: it is done again', async () => {
  const here = place(whenAsked(3));
  const first = await here.open();
  await here.drive(first);
  await begun(here);
  await first.close();

  await using second = await here.open();
  expect((await (await second.find('r')).checkpoint()).tasks['task']!.status).not.toBe('failed');
  writeFileSync(join(here.folder, 'begun'), '');
  const run = await here.drive(second);
  await eventually('it runs again', () => executionsOf(here.folder)['task'] === 2);
  await run.cancel();
  expect(await run.result()).toMatchObject({ status: 'cancelled' });
});

test('a command that is cancelled, and ended well all the same, has succeeded', async () => {
  const here = place(whenAsked(0), 'ask');
  await using piton = await here.open();
  const run = await here.drive(piton);
  await begun(here);
  await run.cancel('enough');
  await run.result();
  expect((await run.checkpoint()).tasks['task']).toMatchObject({ status: 'succeeded', output: 'asked' });
});

test('a command that must not be interrupted is waited for when Piton closes', async () => {
  const folder = temporaryFolder();
  const store = `sqlite:${join(folder, 'piton.db')}`;
  const first = await open({ store, durability: 'process', graceMs: 60_000 });
  const asked = latch();
  const text = 'touch begun; while [ ! -e go ]; do sleep 0.02; done; echo done';
  const flow = workflow('flow')
    .command('pay', { onInterrupt: 'ask' }, text)
    .task('beside', ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', resolve)).then(() => asked.open()),
    );
  await first.start(flow, { id: 'r', origin: { directory: folder } } as never);
  await begun({ folder } as Place);
  const closing = first.close();
  await asked.opened;
  const attempts = readdirSync(join(folder, 'spool')).filter((name) => !name.startsWith('.'));
  const notes = attempts.map((attempt) => join(folder, 'spool', attempt, 'stopping'));
  expect(notes.map((note) => existsSync(note))).toEqual([false]);
  writeFileSync(join(folder, 'go'), '');
  await closing;

  await using second = await open({ store });
  const { tasks } = await (await second.find('r')).checkpoint();
  expect(tasks['pay']).toMatchObject({ status: 'succeeded', output: 'done' });
});
