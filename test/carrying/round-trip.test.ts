/** Runs are carried from one project to another, and are there what they were. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { open, stateGraph, workflow, type Piton } from '../../src/index.ts';
import { newProject, type Project } from '../cli/command-line.ts';
import { played, writeFlow } from '../cli/played.ts';
import { takeApart } from '../support/exports.ts';
import { edits, git, projectInRepository } from '../support/git-project.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const big = 'x'.repeat(20_000);

async function printed(project: Project, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.piton(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** As it was when it was exported: the import is one commit more. */
async function viewsOf(project: Project, run: string, seq: number): Promise<unknown[]> {
  const history = (await project.json(['history', run])) as { seq: number }[];
  return [
    await project.json(['show', `${run}@${seq}`]),
    history.filter((entry) => entry.seq <= seq),
    (await printed(project, 'logs', run, '--json'))
      .split('\n')
      .filter((line) => !line.includes('run.imported')),
  ];
}

/** A clone of the project's repository, which has not what runs have made there. */
function cloneOf({ folder }: Project): Project {
  const project = newProject();
  git(project.folder, 'clone', '-q', '--single-branch', '--branch', 'main', folder, '.');
  return project;
}

const refsIn = (folder: string): string =>
  git(
    folder,
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/piton/',
    'refs/heads/piton/',
    'refs/heads/piton-tasks/',
  );

test('a run of agents in worktrees: the same hashes, views, conversations and refs in another clone', async () => {
  const project = projectInRepository();
  const { folder } = project;
  writeFlow(project, {
    fix: played([edits('b.txt', 'two\n')]),
    more: played([edits('c.txt', big)], { needs: 'fix' }),
  });
  await printed(project, 'run', 'flow', '--id', 'r1');
  const file = join(folder, 'r1.piton');
  expect(await printed(project, 'export', 'r1')).toContain(`Exported r1 up to r1@`);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const other = cloneOf(project);
  await other.piton(['init']);
  expect(await printed(other, 'import', file)).toContain('Imported r1');
  const { seq } = (await project.json(['show', 'r1'])) as { seq: number };
  expect(await viewsOf(other, 'r1', seq)).toEqual(await viewsOf(project, 'r1', seq));
  expect(await printed(other, 'logs', 'r1', 'more')).toBe(await printed(project, 'logs', 'r1', 'more'));
  expect(refsIn(other.folder)).toBe(refsIn(folder));
  expect(git(other.folder, 'show', 'piton/r1:b.txt')).toBe('two');
  expect(git(other.folder, 'status', '--porcelain')).toBe('');
  expect(await printed(other, 'verify')).toContain('✓ sound');

  // What is done with it from now on is done here, also where the other project is gone.
  const main = git(folder, 'rev-parse', 'main');
  renameSync(join(folder, '.piton/piton.db'), join(folder, '.piton/gone.db'));
  expect(await printed(other, 'merge', 'r1')).toContain('main');
  expect(git(other.folder, 'show', 'main:b.txt')).toBe('two');
  expect((await other.piton(['fork', 'r1@before:more', '--id', 'f'])).code).toBe(0);
  expect(git(other.folder, 'show', 'piton/f:b.txt')).toBe('two');
  expect(git(folder, 'rev-parse', 'main')).toBe(main);
  expect(git(folder, 'branch', '--list', 'piton/f')).toBe('');
});

test('exported twice, it is the same bytes; nothing is overwritten but by --force', async () => {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  await printed(project, 'run', 'flow', '--id', 'r1');
  await printed(project, 'export', 'r1', '-o', 'one.piton');
  await printed(project, 'export', 'r1', '-o', 'two.piton');
  const [one, two] = ['one.piton', 'two.piton'].map((name) => join(project.folder, name));
  expect(readFileSync(one!).equals(readFileSync(two!))).toBe(true);

  writeFileSync(two!, 'mine');
  const refused = await project.piton(['export', 'r1', '-o', 'two.piton']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('EXPORT_EXISTS') });
  expect(readFileSync(two!, 'utf8')).toBe('mine');
  await printed(project, 'export', 'r1', '-o', 'two.piton', '--force');
  expect(readFileSync(one!).equals(readFileSync(two!))).toBe(true);
});

test('tar and sha256sum open it, git fetches from it', async () => {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  await printed(project, 'run', 'flow', '--id', 'r1');
  await printed(project, 'export', 'r1', '--history');
  const folder = temporaryFolder();
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('tar', '-xf', join(project.folder, 'r1.piton'));
  expect(run('sha256sum', '-c', 'SHA256SUMS')).not.toContain('FAILED');
  run('git', 'init', '-q');
  run('git', 'fetch', '-q', 'files.bundle', 'refs/heads/piton/r1');
  expect(run('git', 'show', 'FETCH_HEAD:b.txt')).toBe('two\n');
});

test('without a repository, or without the commit that it began from, the files stay in the file until it is there', async () => {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  await printed(project, 'run', 'flow', '--id', 'r1');
  const file = join(project.folder, 'r1.piton');
  await printed(project, 'export', 'r1');

  const plain = newProject();
  const noted = await plain.piton(['import', file]);
  expect(noted).toMatchObject({ code: 0, stderr: expect.stringContaining('is in no git repository') });
  const unrelated = newProject();
  git(unrelated.folder, 'init', '-q', '-b', 'main');
  git(unrelated.folder, 'commit', '-q', '--allow-empty', '-m', 'other');
  const missing = await unrelated.piton(['import', file]);
  expect(missing).toMatchObject({ code: 0, stderr: expect.stringContaining('has no commit') });
  expect(refsIn(unrelated.folder)).toBe('');

  git(unrelated.folder, 'fetch', '-q', project.folder, 'main');
  expect(await printed(unrelated, 'import', file)).toContain('is here already');
  expect(refsIn(unrelated.folder)).toBe(refsIn(project.folder));
});

test('a ref that is there with something else is left as it is, and told of', async () => {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  await printed(project, 'run', 'flow', '--id', 'r1');
  await printed(project, 'export', 'r1');
  const other = cloneOf(project);
  git(other.folder, 'branch', 'piton/r1');
  const { code, stderr } = await other.piton(['import', join(project.folder, 'r1.piton')]);
  expect(code).toBe(0);
  expect(stderr).toContain('refs/heads/piton/r1 is here already');
  expect(git(other.folder, 'rev-parse', 'piton/r1')).toBe(git(other.folder, 'rev-parse', 'main'));
});

test('--jsonl: every event in a line, with big values in place', async () => {
  const project = newProject();
  project.write('f.yaml', `name: f\ntasks: { a: { run: "printf '%020000d' 0" } }\n`);
  await printed(project, 'run', 'f.yaml', '--id', 'r1');
  const events = (await printed(project, 'export', 'r1', '--jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; run: string; data: { output?: string } });
  expect(events[0]).toMatchObject({
    type: 'run.created',
    run: 'r1',
    seq: 1,
    data: { workflow: { name: 'f' } },
  });
  expect(events.find(({ type }) => type === 'task.succeeded')?.data.output).toHaveLength(20_000);
  await printed(project, 'export', 'r1', '--jsonl', '-o', 'r1.jsonl');
  expect(readFileSync(join(project.folder, 'r1.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(
    events.length,
  );
  const again = await project.piton(['export', 'r1', '--jsonl', '-o', 'r1.jsonl']);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('EXPORT_EXISTS') });
});

interface Places {
  readonly here: Piton;
  readonly there: Piton;
  readonly file: string;
}

async function places(): Promise<Places> {
  const folder = temporaryFolder();
  const here = await openPiton({ store: `sqlite:${folder}/here/state.db`, durability: 'process' });
  const there = await openPiton({ store: `sqlite:${folder}/there/state.db`, durability: 'process' });
  return { here, there, file: join(folder, 'r.piton') };
}

test('a run that is driven: a checkpoint of it; elsewhere it is paused, and what was under way is not started again', async () => {
  const { here, there, file } = await places();
  const [started, gate] = [latch<void>(), latch<void>()];
  const ran: string[] = [];
  const flow = workflow('flow')
    .task('a', () => void ran.push('a'))
    .task('b', { needs: ['a'] }, async () => {
      ran.push('b');
      started.open();
      await gate.opened;
    })
    .task('c', { needs: ['b'] }, () => void ran.push('c'));
  const run = await here.start(flow, { id: 'r' });
  await started.opened;
  const { seq } = await here.export('r', file);
  gate.open();
  await run.result();

  expect(await there.import(file)).toMatchObject({ outcome: 'imported', seq, held: ['b'] });
  const imported = await there.find('r');
  expect(await imported.checkpoint(seq)).toEqual(await run.checkpoint(seq));
  expect(await imported.status()).toBe('paused');
  expect((await there.runs({ status: ['interrupted'] })).map(({ run: id }) => id)).toEqual([]);
  const resumed = await there.resume(flow, 'r');
  await expect.poll(() => resumed.status()).toBe('held');
  expect(ran).toEqual(['a', 'b', 'c']);
  await resumed.retry('b');
  await resumed.result();
  expect(ran).toEqual(['a', 'b', 'c', 'b', 'c']);
  expect(await there.import(file)).toMatchObject({ outcome: 'present' });
  expect((await there.verify('r'))[0]).toMatchObject({ ok: true });
});

test('a run that has dropped its big values is told of as before', async () => {
  const { here, there, file } = await places();
  const flow = workflow('flow', { checkpoint: { preserve: false } })
    .task('a', () => big)
    .task('b', { needs: ['a'] }, () => 'done');
  await (await here.start(flow, { id: 'r' })).result();
  await here.close();
  await using again = await open({ store: `sqlite:${dirname(file)}/here/state.db` });
  const run = await again.find('r');
  expect(await again.export('r', file)).toMatchObject({ dropped: 1 });
  await there.import(file);
  const imported = await there.find('r');
  const { seq, ...ended } = await run.checkpoint();
  expect(await imported.checkpoint(seq)).toEqual({ seq, ...ended });
  expect(await Array.fromAsync(imported.history({ upTo: seq }))).toEqual(
    await Array.fromAsync(run.history()),
  );
  expect((await there.verify('r'))[0]).toMatchObject({ ok: true });
  expect(await there.checkStore()).toEqual([]);
});

test('a run whose payloads were removed to save room, and that has gone on since', async () => {
  const { here, there, file } = await places();
  let steps = 0;
  const flow = stateGraph<{ text: string }>('flow', { maxSteps: 20 })
    .node('write', async () => ({ text: `${steps++}${big}` }))
    .node('end-of-it', async () => {
      if (steps < 6) throw new Error('not yet');
      return { text: 'short' };
    })
    .edge('write', 'end-of-it', (state) => state.text.startsWith('4'))
    .edge('write', 'write')
    .edge('end-of-it', 'end');
  await (await here.start(flow, { id: 'r', state: { text: '' } })).result().catch(() => undefined);
  await here.prune({ payloadsBefore: Date.now() + 60_000 });
  steps = 6;
  await (await here.resume(flow, 'r', { redo: ['end-of-it#1'] })).result();
  expect((await here.export('r', file)).dropped).toBeGreaterThan(2);
  await there.import(file);
  const [run, imported] = [await here.find('r'), await there.find('r')];
  const { seq, ...ended } = await run.checkpoint();
  expect(await imported.checkpoint(seq)).toEqual({ seq, ...ended });
  expect((await there.verify('r'))[0]).toMatchObject({ ok: true });
  expect(await there.checkStore()).toEqual([]);
});

test('what a repair has moved aside is carried along, into any store', async () => {
  const { here, there, file } = await places();
  const flow = workflow('flow')
    .task('a', () => big)
    .task('b', { needs: ['a'] }, () => `${big}!`);
  await (await here.start(flow, { id: 'r' })).result();
  damage(join(dirname(file), 'here/state.db'));
  await expect(here.export('r', file)).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  expect(existsSync(file)).toBe(false);
  await here.repair('r');
  await here.export('r', file);

  await using inMemory = await open({ store: 'memory:' });
  for (const store of [there, inMemory]) {
    expect(await store.import(file)).toMatchObject({ outcome: 'imported', held: [] });
    expect((await store.verify('r'))[0]).toMatchObject({ ok: true });
    expect(await store.checkStore()).toEqual([]);
    const copy = `${file}-${store === there ? 'there' : 'memory'}`;
    await store.export('r', copy);
    const aside = (path: string) => takeApart(path).find(([name]) => name === 'quarantine/000001.jsonl');
    expect(aside(copy)).toEqual(aside(file));
    expect(aside(file)).toBeDefined();
  }
});

/** The third commit is not what was written. */
function damage(file: string): void {
  using database = new DatabaseSync(file);
  database.exec(`UPDATE commits SET body = body || ' ' WHERE seq = 3`);
}
