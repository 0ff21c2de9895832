/** Workflow files with versions and migrations: shown by `drift`, applied by `resume`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withBuiltImports } from '../support/built.ts';
import { newProject, type Project } from './command-line.ts';

const nodes = (field: string) => ({
  write: { run: 'echo hello', update: { [field]: '${{ output }}' }, next: 'judge' },
  judge: { approval: 'Good?', run: `echo "\${{ state.${field} }}" >> ledger`, next: 'end' },
});
const graph = { name: 'flow', state: { text: '', ok: false }, start: 'write', graph: nodes('text') };
const newer = {
  name: 'flow',
  version: 3,
  migrations: {
    2: { state: { draft: '${{ state.text + "!" }}' } },
    3: { state: { draft: '${{ state.draft + "?" }}', tries: 4 } },
  },
  state: { draft: '', ok: false, tries: 0 },
  start: 'write',
  graph: nodes('draft'),
};

const write = (project: Project, flow: object): string =>
  project.write('.piton/workflows/flow.yaml', JSON.stringify(flow, null, 2));

const ledger = (project: Project): string => readFileSync(join(project.folder, 'ledger'), 'utf8');

async function parked(flow: object = graph): Promise<Project> {
  const project = newProject();
  write(project, flow);
  expect(await project.piton(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 3 });
  return project;
}

test('drift shows what becomes of the data; resume migrates, once, and the run ends', async () => {
  const project = await parked();
  write(project, newer);
  const { code, stdout } = await project.piton(['drift', 'r']);
  expect(code).toBe(0);
  expect(stdout).toContain('its data is migrated from version 1 to 3');
  expect(stdout).toContain('state.text: "hello" → none');
  expect(stdout).toContain('state.draft: none → "hello!?"');
  expect(stdout).toContain('state.tries: none → 4');
  expect(await project.json(['drift', 'r'])).toMatchObject({
    mustChoose: false,
    migration: { from: 1, to: 3 },
    migrated: { changes: [{ field: 'state.text' }, { field: 'state.draft' }, { field: 'state.tries' }] },
  });
  const resumed = await project.piton(['resume', 'r']);
  expect(resumed).toMatchObject({ code: 3, stdout: expect.stringContaining('migrated from version 1 to 3') });
  expect(await project.piton(['resume', 'r'])).toMatchObject({ code: 3 });
  expect(await project.piton(['approve', 'r', 'judge#1'])).toMatchObject({ code: 0 });
  expect(ledger(project)).toBe('hello!?\n');
  const accepted = await project.withStore(async (piton) =>
    (await Array.fromAsync((await piton.find('r')).events())).filter(({ type }) => type === 'drift.accepted'),
  );
  expect(accepted).toHaveLength(1);
});

test('whoever decides goes on with what was shown, and is told of the newer version', async () => {
  const project = await parked();
  write(project, newer);
  const { code, stderr } = await project.piton(['approve', 'r', 'judge#1']);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('definition that the run keeps'),
  });
  expect(ledger(project)).toBe('hello\n');
});

test('a migration that fails is named with its file and line, and nothing was changed', async () => {
  const project = await parked();
  write(project, {
    ...newer,
    migrations: { ...newer.migrations, 3: { state: { draft: '${{ state.nothing.here }}' } } },
  });
  const { code, stderr } = await project.piton(['resume', 'r']);
  expect(code).toBe(4);
  expect(stderr).toMatch(/to version 3 failed for the state \(.*flow\.yaml:\d+:\d+\)/);
  expect(await project.piton(['drift', 'r'])).toMatchObject({
    stdout: expect.stringContaining('to version 3 failed'),
  });
  expect(await project.piton(['resume', 'r', '--keep-definition'])).toMatchObject({ code: 3 });
});

test.each([
  ['of the wrong kind', { state: { draft: 3 } }, 'draft is a number, and begins as text'],
  ['of another kind than before', { state: { draft: '${{ [state.text] }}' } }, 'draft is a list'],
])('a field %s is refused', async (_, migration, message) => {
  const project = await parked();
  write(project, { ...newer, version: 2, migrations: { 2: migration } });
  expect(await project.piton(['resume', 'r'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(message),
  });
});

test('inputs and outputs are checked by the new definition, and those of every item are migrated', async () => {
  const tasks = {
    plan: { run: 'echo ok' },
    make: { 'for-each': ['a', 'b'], run: 'echo "${{ item }}"' },
    last: {
      needs: ['plan', 'make'],
      approval: 'Go?',
      run: 'echo "${{ inputs.title }} ${{ tasks.make.outputs }}" >> ledger',
    },
  };
  const file = { name: 'flow', inputs: { name: { type: 'string', default: 'x' } }, tasks };
  const project = await parked({ ...file, tasks: { ...tasks, last: { ...tasks.last, run: 'echo no' } } });
  const output = { file: 'string' };
  const next = (inputs: object) => ({
    ...file,
    version: 2,
    inputs: { title: 'string' },
    tasks: { ...tasks, make: { ...tasks.make, output } },
    migrations: { 2: { inputs, outputs: { make: { file: '${{ output + "." + key }}' } } } },
  });
  write(project, next({}));
  expect(await project.piton(['resume', 'r'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('title has no value'),
  });
  write(project, next({ title: 7 }));
  expect(await project.piton(['resume', 'r'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('the inputs do not fit: title'),
  });
  write(project, next({ title: '${{ inputs.name }}' }));
  expect(await project.piton(['resume', 'r'])).toMatchObject({ code: 3 });
  expect(await project.piton(['approve', 'r', 'last'])).toMatchObject({ code: 0 });
  expect(ledger(project)).toBe('x [{"file":"a.a"},{"file":"b.b"}]\n');
});

test('a version below that of the run is refused in words; its own definition still counts', async () => {
  const project = await parked(newer);
  write(project, graph);
  const { code, stderr } = await project.piton(['resume', 'r']);
  expect({ code, stderr }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('this is version 1, and the run has version 3 already'),
  });
  expect(await project.piton(['resume', 'r', '--accept-drift'])).toMatchObject({ code: 4 });
  expect(await project.piton(['resume', 'r', '--keep-definition'])).toMatchObject({ code: 3 });
});

test('what is not trusted is not evaluated: only that it would be migrated is shown', async () => {
  const project = await parked();
  write(project, newer);
  const untrusted = { PITON_TRUST: '', XDG_STATE_HOME: join(project.folder, 'nobody') };
  const { stdout } = await project.piton(['drift', 'r'], { env: untrusted });
  expect(stdout).toContain('migrated from version 1 to 3');
  expect(stdout).not.toContain('hello!?');
});

test('a child workflow in a file of its own is migrated, and what fails there is found there; bodies belong to the workflow around', async () => {
  const child = {
    name: 'child',
    inputs: { n: 'integer' },
    tasks: { gate: { approval: 'Go?', run: 'echo "${{ inputs.n }}"' } },
  };
  const body = {
    one: { run: 'echo 1' },
    two: { needs: 'one', approval: 'Go?', run: 'echo "${{ tasks.one.output }}" >> ledger' },
  };
  const tasks = { inner: { uses: 'child.yaml', with: { n: 1 } }, all: { tasks: body } };
  const project = newProject();
  const writeChild = (given: object): string =>
    project.write('.piton/workflows/child.yaml', JSON.stringify({ ...child, ...given }, null, 2));
  writeChild({});
  write(project, { name: 'flow', tasks });
  expect(await project.piton(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 3 });

  const outputs = { 'all.one': '${{ output + "!" }}' };
  write(project, { name: 'flow', version: 2, tasks, migrations: { 2: { outputs } } });
  writeChild({ version: 2, migrations: { 2: { inputs: { n: '${{ inputs.m + 1 }}' } } } });
  const { code, stderr } = await project.piton(['resume', 'r']);
  expect(code).toBe(4);
  expect(stderr).toMatch(/of child to version 2 failed for the inputs of inner \(.*child\.yaml:\d+:\d+\)/);

  writeChild({ version: 2, migrations: { 2: { inputs: { n: '${{ inputs.n + 41 }}' } } } });
  expect(await project.json(['drift', 'r'])).toMatchObject({
    migrated: {
      changes: [
        { field: 'tasks.all.one.output', before: '1', after: '1!' },
        { scope: 'inner', field: 'inputs.n', before: 1, after: 42 },
      ],
    },
  });
  expect(await project.piton(['resume', 'r'])).toMatchObject({ code: 3 });
  expect(await project.piton(['approve', 'r', 'all.two'])).toMatchObject({ code: 3 });
  expect(ledger(project)).toBe('1!\n');
});

test('resume --all and run --id migrate, too, and say so', async () => {
  const project = await parked();
  write(project, newer);
  const { stderr } = await project.piton(['run', 'flow', '--id', 'r']);
  expect(stderr).toContain('It is migrated from version 1 to 3.');
  expect(await project.piton(['show', 'r'])).toMatchObject({ stdout: expect.stringContaining('hello!?') });
});

test('other text of a function is told when the run goes on, with what to do about it', async () => {
  const project = newProject();
  const program = (given: string): string =>
    withBuiltImports(`import { workflow } from 'piton';
export default workflow('w').task('go', { approval: 'Go?' }, () => ${given});
`);
  project.write('.piton/workflows/w.mjs', program('1'));
  expect(await project.binary(['run', 'w', '--id', 'r'])).toMatchObject({ code: 3 });
  project.write('.piton/workflows/w.mjs', program('2'));
  const { code, stdout } = await project.binary(['resume', 'r']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/! goes on with other text of go than since .*: give its task a version/);
  expect((await project.binary(['resume', 'r'])).stdout).not.toContain('other text');
});
