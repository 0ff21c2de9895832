import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { commandTable } from '../../src/interfaces/cli/command-table.ts';
import { newProject } from './command-line.ts';

test('the version is that of the package', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  for (const flag of ['--version', '-V']) {
    expect(await newProject().binary([flag])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  }
});

test('every command is in the help, and has a help of its own with examples', async () => {
  const project = newProject();
  const shown = commandTable.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);
  const { stdout, code } = await project.piton(['--help']);
  expect(code).toBe(0);
  for (const name of shown) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  for (const name of ['list', 'approve']) {
    const help = await project.piton([name, '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: piton ${name}`);
    expect(help.stdout).toContain('Examples:');
    expect((await project.piton(['help', name])).stdout).toBe(help.stdout);
  }
});

test('what is misspelt is named with what was probably meant, and ends with exit code 2', async () => {
  const { piton } = newProject();
  const command = await piton(['lst']);
  expect(command).toMatchObject({ code: 2, stdout: '' });
  expect(command.stderr).toContain('There is no command lst.');
  expect(command.stderr).toContain('Did you mean piton list?');
  const option = await piton(['list', '--limt', '3']);
  expect(option.code).toBe(2);
  expect(option.stderr).toContain('--limit');
  const status = await piton(['list', '--status', 'fialed']);
  expect(status).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean failed?') });
});

test.each([['inbox'], ['list'], ['usage'], ['resume', '--all']])(
  'outside of a project, %s %s does not say that all is well',
  async (...args) => {
    const { piton } = newProject();
    const call = args.filter((arg) => arg !== undefined);
    const { code, stdout, stderr } = await piton(call);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('There is no Piton project in ');
    await piton(['init']);
    expect((await piton(call)).code).toBe(0);
  },
);

test('under --json an error is one JSON object on standard error, and standard output stays empty', async () => {
  const { piton } = newProject();
  const { code, stdout, stderr } = await piton(['status', '--json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'NO_PROJECT',
      message: expect.stringContaining('There is no Piton project in '),
      remedy: expect.stringContaining('piton init'),
      details: { root: expect.any(String) },
    },
  });
  const usage = JSON.parse((await piton(['list', '--json', '--bogus'])).stderr) as {
    error: { code: string };
  };
  expect(usage.error.code).toBe('USAGE_INVALID');
});

test('piton alone says where one is and what to do next', async () => {
  const { piton, folder, write } = newProject();
  expect((await piton([])).stdout).toMatch(/no Piton project in .*\nNext: piton demo\n {2}or: piton init\n/s);
  mkdirSync(join(folder, '.piton'));
  expect((await piton([])).stdout).toContain('Next: write a workflow into');
  write('.piton/workflows/ship.yaml', 'name: ship\ntasks: { a: { run: echo } }\n');
  const { stdout, code } = await piton([]);
  expect(code).toBe(0);
  expect(stdout).toContain('Workflows: ship');
  expect(stdout).toContain('Next: piton run ship');
});

test('a project is found from its sub-folders, or by --root', async () => {
  const { piton, json, write, folder } = newProject();
  write('.piton/workflows/ship.yaml', 'name: ship\ntasks: { a: { run: echo } }\n');
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  expect((await piton([], { in: 'deep/er' })).stdout).toContain('Workflows: ship');
  expect((await piton(['-C', '..'], { in: 'elsewhere' })).stdout).toContain('Workflows: ship');
  expect(await json(['--root', 'elsewhere'])).toMatchObject({
    root: realpathSync(join(folder, 'elsewhere')),
    isProject: false,
  });
  const missing = await piton(['--root', 'nowhere', 'list']);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no folder') });
});

test('init makes a project that is valid, keeps state out of git, and never overwrites', async () => {
  const { piton, json, write } = newProject();
  expect(await json(['init'])).toMatchObject({ made: ['.piton/.gitignore', '.piton/workflows/hello.yaml'] });
  expect(await json(['validate'])).toMatchObject({ ok: true, workflows: [{ name: 'hello', tasks: 4 }] });
  write('.piton/workflows/hello.yaml', 'mine');
  write('.piton/.gitignore', 'mine');
  expect((await piton(['init'])).stdout).toMatch(/Everything is there already.*\nNext: piton run hello\n/);
  expect(await json(['init'])).toMatchObject({ made: [] });
});

test('init in a project with workflows of its own adds no example, and names one of them', async () => {
  const { piton, write } = newProject();
  write('.piton/workflows/mine.yaml', 'name: mine\ntasks: { a: { run: echo } }\n');
  expect((await piton(['init'])).stdout).toMatch(/\nNext: piton run mine\n$/);
});

test('a run in a git repository leaves nothing for git to see but what a person wrote, and survives that being stashed or cleaned away', async () => {
  const { piton, json, folder } = newProject();
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet');
  await piton(['init']);
  expect((await piton(['run', 'hello', '--only', 'greet', '--detach'])).code).toBe(0);
  await piton(['attach']);
  expect(git('status', '--porcelain', '--untracked-files=all').trim().split('\n')).toEqual([
    '?? .piton/workflows/hello.yaml',
  ]);
  // Twice: what the first takes away must not have been what protects the rest.
  git(...identity, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  git(...identity, 'stash', '--quiet', '--include-untracked');
  git('clean', '--quiet', '--force', '-d');
  expect(await json(['list'])).toMatchObject([{ workflow: 'hello' }]);
});

test('where .piton cannot be made, that is said with what to do, and doctor finds it', async () => {
  const { piton, write } = newProject();
  write('.piton', 'a file');
  write('flow.yaml', 'name: flow\ntasks: { a: { run: echo } }\n');
  for (const args of [['init'], ['run', 'flow.yaml']])
    expect(await piton(args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Nothing can be written in .*\.piton[\s\S]*\(FOLDER_UNWRITABLE\)/),
    });
  const { code, stdout } = await piton(['doctor']);
  expect([code, stdout]).toEqual([4, expect.stringMatching(/✗ bad +folder +.*\.piton is no folder\n +→ /)]);
});

test('settings come from flags before environment before the file, and a wrong one is named with its line', async () => {
  const { piton, json, write, withStore, folder } = newProject();
  await withStore(async () => {});
  write('.piton/config.yaml', 'durability: process\nlease: 10s\nstor: sqlite:x.db\n');
  const unknown = await piton(['list']);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('config.yaml:3: there is no setting stor.');
  expect(unknown.stderr).toContain('Did you mean store?');
  write('.piton/config.yaml', '# none\n\nlease: soon\n');
  expect((await piton(['list'])).stderr).toContain('config.yaml:3: lease must be a time span');
  write('.piton/config.yaml', 'store: "sqlite:.piton/file.db"\n');
  const environment = { env: { PITON_STORE: `sqlite:${folder}/environment.db` } };
  const storeOf = async (args: string[], options = {}): Promise<string> =>
    (await piton(['doctor', ...args], options)).stdout;
  for (const name of ['.piton/file', 'environment', 'flag'])
    await (await open({ store: `sqlite:${folder}/${name}.db` })).close();
  expect(await storeOf([])).toContain('.piton/file.db: 0 runs');
  expect(await storeOf([], environment)).toContain(`sqlite:${folder}/environment.db: 0 runs`);
  expect(await storeOf(['--store', 'sqlite:flag.db'], environment)).toContain('/flag.db: 0 runs');
  const bad = await piton(['list'], { env: { PITON_DURABILITY: 'none' } });
  expect(bad).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('PITON_DURABILITY: durability must be full or process'),
  });
  expect(await json(['list'])).toEqual([]);
});

test('a reader that goes away ends the printing and nothing else', async () => {
  const { folder } = newProject();
  const line = `"$0" ${join(import.meta.dirname, '../../bin/piton.js')} --help | true; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', line, process.execPath], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});

test('colour is for terminals alone', async () => {
  const { piton } = newProject();
  // eslint-disable-next-line no-control-regex
  expect((await piton(['doctor'])).stdout).not.toMatch(/\u001b/);
});

test('an older Node looks for a newer one beside it, and says what it needs when there is none', async () => {
  const { folder, write } = newProject();
  const bin = write('app/bin/piton.js', '');
  const source = join(import.meta.dirname, '../../bin/piton.js');
  rmSync(bin);
  const { readFileSync } = await import('node:fs');
  // Told that it is old, a new Node behaves as an old one would.
  write('app/bin/piton.js', readFileSync(source, 'utf8').replace('neededMajor = 24', 'neededMajor = 99'));
  write('app/package.json', '{ "type": "module" }');
  const old = (): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [bin, '--version'], { encoding: 'utf8' });
  expect(old()).toMatchObject({ status: 2, stderr: expect.stringContaining('Piton needs Node 99 or newer') });
  write('app/node_modules/node/bin/node', '#!/bin/sh\necho "newer: $2"\nexit 7\n');
  const { chmodSync } = await import('node:fs');
  chmodSync(join(folder, 'app/node_modules/node/bin/node'), 0o755);
  expect(old()).toMatchObject({ status: 7, stdout: 'newer: --version\n' });
  rmSync(join(folder, 'app/node_modules/node'), { recursive: true });
  mkdirSync(join(folder, 'app/node_modules/.bin'), { recursive: true });
  write('killed', '#!/bin/sh\nkill -TERM $$\n');
  chmodSync(join(folder, 'killed'), 0o755);
  symlinkSync(join(folder, 'killed'), join(folder, 'app/node_modules/.bin/node'));
  expect(old()).toMatchObject({ status: null, signal: 'SIGTERM' });
});
