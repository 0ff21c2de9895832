import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadWorkflow, open, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { edit, git, openRepository } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';

interface Batch {
  readonly started: Run;
  /** The check of what is merged goes on. */
  goOn(): void;
  /** What is in the branch of the run. */
  parts(): string[];
  show(file: string): string;
}

/**
 * `a0` and `a1` are in, and `b` has proposed a merge with `c` and `d`, which is being checked until `goOn`. By itself each of
 * them is good. If `b` is told something, it has a second turn.
 */
async function openBatch(secondTurn: readonly unknown[] = []): Promise<Batch> {
  const { run, root, repository } = await openRepository();
  const at = (name: string): string => join(root, name);
  const log = at('checked');
  const check = {
    run: `set -- *.part; test $# -gt 1 || exit 0; echo "$@" >> ${log}; while [ ! -e ${root}/go-$# ]; do sleep 0.02; done`,
    revise: 0,
  };
  const part = (name: string, sign: string, more: readonly (readonly unknown[])[] = []): object =>
    played([[edit(`${name}.part`, name), { await: at(sign) }, { answer: name }], ...more], { check });
  const started = await run(
    {
      a0: part('a0', 'first'),
      a1: part('a1', 'second'),
      b: part('b', 'third', [secondTurn]),
      c: part('c', 'third'),
      d: part('d', 'third'),
    },
    { 'fail-fast': false },
  );
  const checked = (line: string): Promise<void> =>
    eventually(`${line} is being checked`, () => logged(log).includes(line));
  writeFileSync(at('first'), '');
  await eventually(
    'the first is in',
    async () => (await started.checkpoint()).tasks['a0']!.status === 'succeeded',
  );
  writeFileSync(at('second'), '');
  await checked('a0.part a1.part');
  writeFileSync(at('third'), '');
  await eventually('all others wait for their turn', async () => {
    const { tasks } = await started.checkpoint();
    return ['b', 'c', 'd'].every(
      (name) => tasks[name]!.status === 'queued' && ['integrate', 'verify'].includes(tasks[name]!.stage),
    );
  });
  for (const count of [2, 3, 4, 6]) writeFileSync(at(`go-${count}`), '');
  await checked('a0.part a1.part b.part c.part d.part');
  return {
    started,
    goOn: () => writeFileSync(at('go-5'), ''),
    parts: () =>
      git(repository, 'ls-tree', '--name-only', 'piton/run')
        .split('\n')
        .filter((name) => name.endsWith('.part')),
    show: (file) => git(repository, 'show', `piton/run:${file}`),
  };
}

function logged(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

test('what was skipped while it was checked with others does not land with them, and all others do', async () => {
  const { started, goOn, parts } = await openBatch();
  expect(await started.skip('c')).toMatchObject({ status: 'accepted' });
  goOn();
  const result = await started.result();
  expect(result).toMatchObject({ status: 'succeeded' });
  expect(parts()).toEqual(['a0.part', 'a1.part', 'b.part', 'd.part']);
});

test('whoever is told something while its work is checked with that of others goes on with its own files, and what it does then lands', async () => {
  const { started, goOn, parts, show } = await openBatch([
    { expect: 'one more' },
    { run: 'ls *.part > seen.txt' },
    edit('more.part', 'more'),
    { answer: 'done' },
  ]);
  expect(await started.tell('b', 'one more, please')).toMatchObject({ status: 'accepted' });
  goOn();
  expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { b: 'done' } });
  expect(parts()).toEqual(['a0.part', 'a1.part', 'b.part', 'c.part', 'd.part', 'more.part']);
  expect(show('seen.txt')).toBe('b.part');
});

test('a merge whose worktree has vanished before it was checked is laid out again, and does not land unchecked', async () => {
  const { run, root, repository, piton } = await openRepository();
  const at = (name: string): string => join(root, name);
  const check = {
    run: `set -- *.part; test $# -gt 1 || exit 0; echo "$@" >> ${at('checked')}; while [ ! -e ${at('go')} ]; do sleep 0.02; done; exit 1`,
    revise: 0,
  };
  const part = (name: string): object =>
    played([[edit(`${name}.part`, name), { await: at(name) }, { answer: name }]], { check });
  const started = await run({ a: part('a'), b: part('b') }, { 'fail-fast': false });
  await eventually('both have begun', async () => {
    const { tasks } = await started.checkpoint();
    return Object.values(tasks).every(({ workspace }) => workspace !== undefined);
  });
  writeFileSync(at('a'), '');
  await eventually(
    'the first is in',
    async () => (await started.checkpoint()).tasks['a']!.status === 'succeeded',
  );
  writeFileSync(at('b'), '');
  await eventually('the merge is being checked', () => logged(at('checked')).length === 1);
  const { path } = (await started.checkpoint()).tasks['b']!.workspace!;
  await piton.close();
  rmSync(path, { recursive: true });
  writeFileSync(at('go'), '');

  const again = await open({ store: `sqlite:${at('piton.db')}`, durability: 'process', graceMs: 300 });
  onTestFinished(() => again.close());
  const resumed = await again.resume(await loadWorkflow(join(repository, 'flow.yaml')), 'run');
  await eventually('it has come to an end or waits', async () => {
    const { status } = (await resumed.checkpoint()).tasks['b']!;
    return status === 'held' || status === 'succeeded';
  });
  expect((await resumed.checkpoint()).tasks['b']).toMatchObject({ status: 'held' });
  expect(logged(at('checked'))).toEqual(['a.part b.part', 'a.part b.part']);
  expect(git(repository, 'ls-tree', '--name-only', 'piton/run')).not.toContain('b.part');
});

test('what a person has made of a conflict is checked before it lands', async () => {
  const { run, root, repository } = await openRepository();
  const at = (name: string): string => join(root, name);
  const check = { run: `test "$(cat a.txt)" != broken`, revise: 0 };
  const part = (name: string): object =>
    played([[edit('a.txt', `${name}\n`), { await: at(name) }, { answer: name }]], {
      check,
      'on-conflict': 'hold',
    });
  const started = await run({ a: part('a'), b: part('b') }, { 'fail-fast': false });
  await eventually('both have begun', async () => {
    const { tasks } = await started.checkpoint();
    return Object.values(tasks).every(({ workspace }) => workspace !== undefined);
  });
  writeFileSync(at('a'), '');
  await eventually(
    'the first is in',
    async () => (await started.checkpoint()).tasks['a']!.status === 'succeeded',
  );
  writeFileSync(at('b'), '');
  const taskB = async () => (await started.checkpoint()).tasks['b']!;
  await eventually('a person is asked', async () => (await taskB()).status === 'held');
  const { path } = (await taskB()).workspace!;
  writeFileSync(join(path, 'a.txt'), 'broken\n');
  await started.retry('b');
  await eventually('it has come to an end or waits', async () =>
    ['held', 'succeeded'].includes((await taskB()).status),
  );
  expect(git(repository, 'show', 'piton/run:a.txt')).toBe('a');
  expect((await taskB()).status).toBe('held');

  await started.retry('b');
  await eventually('it has been tried again', async () =>
    ['held', 'succeeded'].includes((await taskB()).status),
  );
  expect(git(repository, 'show', 'piton/run:a.txt')).toBe('a');

  writeFileSync(join(path, 'a.txt'), 'both\n');
  await started.retry('b');
  expect(await started.result()).toMatchObject({ status: 'succeeded' });
  expect(git(repository, 'show', 'piton/run:a.txt')).toBe('both');
});
