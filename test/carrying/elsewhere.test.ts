/** What is known here of a run that comes from elsewhere: nothing is done twice, and nothing is believed that is older. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { open, workflow } from '../../src/index.ts';
import { newProject, type Project } from '../cli/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('two imports of the same file at once: one of them imports it, the other finds it', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'r.piton');
  await using source = await open({ store: 'memory:' });
  await (
    await source.start(
      workflow('flow').task('a', () => 1),
      { id: 'r' },
    )
  ).result();
  await source.export('r', file);
  const store = `sqlite:${folder}/state.db`;
  await using one = await open({ store, durability: 'process' });
  await using two = await open({ store, durability: 'process' });
  const both = await Promise.all([one.import(file), two.import(file)]);
  expect(both.map(({ outcome }) => outcome).sort()).toEqual(['imported', 'present']);
  expect(await one.verify()).toMatchObject([{ run: 'r', ok: true }]);
});

/** `slow` says that it has begun, and waits until it may end. */
function slowProject(): Project {
  const project = newProject();
  const tasks = {
    slow: { run: 'echo slow >> ran; until [ -e go ]; do sleep 0.05; done' },
    last: { needs: ['slow'], run: 'echo last >> ran' },
  };
  project.write('flow.yaml', JSON.stringify({ name: 'flow', tasks }));
  return project;
}

const ranIn = ({ folder }: Project): string[] =>
  existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n') : [];

test('a command that runs elsewhere is not started here: it is held, and begins again only if a person says so', async () => {
  const project = slowProject();
  const driving = project.binary(['run', 'flow.yaml', '--id', 'r']);
  await eventually('it runs', () => ranIn(project).length === 1);
  await project.piton(['export', 'r']);
  writeFileSync(join(project.folder, 'go'), '');
  expect(await driving).toMatchObject({ code: 0 });

  const other = slowProject();
  const { stdout } = await other.piton(['import', join(project.folder, 'r.piton')]);
  expect(stdout).toContain('Held, because they were under way elsewhere: slow.');
  expect(await other.piton(['resume', '--all'])).toMatchObject({
    stdout: expect.stringContaining('No run was'),
  });
  expect(await other.piton(['resume', 'r'])).toMatchObject({ code: 3 });
  expect(ranIn(other)).toEqual([]);
  expect(await other.json(['show', 'r', 'slow'])).toMatchObject({ status: 'held' });
  expect(await other.piton(['done', 'r', 'slow', '-m', 'seen there'])).toMatchObject({ code: 0 });
  expect(ranIn(other)).toEqual(['last']);
});

test('a store that has lost a run gets it back from an older export, and from the spool what was done since', async () => {
  const project = slowProject();
  const driving = project.binary(['run', 'flow.yaml', '--id', 'r']);
  await eventually('it runs', () => ranIn(project).length === 1);
  await project.piton(['export', 'r']);
  writeFileSync(join(project.folder, 'go'), '');
  expect(await driving).toMatchObject({ code: 0 });
  loseAll(join(project.folder, '.piton/piton.db'));
  expect(await project.piton(['run', 'flow.yaml', '--id', 'r'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('RUN_LOST'),
  });

  const imported = await project.piton(['import', 'r.piton']);
  expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining('does not know') });
  expect(await project.piton(['resume', 'r'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('RUN_BEHIND'),
  });
  expect(await project.piton(['verify', 'r', '--repair'])).toMatchObject({ code: 0 });
  await project.piton(['resume', 'r']);
  expect(ranIn(project)).toEqual(['slow', 'last']);
});

function loseAll(file: string): void {
  using database = new DatabaseSync(file);
  database.exec(
    'DELETE FROM commits; DELETE FROM runs; DELETE FROM blob_refs; DELETE FROM blobs; DELETE FROM snapshots',
  );
}

test('a run that was removed here on purpose can come back', async () => {
  const project = slowProject();
  writeFileSync(join(project.folder, 'go'), '');
  await project.piton(['run', 'flow.yaml', '--id', 'r']);
  await project.piton(['export', 'r']);
  await project.withStore((piton) => piton.prune({ runs: ['r'] }));
  expect(await project.piton(['import', 'r.piton'])).toMatchObject({ code: 0, stderr: '' });
  expect(await project.piton(['verify'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('✓ sound'),
  });
  expect(ranIn(project)).toEqual(['slow', 'last']);
});
