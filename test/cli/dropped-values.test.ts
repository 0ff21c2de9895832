import { once } from 'node:events';
import { expect, test } from 'vitest';
import { stateGraph, workflow, type Definition } from '../../src/index.ts';
import { newProject, type Project } from './command-line.ts';

const big = 'x'.repeat(20_000);
const forgetful = { checkpoint: { preserve: false } } as const;

/** What it has kept aside is gone after its success. */
async function forget(project: Project, flow: Definition, options: object = {}): Promise<void> {
  await project.withStore(
    async (piton) => void (await (await piton.start(flow, { id: 'r', ...options })).result()),
  );
  const events = await project.withStore(async (piton) =>
    Array.fromAsync((await piton.find('r')).history({ transcripts: true })),
  );
  expect(events.some(({ dropped }) => dropped !== undefined)).toBe(true);
}

let tries = 0;

const flows: Record<string, () => [Definition, object?]> = {
  items: () => [
    workflow('items', forgetful).task(
      'each',
      { forEach: { in: () => [big, `${big}y`], key: (word) => `k${word.length}` } },
      ({ item }) => item.length,
    ) as never,
  ],
  state: () => [
    stateGraph<{ text: string; list: string[] }>('state', { maxSteps: 10, ...forgetful })
      .node('write', async () => ({ text: big }))
      .node('add', async (state) => ({ list: [...state.list, state.text] }))
      .edge('write', 'add')
      .edge('add', 'end') as never,
    { state: { text: '', list: [] } },
  ],
  failures: () => [
    workflow('failures', forgetful).task('a', { retry: { attempts: 2, backoff: '1ms' } }, () => {
      if (tries++ === 0) throw new Error(big);
      return big;
    }) as never,
  ],
  inputs: () => [
    workflow<{ text: string }>('inputs', forgetful).task('a', ({ inputs }) => inputs.text.length) as never,
    { inputs: { text: big } },
  ],
};

const told: Record<string, string> = {
  items: '✓ each[k20001]',
  state: '✓ add#1',
  failures: '✓ a',
  inputs: '✓ a',
};

test.each(Object.keys(flows))('a run without its big values is told of: %s', async (name) => {
  const project = newProject();
  const [flow, options] = flows[name]!();
  await forget(project, flow, options);
  const history = await project.piton(['history', 'r']);
  expect(history).toMatchObject({ code: 0, stderr: '' });
  expect(history.stdout).toContain('run succeeded');
  expect(history.stdout).not.toContain('undefined');
  expect(history.stdout).toContain(told[name]);
  expect(await project.piton(['attach', 'r'])).toMatchObject({ code: 0, stderr: '' });
  expect(await project.piton(['attach', 'r', '--json'])).toMatchObject({ code: 0, stderr: '' });
  await project.withStore(async (piton) => {
    const run = await piton.find('r');
    expect((await run.attempts()).length).toBeGreaterThan(0);
    expect(await run.timeline()).toBeDefined();
  });
});

test('a run that went on with another definition keeps that too', async () => {
  const project = newProject();
  const begun = Promise.withResolvers<void>();
  let isSecond = false;
  const earlier = workflow('flow', forgetful).task('a', async ({ signal }) => {
    begun.resolve();
    if (isSecond) return;
    await once(signal, 'abort');
    signal.throwIfAborted();
  });
  const later = earlier.task('b', { needs: ['a'] }, () => big).task('c', { needs: ['b'] }, () => 1);
  await project.withStore(async (piton) => {
    await piton.start(earlier, { id: 'r' });
    await begun.promise;
  });
  isSecond = true;
  await project.withStore(
    async (piton) => void (await (await piton.resume(later, 'r', { acceptDrift: true })).result()),
  );
  const history = await project.piton(['history', 'r']);
  expect(history).toMatchObject({ code: 0, stderr: '' });
  expect(history.stdout).toContain('✓ c');
  expect(history.stdout).toContain('goes on with the changed definition');
});
