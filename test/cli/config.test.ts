import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { edits, projectInRepository } from '../support/git-project.ts';
import { played } from './played.ts';
import { newProject, type Project } from './command-line.ts';

const untrusted = { PITON_TRUST: '' };

function flow(project: Project, name: string, more: object): void {
  project.write(`.piton/workflows/${name}.yaml`, JSON.stringify({ name, ...more }));
}

test('config show tells each value and where it is from, also of a project that nobody trusts', async () => {
  const project = newProject();
  const home = project.write('home/piton/config.yaml', 'lease: 1m\n');
  const file = project.write(
    '.piton/config.yaml',
    'grace: 1s\nagents: { claude: { executable: ./steal } }\n',
  );
  const env = { XDG_CONFIG_HOME: join(project.folder, 'home'), PITON_MAX_PARALLEL: '2' };
  const { code, stdout, stderr } = await project.piton(['config', 'show'], { env: { ...env, ...untrusted } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^idle-timeout +30m +default/m);
  expect(stdout).toContain(`${home}:1`);
  expect(stdout).toContain(`${file}:1`);
  expect(stdout).toMatch(/^max-parallel +2 +PITON_MAX_PARALLEL/m);
  expect(stdout).toMatch(/^agents\.claude\.executable +\.\/steal .* not used$/m);
  expect(stderr).toContain('the project is not trusted: piton trust.');
  const trusted = await project.piton(['config', 'show', '--json'], { env });
  expect(JSON.parse(trusted.stdout)).toMatchObject({
    isTrusted: true,
    files: { user: home, project: file },
    settings: expect.arrayContaining([
      { key: 'lease', value: '1m', from: 'user', place: `${home}:1`, isUsed: true },
    ]) as unknown,
  });
});

test('config validate tells all problems, of files that keep every other command from its work', async () => {
  const project = newProject();
  const file = project.write('.piton/config.yaml', 'leese: 1m\ngrace: soon\n');
  expect((await project.piton(['list'])).code).toBe(2);
  const { code, stdout } = await project.piton(['config', 'validate'], { env: { PITON_LEASE: 'x' } });
  expect(code).toBe(2);
  expect(stdout).toContain(`${file}:1: there is no setting leese. Did you mean lease?`);
  expect(stdout).toContain(`${file}:2: grace must be a time span, such as 30s.`);
  expect(stdout).toContain('PITON_LEASE: lease must be a time span, such as 30s.');
  const other = project.write('other.yaml', 'lease: 1m\n');
  expect((await project.piton(['config', 'validate', 'other.yaml'])).stdout).toContain(`✓ ${other}`);
  expect((await project.piton(['config', 'validate', 'gone.yaml'])).stdout).toContain(
    'there is no such file',
  );
  expect((await project.piton(['config', 'validate', '--json'])).stdout).toContain('"ok": false');
});

test('config schema prints what is shipped', async () => {
  const shipped = readFileSync(new URL('../../schema/config.schema.json', import.meta.url), 'utf8');
  const { stdout } = await newProject().piton(['config', 'schema']);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(shipped));
});

test('config migrate leaves alone what is of the newest version, and a newer one is refused', async () => {
  const project = newProject();
  const file = project.write('.piton/config.yaml', 'lease: 1m\n');
  const { code, stdout } = await project.piton(['config', 'migrate']);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${file} is of version 1 already`)]);
  project.write('.piton/config.yaml', 'version: 9\n');
  expect(await project.piton(['config', 'migrate'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('version 9 is of a newer Piton: this one knows version 1') as string,
  });
});

test('config has no other parts', async () => {
  const project = newProject();
  expect((await project.piton(['config', 'shwo'])).stderr).toContain('Did you mean piton config show?');
  expect((await project.piton(['config', 'show', 'x'])).stderr).toContain('takes no file');
});

test('a run keeps the policy and the limit that were configured when it was started', async () => {
  const project = newProject();
  flow(project, 'gate', { tasks: { ask: { approval: 'Go?', run: 'true' } } });
  flow(project, 'own', { 'max-parallel': 9, checkpoint: 'every-task', tasks: { a: { run: 'true' } } });
  project.write('.piton/config.yaml', 'checkpoint: off\nmax-parallel: 2\n');
  expect((await project.piton(['run', 'gate', '--id', 'one'])).code).toBe(3);
  expect((await project.piton(['run', 'own', '--id', 'own'])).code).toBe(0);
  project.write('.piton/config.yaml', 'checkpoint: { every: 3 }\nmax-parallel: 5\n');

  expect((await project.piton(['drift', 'one'])).stdout).toContain('Nothing differs.');
  expect((await project.piton(['approve', 'one', 'ask'])).code).toBe(0);
  expect((await project.piton(['run', 'gate', '--id', 'two'])).code).toBe(3);
  const kept = await project.withStore(async (piton) =>
    Promise.all(
      ['one', 'two', 'own'].map(async (run) => {
        const { workflow } = (await piton.definitionOf(run)).definition;
        return [workflow.checkpoint.every, workflow.maxParallel];
      }),
    ),
  );
  expect(kept).toEqual([
    ['off', 2],
    [{ tasks: 3 }, 5],
    [{ tasks: 1 }, 9],
  ]);
});

test('so does a run of a program, whose workflow says nothing', async () => {
  const project = newProject();
  const source = (name: string, settings: string): string =>
    `import { workflow } from '${new URL('../../src/index.ts', import.meta.url).href}';
     export default workflow('${name}', ${settings}).task('a', () => 1);`;
  project.write('open.ts', source('open', '{}'));
  project.write('said.ts', source('said', "{ checkpoint: 'every-task' }"));
  project.write('.piton/config.yaml', 'checkpoint: { every: 7 }\n');
  for (const name of ['open', 'said'])
    expect((await project.binary(['run', `./${name}.ts`, '--id', name])).code).toBe(0);
  const kept = await project.withStore(async (piton) => [
    (await piton.definitionOf('open')).definition.workflow.checkpoint.every,
    (await piton.definitionOf('said')).definition.workflow.checkpoint.every,
  ]);
  expect(kept).toEqual([{ tasks: 7 }, { tasks: 1 }]);
});

test('a driver says once that the file has changed since it was started', async () => {
  const project = newProject();
  const file = project.write('.piton/config.yaml', 'grace: 1s\n');
  const wait = 'while [ ! -e go ]; do sleep 0.05; done';
  flow(project, 'wait', { tasks: { a: { run: wait } } });
  expect((await project.binary(['run', 'wait', '--id', 'w', '--detach'])).code).toBe(0);
  const log = (): string[] => readFileSync(join(project.folder, '.piton/logs/w.log'), 'utf8').split('\n');
  const said = (): string[] => log().filter((line) => line.includes('has changed'));
  writeFileSync(file, 'grace: 2s\n');
  await eventually('the driver has said it', () => said().length > 0);
  writeFileSync(file, 'grace: 3s\n');
  project.write('go', '');
  await eventually('the run has ended', () => log().some((line) => line.includes('succeeded')));
  expect(said()).toEqual([expect.stringContaining(`${file} has changed: this process goes on as it was`)]);
});

test('a run that is removed when it has succeeded still tells how it ended', async () => {
  const project = newProject();
  flow(project, 'gone', {
    checkpoint: { preserve: 'remove-on-success' },
    tasks: { a: { run: 'echo hello' } },
    outputs: { said: '${{ tasks.a.output }}' },
  });
  const { code, stdout } = await project.piton(['run', 'gone', '--id', 'g']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('succeeded')]);
  expect(stdout).not.toMatch(/Next: piton \w+ g/);
  expect((await project.piton(['status', 'g'])).stderr).toContain('RUN_NOT_FOUND');
  expect((await project.piton(['run', 'gone', '--id', 'g'])).code).toBe(0);
});

test('a run whose work is on a branch stays: the branch is found by it alone', async () => {
  const project = projectInRepository();
  flow(project, 'work', {
    checkpoint: { preserve: 'remove-on-success' },
    tasks: { fix: played([edits('b.txt', 'made\n')]) },
  });
  const { code, stdout } = await project.piton(['run', 'work', '--id', 'w']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('piton merge w')]);
  expect((await project.piton(['merge', 'w'])).code).toBe(0);
});
