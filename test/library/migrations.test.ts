/** A parked run meets a newer version of its workflow: its data is migrated once, and it goes on with that. */
import { expect, test } from 'vitest';
import { stateGraph, workflow, type Definition, type Piton, type PitonError } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts a run that comes to wait for a person, and leaves it to another process. */
async function parked(definition: Definition, options: object = {}): Promise<Piton> {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const piton = await openPiton({ store, durability: 'process' });
  const run = await piton.start(definition, { id: 'r', ...options } as never);
  await eventually('it waits for a person', async () => (await run.checkpoint()).status === 'held');
  await piton.close();
  return openPiton({ store, durability: 'process' });
}

async function finish(piton: Piton, definition: Definition, gate: string): Promise<unknown> {
  const run = await piton.resume(definition, 'r');
  await run.approve(gate);
  const result = await run.result();
  return result.status === 'succeeded' ? result.outputs : result;
}

const eventsOf = async (piton: Piton) => Array.fromAsync((await piton.find('r')).history());
const acceptedIn = async (piton: Piton) =>
  (await eventsOf(piton)).filter(({ type }) => type === 'drift.accepted');

interface Old {
  text: string;
}
interface New {
  draft: string;
  words: number;
}

const old = stateGraph<Old>('refine', { state: { text: '' } })
  .node('write', () => ({ text: 'one two' }))
  .node('judge', () => ({}), { approval: 'Good?' })
  .edge('write', 'judge')
  .edge('judge', 'end');

const start = () =>
  stateGraph<New>('refine', { version: 2, state: { draft: '', words: 0 } })
    .node('write', () => ({ draft: '' }))
    .node('judge', (state) => ({ words: state.words + 100 }), { approval: 'Good?' })
    .edge('write', 'judge')
    .edge('judge', 'end');

test('the state of a graph is migrated once, journalled, and the run ends with the new definition', async () => {
  let calls = 0;
  const newer = start().migrate(2, {
    state: ({ text }: Old) => ({ draft: text, words: text.split(' ').length + 10 * calls++ }),
  });
  const piton = await parked(old);
  expect(await finish(piton, newer, 'judge#1')).toEqual({ draft: 'one two', words: 102 });
  expect(calls).toBe(1);
  expect(await acceptedIn(piton)).toMatchObject([
    { data: { migrated: [{ scope: '', from: 1, to: 2, state: { draft: 'one two', words: 2 } }] } },
  ]);
  // It is of the new version now: nothing is left to be migrated.
  expect(await piton.drift('r', newer)).toEqual({ drift: [], mustChoose: false, canAccept: true });
});

test('what it would give is shown, and changes nothing', async () => {
  const newer = start().migrate(2, { state: ({ text }: Old) => ({ draft: text, words: 2 }) });
  const piton = await parked(old);
  expect(await piton.drift('r', newer)).toMatchObject({
    mustChoose: false,
    canAccept: true,
    migration: { from: 1, to: 2 },
    migrated: {
      changes: [
        { field: 'state.text', before: 'one two' },
        { field: 'state.draft', after: 'one two' },
        { field: 'state.words', after: 2 },
      ],
    },
  });
  expect((await (await piton.find('r')).checkpoint()).state).toEqual({ text: 'one two' });
  expect(await acceptedIn(piton)).toEqual([]);
});

test('steps are taken in order, each from what the one before left', async () => {
  const newer = stateGraph<New>('refine', { version: 4, state: { draft: '', words: 0 } })
    .node('write', () => ({ draft: '' }))
    .node('judge', () => ({}), { approval: 'Good?' })
    .edge('write', 'judge')
    .edge('judge', 'end')
    .migrate(4, { state: (state: New) => ({ ...state, words: state.words * 2 }) })
    .migrate(2, { state: ({ text }: Old) => ({ draft: text, words: 4 }) })
    .migrate(3, {});
  expect(await finish(await parked(old), newer, 'judge#1')).toEqual({ draft: 'one two', words: 8 });
});

test('whoever attaches to it by its id has it migrated, too; whoever keeps its definition does not', async () => {
  const newer = start().migrate(2, { state: ({ text }: Old) => ({ draft: text, words: 2 }) });
  const kept = await parked(old);
  const run = await kept.resume(newer, 'r', { keepDefinition: true });
  expect((await run.checkpoint()).state).toEqual({ text: 'one two' });
  const attached = await parked(old);
  const again = await attached.start(newer, { id: 'r' });
  expect((await again.checkpoint()).state).toEqual({ draft: 'one two', words: 2 });
});

const oldBuild = workflow<{ name: string }>('build')
  .task('parts', () => ['a', 'b'])
  .task('make', { needs: ['parts'], forEach: { in: ({ needs }) => needs.parts } }, ({ item }) => item)
  .task('ship', { needs: ['make'], approval: 'Ship?' }, ({ inputs }) => inputs.name);

const newBuild = (ship: (given: { readonly title: string; readonly made: unknown }) => unknown) =>
  workflow<{ title: string }>('build', { version: 2 })
    .task('parts', () => ['a', 'b'])
    .task('make', { needs: ['parts'], forEach: { in: ({ needs }) => needs.parts } }, ({ item }) => ({
      file: item,
    }))
    .task('ship', { needs: ['make'], approval: 'Ship?' }, ({ inputs, needs }) =>
      ship({ title: inputs.title, made: needs.make }),
    );

test('inputs, and the outputs of every item of a for-each, are migrated', async () => {
  const seen: unknown[] = [];
  const newer = newBuild((given) => void seen.push(given)).migrate(2, {
    inputs: ({ name }: { name: string }) => ({ title: name.toUpperCase() }),
    outputs: { make: (file: string) => ({ file }) },
  });
  const piton = await parked(oldBuild, { inputs: { name: 'x' } });
  await finish(piton, newer, 'ship');
  expect(seen).toEqual([{ title: 'X', made: [{ file: 'a' }, { file: 'b' }] }]);
  const { tasks } = await (await piton.find('r')).checkpoint();
  expect(tasks['make[a]']).toMatchObject({ output: { file: 'a' } });
});

test('a child workflow that is under way is migrated by its own migrations', async () => {
  const outer = (child: Definition<{ n: number }, unknown, undefined>): Definition<object> =>
    workflow('outer').task('inner', { with: () => ({ n: 1 }) }, child);
  const child = workflow<{ n: number }>('child').task('gate', { approval: 'Go?' }, ({ inputs }) => inputs.n);
  const newer = workflow<{ n: number; m: number }>('child', { version: 2 })
    .task('gate', { approval: 'Go?' }, ({ inputs }) => inputs.n + inputs.m)
    .migrate(2, { inputs: ({ n }: { n: number }) => ({ n, m: 41 }) });
  const piton = await parked(outer(child));
  const next = outer(newer as unknown as typeof child);
  // The workflow around it does not say that it migrates anything: somebody has to choose.
  await expect(piton.resume(next, 'r')).rejects.toMatchObject({ code: 'RUN_CHANGED' });
  const run = await piton.resume(next, 'r', { acceptDrift: true });
  await run.approve('inner.gate');
  expect(await run.result()).toMatchObject({ outputs: { inner: { gate: 42 } } });
  expect(await acceptedIn(piton)).toMatchObject([
    { data: { migrated: [{ scope: 'inner', inputs: { n: 1, m: 41 } }] } },
  ]);
});

const wrong: readonly [string, Definition, string][] = [
  [
    'throws',
    start().migrate(2, {
      state: () => {
        throw new Error('no such luck');
      },
    }),
    'version 2 failed for the state .*migrations.test.ts:\\d+:\\d+.*no such luck',
  ],
  [
    'gives what cannot be stored',
    start().migrate(2, { state: () => ({ draft: new Date() }) as never }),
    'Date',
  ],
  ['gives no record', start().migrate(2, { state: () => 'x' as never }), 'must give a record'],
];

test.each(wrong)('a migration that %s changes nothing', async (_, newer, message) => {
  const piton = await parked(old);
  const before = await eventsOf(piton);
  const error = await piton.resume(newer, 'r').catch((thrown: unknown) => thrown as PitonError);
  expect(error).toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringMatching(new RegExp(message, 's')),
    details: { step: 2, part: 'state' },
    remedy: expect.stringContaining('--keep-definition'),
  });
  expect(await piton.drift('r', newer)).toMatchObject({
    migrated: { changes: [], problem: expect.stringMatching(new RegExp(message, 's')) },
  });
  expect(await eventsOf(piton)).toEqual(before);
  expect((await piton.driver('r'))?.alive ?? false).toBe(false);
});

test('an older version than that of the run is refused, and so is a way with a gap', async () => {
  const newer = start().migrate(2, { state: ({ text }: Old) => ({ draft: text, words: 2 }) });
  const piton = await parked(old);
  await piton.resume(newer, 'r');
  await piton.close();
  const again = await parked(newer as never);
  await expect(again.resume(old as never, 'r')).rejects.toMatchObject({
    code: 'RUN_CHANGED',
    message: expect.stringContaining('this is version 1, and the run has version 2 already'),
  });
  await expect(again.start(old as never, { id: 'r' } as never)).rejects.toMatchObject({
    code: 'RUN_CHANGED',
  });
  const third = stateGraph<New>('refine', { version: 3 })
    .node('write', () => ({}))
    .node('judge', () => ({}), { approval: 'Good?' })
    .edge('write', 'judge')
    .edge('judge', 'end')
    .migrate(3, {});
  await expect((await parked(old)).resume(third, 'r')).rejects.toMatchObject({
    message: expect.stringContaining('no migration leads from version 1 to 2'),
  });
});

test('versions without migrations are only names, as they were', async () => {
  const named = stateGraph<Old>('refine', { version: '2024-1', state: { text: '' } })
    .node('write', () => ({ text: 'one two' }))
    .node('judge', () => ({}), { approval: 'Good?' })
    .edge('write', 'judge')
    .edge('judge', 'end');
  expect(await (await parked(old)).drift('r', named)).toMatchObject({
    drift: [{ field: 'version', verdict: 'harmless' }],
    mustChoose: false,
  });
});

test('child workflows of a for-each are migrated one by one: only those that are under way', async () => {
  const outer = (child: Definition<{ name: string }, unknown, undefined>, settings = {}) =>
    workflow('outer', settings).task(
      'each',
      {
        forEach: { in: () => ['a', 'b', 'c'], maxParallel: 2 },
        with: ({ item }) => ({ name: item }),
      },
      child,
    );
  const child = workflow<{ name: string }>('child')
    .task('make', ({ inputs }) => inputs.name)
    .task('gate', { needs: ['make'], approval: 'Go?' }, ({ needs }) => needs.make);
  const newer = workflow<{ title: string }>('child', { version: 2 })
    .task('make', ({ inputs }) => ({ file: inputs.title }))
    .task('gate', { needs: ['make'], approval: 'Go?' }, ({ inputs, needs }) => inputs.title + needs.make.file)
    .migrate(2, {
      inputs: ({ name }: { name: string }) => ({ title: `${name}!` }),
      outputs: { make: (file: string) => ({ file }) },
    });
  const piton = await parked(outer(child));
  const next = outer(newer as unknown as typeof child, { version: 2 }).migrate(2, {});
  const run = await piton.resume(next, 'r');
  expect(await acceptedIn(piton)).toMatchObject([
    {
      data: {
        migrated: [
          { scope: '', from: 1, to: 2 },
          {
            scope: 'each[a]',
            inputs: { title: 'a!' },
            outputs: [{ task: 'each[a].make', output: { file: 'a' } }],
          },
          { scope: 'each[b]', inputs: { title: 'b!' } },
        ],
      },
    },
  ]);
  await run.approve('each[a].gate');
  await run.approve('each[b].gate');
  expect((await run.checkpoint()).tasks['each[a].gate']).toMatchObject({ output: 'a!a' });
  // Whoever looks at it from a snapshot, or verifies it, sees the same.
  expect(await piton.verify('r')).toMatchObject([{ ok: true }]);
});

test('what is re-run is re-run by the new version, with the migrated data of the rest', async () => {
  const flow = (version: number) =>
    workflow('flow', { version })
      .task('a', () => (version === 1 ? 1 : { one: 1 }))
      .task('b', { needs: ['a'] }, ({ needs }) => JSON.stringify(needs.a))
      .task('gate', { needs: ['b'], approval: 'Go?' }, ({ needs }) => needs.b);
  const piton = await parked(flow(1));
  const run = await piton.resume(flow(2).migrate(2, { outputs: { a: (one: number) => ({ one }) } }), 'r', {
    redo: ['b'],
    rerunSucceeded: true,
  });
  await eventually('it waits again', async () => (await run.checkpoint()).status === 'held');
  expect((await run.checkpoint()).tasks['b']).toMatchObject({ output: '{"one":1}' });
});

test('a fork from before a migration is migrated when it goes on', async () => {
  const newer = start().migrate(2, { state: ({ text }: Old) => ({ draft: text, words: 2 }) });
  const piton = await parked(old);
  const seq = (await (await piton.find('r')).checkpoint()).seq;
  await piton.resume(newer, 'r');
  const fork = await piton.fork(newer, `r@${seq}`, { id: 'f' });
  expect((await fork.checkpoint()).state).toEqual({ draft: 'one two', words: 2 });
});

test('a run that is driven is not migrated beneath its driver', async () => {
  const piton = await openPiton();
  const run = await piton.start(old, { id: 'r' });
  await eventually('it waits for a person', async () => (await run.checkpoint()).status === 'held');
  await piton.resume(start().migrate(2, { state: ({ text }: Old) => ({ draft: text, words: 2 }) }), 'r');
  expect((await run.checkpoint()).state).toEqual({ text: 'one two' });
  expect(await acceptedIn(piton)).toEqual([]);
});
