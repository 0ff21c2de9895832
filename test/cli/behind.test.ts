/** The store is an older copy, and the spool knows better: nobody is shown, or may decide on, what is out of date. */
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';

function copyStore(from: string, to: string): void {
  const names = readdirSync(from).filter((name) => name.startsWith('piton.db'));
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(to, `piton.db${suffix}`), { force: true });
  for (const name of names) cpSync(join(from, name), join(to, name));
}

/** `b` was approved, and has run; the journal only knows that it waits for approval. */
async function rolledBack(
  look?: (project: Project) => Promise<unknown>,
): Promise<Project & { readonly seen: unknown }> {
  const project = newProject();
  const b = { run: 'echo b >> ledger', needs: ['a'], approval: 'Ship it?' };
  project.write('flow.yaml', JSON.stringify({ name: 'flow', tasks: { a: { run: 'echo a' }, b } }));
  project.write('older/keep', '');
  const store = join(project.folder, '.piton');
  const older = join(project.folder, 'older');
  await project.piton(['init']);
  expect(await project.piton(['run', 'flow.yaml', '--id', 'r1'])).toMatchObject({ code: 3 });
  copyStore(store, older);
  expect(await project.piton(['approve', 'r1', 'b'])).toMatchObject({ code: 0 });
  const seen = await look?.(project);
  copyStore(older, store);
  return { ...project, seen };
}

test('it is shown to be behind, with what to do about it', async () => {
  const project = await rolledBack();

  const { stdout } = await project.piton(['status', 'r1']);
  expect(stdout).toMatch(/r1 +flow +! behind/);
  expect(stdout).toContain('does not know: it ends at r1@');
  expect(stdout).toContain('piton verify r1');
  expect(stdout).not.toContain('piton approve');
  expect(await project.json(['status', 'r1'])).toMatchObject({
    status: 'behind',
    problem: { code: 'RUN_BEHIND', remedy: expect.stringContaining('piton verify r1 --repair') },
    next: 'piton verify r1',
  });
  const list = await project.piton(['list']);
  expect(list.stdout).toMatch(/r1 +flow +! behind[^]*piton verify r1/);
  expect(await project.json(['list', '--status', 'behind'])).toMatchObject([{ run: 'r1', status: 'behind' }]);
  const inbox = (await project.json(['inbox'])) as object[];
  expect(inbox).toMatchObject([
    { run: 'r1', actions: [{ action: 'repair', command: 'piton verify r1 --repair' }] },
  ]);
  expect(inbox[0]).not.toHaveProperty('task');
  expect((await project.piton([])).stdout).toContain('piton verify r1');

  expect(await project.piton(['verify', 'r1', '--repair'])).toMatchObject({ code: 0 });
  expect(await project.json(['list'])).toMatchObject([{ run: 'r1', status: 'held' }]);
});

test('it is known to be behind by whatever URL its file is named', async () => {
  const project = await rolledBack();
  const store = `sqlite:${join(project.folder, '.piton', 'piton.db')}?patience=5000`;
  expect(await project.json(['list', '--store', store])).toMatchObject([{ run: 'r1', status: 'behind' }]);
});

test.each([
  [['approve', 'r1', 'b']],
  [['reject', 'r1', 'b']],
  [['skip', 'r1', 'b', '--no-drive']],
  [['cancel', 'r1', '--no-drive']],
])('%j is refused before it is noted', async (args) => {
  const project = await rolledBack();
  const { code, stderr } = await project.piton(args);
  expect(code).toBe(4);
  expect(stderr).toContain('RUN_BEHIND');
  expect(stderr).toContain('piton verify r1 --repair');
  await project.piton(['verify', 'r1', '--repair']);
  // Nothing was noted that would take effect now.
  await project.piton(['resume', 'r1']);
  expect(await project.json(['list'])).toMatchObject([{ run: 'r1', status: 'held' }]);
});

test('what was noted before the damage was found is refused after the repair', async () => {
  const project = await rolledBack();
  const heads = join(project.folder, '.piton/spool/.heads');
  // A record that is damaged itself is noticed by whoever goes on with the run, and not before.
  for (const name of readdirSync(heads)) writeFileSync(join(heads, name), Buffer.alloc(256));
  expect(await project.piton(['skip', 'r1', 'b', '--no-drive'])).toMatchObject({ code: 0 });
  expect((await project.piton(['resume', 'r1'])).stderr).toContain('RUN_BEHIND');
  await project.piton(['verify', 'r1', '--repair']);
  await project.piton(['resume', 'r1']);
  expect(await project.json(['list'])).toMatchObject([{ run: 'r1', status: 'held' }]);
  expect((await project.piton(['history', 'r1'])).stdout).toContain('the run has been repaired since');
  // What came of the lost decision is taken up once it is made again.
  expect(await project.piton(['retry', 'r1', 'b'])).toMatchObject({ code: 3 });
  expect(await project.piton(['approve', 'r1', 'b'])).toMatchObject({ code: 0 });
  expect(readFileSync(join(project.folder, 'ledger'), 'utf8')).toBe('b\n');
});

test('what is harvested after a repair is shown as that, and as begun when it was', async () => {
  const project = await rolledBack((before) => before.json(['show', 'r1', 'b']));
  await project.piton(['verify', 'r1', '--repair']);
  const { stdout, stderr } = await project.piton(['approve', 'r1', 'b']);
  expect(stdout + stderr).toContain('b had ended meanwhile: what it left is harvested');
  const { attempts, startedAt } = project.seen as { attempts: Record<string, unknown>[]; startedAt: number };
  expect(await project.json(['show', 'r1', 'b'])).toMatchObject({
    startedAt,
    attempts: attempts.map(({ endedAt: _, pid: __, ...begun }) => ({
      ...begun,
      recovered: ['harvested'],
    })),
  });
});

test('where it cannot be read how far one run had come, all others are verified', async () => {
  const project = newProject();
  project.write('flow.yaml', JSON.stringify({ name: 'flow', tasks: { a: { run: 'echo a' } } }));
  await project.piton(['init']);
  await project.piton(['run', 'flow.yaml', '--id', 'r1']);
  const heads = join(project.folder, '.piton/spool/.heads');
  const [head] = readdirSync(heads).map((name) => join(heads, name));
  await project.piton(['run', 'flow.yaml', '--id', 'r2']);
  rmSync(head!);
  // Looking there fails, like in a folder that may not be entered.
  symlinkSync(head!, head!);

  const { code, stdout } = await project.piton(['verify']);
  expect(code).toBe(4);
  expect(stdout).toMatch(/r1 +✗ unreadable +How far the run had come cannot be read/);
  expect(stdout).toMatch(/r2 +✓ sound/);
  expect(stdout).toContain('Make sure that the disk is in order');
  expect(await project.piton(['verify', '--repair'])).toMatchObject({ code: 4 });
});

test.each([[['resume', 'r1']], [['run', 'flow.yaml', '--id', 'r1']]])(
  '%j does not say how a run has ended that was gone on with since',
  async (args) => {
    const project = newProject();
    const tasks = { a: { run: 'echo a >> ledger; [ "$(wc -l < ledger)" -gt 1 ]' } };
    project.write('flow.yaml', JSON.stringify({ name: 'flow', tasks }));
    project.write('older/keep', '');
    const [store, older] = [join(project.folder, '.piton'), join(project.folder, 'older')];
    await project.piton(['init']);
    expect(await project.piton(['run', 'flow.yaml', '--id', 'r1'])).toMatchObject({ code: 1 });
    copyStore(store, older);
    expect(await project.piton(['retry', 'r1'])).toMatchObject({ code: 0 });
    copyStore(older, store);

    const { code, stdout, stderr } = await project.piton(args);
    expect(code).toBe(4);
    expect(stderr).toContain('piton verify r1 --repair');
    expect(stdout).not.toContain('failed');
  },
);
