import { chmodSync, chownSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { newProject, type Project } from '../cli/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;

function withFlow(): Project {
  const project = newProject();
  project.write(
    '.piton/workflows/flow.yaml',
    'name: flow\ntasks: { a: { run: "mkdir dist; echo of mine > dist/x", workspace: directory, artifacts: dist } }\n',
  );
  return project;
}

/** Whether somebody else can get to what is there: only if every folder on the way is open too. */
function openToOthers(folder: string, names: readonly string[]): string[] {
  return names.filter((name) => {
    const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & 0o077) !== 0;
  });
}

const state = [
  'piton.db',
  'piton.db-wal',
  'piton.db-shm',
  'piton.db.ballast',
  'spool',
  'logs',
  'archive',
  'artifacts',
];

describe('what Piton keeps of runs', () => {
  test('is readable by nobody else, whatever the umask; `.piton` itself, which is the project’s, stays as it is', async () => {
    const project = withFlow();
    chmodSync(join(project.folder, '.piton'), 0o755);
    const umask = process.umask(0);
    try {
      expect(await project.binary(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 0 });
      expect(await project.binary(['run', 'flow', '--id', 's', '--detach'])).toMatchObject({ code: 0 });
    } finally {
      process.umask(umask);
    }
    await eventually('the one in the background has ended', () =>
      project.withStore(async (piton) => (await (await piton.find('s')).checkpoint()).status === 'succeeded'),
    );
    await eventually('its driver too', () =>
      project.withStore(async (piton) => (await piton.driver('s'))?.alive !== true),
    );
    const folder = join(project.folder, '.piton');
    for (const name of ['piton.db', 'spool', 'logs', 'artifacts'])
      expect(readdirSync(folder)).toContain(name);
    expect(openToOthers(folder, state)).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    // Whoever could write there would exchange one place for another.
    expect(statSync(join(folder, 'directories')).mode & 0o022).toBe(0);
    await project.withStore(async (piton) => {
      const file = join(project.folder, 'backup.db');
      await piton.backup(file);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });
  });

  test('is closed where an older version has left it open', async () => {
    const project = withFlow();
    await project.piton(['run', 'flow', '--id', 'r']);
    const folder = join(project.folder, '.piton');
    // A store that is open for longer has one.
    writeFileSync(join(folder, 'piton.db.ballast'), '');
    for (const name of state.filter((one) => existsSync(join(folder, one))))
      chmodSync(join(folder, name), 0o755);
    await project.piton(['run', 'flow', '--id', 's']);
    expect(openToOthers(folder, state)).toEqual([]);
  });

  test('is not written where a link leads elsewhere', async () => {
    const project = withFlow();
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, join(project.folder, '.piton', 'spool'));
    const { code, stderr } = await project.piton(['run', 'flow', '--id', 'r']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('is not a folder');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.runIf(isRoot).each(['piton.db', 'spool'])(
    'is not used if %s belongs to another user',
    async (name) => {
      const project = withFlow();
      await project.piton(['run', 'flow', '--id', 'r']);
      chownSync(join(project.folder, '.piton', name), 12345, 12345);
      for (const command of [
        ['status', 'r'],
        ['logs', 'r', 'a'],
        ['run', 'flow', '--id', 's'],
      ]) {
        const { code, stderr } = await project.piton(command);
        expect(code).not.toBe(0);
        expect(stderr).toMatch(/belongs to another user/);
      }
    },
  );
});

test('a spool of what is only in memory is made where nobody else can have been first', async () => {
  await using piton = await open({ store: 'memory:' });
  const folder = join(piton.spoolOf('x'), '..');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});
