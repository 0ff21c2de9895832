import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { begun, ledgerOf, release, runAndKill, startPiton, writeTraced } from './live-command.ts';

const file = '.piton/workflows/flow.yaml';

function write(project: Project, tasks: object, more: object = {}): void {
  project.write(file, JSON.stringify({ name: 'flow', ...more, tasks }));
}

const build = { run: 'echo build >> ledger', timeout: '5m', retry: 2 };
const ship = { needs: ['build'], approval: 'Really ship?', run: 'echo ship >> ledger' };
const tell = { needs: ['ship'], run: 'echo tell >> ledger' };
const flow = { build, ship, tell };

/** A run that waits for its approval, and that nobody drives. */
async function waiting(): Promise<Project> {
  const project = newProject();
  write(project, flow);
  expect(await project.piton(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 3 });
  return project;
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

test('how a finished task was done makes no difference: neither approve nor resume asks or says anything', async () => {
  const project = await waiting();
  write(project, { ...flow, build: { ...build, timeout: '6m', retry: 5, approval: 'Sure?' } });
  const drift = await project.piton(['drift', 'r']);
  expect(drift).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/build timeout: 5m → 6m\n +harmless/),
  });
  expect(await project.piton(['resume', 'r'])).toMatchObject({ code: 3 });
  const approved = await project.piton(['approve', 'r', 'ship']);
  expect(approved).toMatchObject({ code: 0, stderr: expect.not.stringContaining('flow.yaml') });
  expect(ledgerOf(project)).toEqual(['build', 'ship', 'tell']);
});

test('what a finished task did stays done; with --redo it is re-run as it is now', async () => {
  const project = await waiting();
  write(project, { ...flow, build: { ...build, run: 'echo other >> ledger' } });
  expect((await project.piton(['drift', 'r'])).stdout).toMatch(/build run: .*\n +settled: its result stays/);
  expect(await project.piton(['resume', 'r'])).toMatchObject({ code: 3 });
  expect(ledgerOf(project)).toEqual(['build']);
  expect(await project.piton(['resume', 'r', '--accept-drift', '--redo', 'build', '--yes'])).toMatchObject({
    code: 3,
  });
  expect(ledgerOf(project)).toEqual(['build', 'other']);
});

const changed = { ...flow, tell: { ...tell, run: 'echo changed >> ledger' } };

test('resume does not choose between two definitions: it is refused with the choices, each of which works', async () => {
  for (const [number, last] of [
    ['0', 'tell'],
    ['1', 'changed'],
  ] as const) {
    const project = await waiting();
    write(project, changed);
    const refused = await project.piton(['resume', 'r']);
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has changed since: tell (run)'),
    });
    // Told once, and in one place.
    expect(times(refused.stdout, 'echo changed')).toBe(1);
    expect(times(refused.stdout + refused.stderr, 'The file differs')).toBe(1);
    const { choices } = (await project.json(['drift', 'r'])) as { choices: { command: string }[] };
    for (const { command } of choices) expect(refused.stderr).toContain(command);
    const [, ...words] = choices[Number(number)]!.command.split(' ');
    expect(await project.piton(words)).toMatchObject({ code: 3 });
    expect(await project.piton(['approve', 'r', 'ship'])).toMatchObject({ code: 0 });
    expect(ledgerOf(project).at(-1)).toBe(last);
  }
});

test('approve goes on with the definition that the run keeps, and says so; with --accept-drift with the file', async () => {
  const kept = await waiting();
  write(kept, changed);
  const said = await kept.piton(['approve', 'r', 'ship']);
  expect(said).toMatchObject({ code: 0 });
  expect(said.stderr).toContain(
    'It goes on with the definition that the run keeps, not with flow.yaml as it is now: tell (run). See: piton drift r',
  );
  expect(ledgerOf(kept)).toEqual(['build', 'ship', 'tell']);

  const accepted = await waiting();
  write(accepted, changed);
  const answer = await accepted.piton(['approve', 'r', 'ship', '--accept-drift']);
  expect(answer).toMatchObject({ code: 0 });
  expect(answer.stderr).toContain('It goes on with flow.yaml as it is now: tell (run).');
  expect(answer.stdout).toContain('goes on with the changed definition: tell');
  expect(ledgerOf(accepted)).toEqual(['build', 'ship', 'changed']);
  expect(await accepted.json(['drift', 'r'])).toMatchObject({ drift: [], mustChoose: false });
});

test('a task that waits for its approval can still be changed; who approved the old one has not approved the new one', async () => {
  const project = await waiting();
  write(project, { ...flow, ship: { ...ship, run: 'echo other >> ledger' } });
  expect((await project.piton(['drift', 'r'])).stdout).toMatch(
    /ship run: .*\n +not begun: applies when it begins; you are asked again first/,
  );
  const refused = await project.piton(['approve', 'r', 'ship', '--accept-drift']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('look at it again') });
  expect(ledgerOf(project)).toEqual(['build']);
  expect(await project.piton(['approve', 'r', 'ship'])).toMatchObject({ code: 0 });
  expect(ledgerOf(project)).toEqual(['build', 'other', 'tell']);
});

test.each([
  ['gone', 0, undefined],
  ['no YAML', 0, 'name: flow\ntasks: {'],
  ['invalid', 0, '{ name: flow, tasks: { build: { runs: x } } }'],
  ['of another workflow', 0, '{ name: other, tasks: { build: { run: ls } } }'],
  ['empty', 0, ''],
  ['a graph', 4, '{ name: flow, start: build, graph: { build: { run: ls, next: end } } }'],
  ['without what has begun', 4, '{ name: flow, tasks: { new: { run: ls } } }'],
])('a file that is %s locks nobody out', async (_, code, text) => {
  const project = await waiting();
  if (text === undefined) rmSync(join(project.folder, file));
  else project.write(file, text);
  for (const command of [
    ['drift', 'r'],
    ['resume', 'r', '--dry-run'],
  ])
    expect(await project.piton(command)).toMatchObject({ code });
  expect(await project.piton(['resume', 'r', '--keep-definition'])).toMatchObject({ code: 3 });
  expect(await project.piton(['approve', 'r', 'ship'])).toMatchObject({ code: 0 });
  expect(ledgerOf(project)).toEqual(['build', 'ship', 'tell']);
});

test('a structural change is refused with the reason, and what is left to choose', async () => {
  const project = newProject();
  const tasks = { a: {}, b: {}, c: { needs: ['a'] } };
  writeTraced(project, tasks, ['a', 'b']);
  await runAndKill(project, 'r', 'a', 'b');
  release(project, 'b');
  writeTraced(project, { ...tasks, a: { needs: ['b'] } });
  for (const flags of [[], ['--accept-drift'], ['--dry-run']]) {
    const { code, stdout, stderr } = await project.piton(['resume', 'r', ...flags]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/a needs: .*\n +cannot be accepted: it has begun with other needs/);
    expect(stdout + stderr).toContain('piton resume r --keep-definition');
    expect(stdout + stderr).not.toContain('resume r --accept-drift');
  }
  release(project, 'a');
  expect(await project.piton(['resume', 'r', '--keep-definition'])).toMatchObject({ code: 0 });
  expect(ledgerOf(project).sort()).toEqual(['a', 'b', 'c']);
});

test('what still runs ends as it was begun, and what follows is as the accepted file says', async () => {
  const project = newProject();
  const tasks = { alive: {}, last: { needs: ['alive'] } };
  writeTraced(project, tasks, ['alive']);
  await runAndKill(project, 'r', 'alive');
  writeTraced(project, { ...tasks, alive: { run: 'echo other >> ledger' }, more: { needs: ['last'] } });
  const dry = await project.piton(['resume', 'r', '--dry-run', '--accept-drift']);
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Next: piton resume r --accept-drift\n'),
  });
  expect(dry.stdout).toMatch(
    /alive run: .*\n +under way: an attempt that is running finishes as it was started/,
  );
  release(project, 'alive');
  expect(await project.piton(['resume', 'r', '--accept-drift'])).toMatchObject({ code: 0 });
  expect(ledgerOf(project)).toEqual(['alive', 'last', 'more']);
});

test('what was interrupted starts again as the accepted file says', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  const { child, ended, shows } = startPiton(project, ['run', 'flow', '--id', 'r']);
  await shows('a started');
  await begun(project, 'a');
  // Its command is stopped with it.
  child.kill('SIGINT');
  await ended;
  writeTraced(project, { a: { run: 'echo other >> ledger' } });
  expect(await project.piton(['resume', 'r', '--accept-drift'])).toMatchObject({ code: 0 });
  expect(ledgerOf(project)).toEqual(['a', 'other']);
});

test('resume --all goes on with the definitions that runs keep, and says so', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['a']);
  await runAndKill(project, 'r', 'a');
  release(project, 'a');
  writeTraced(project, { a: {}, b: { needs: ['a'], run: 'echo other >> ledger' } });
  const { code, stderr } = await project.piton(['resume', '--all']);
  expect(code).toBe(0);
  expect(stderr).toContain('not with flow.yaml as it is now: b (run)');
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});

test('a failed task is retried as the file is now, with what else has changed; or as it was', async () => {
  for (const [flags, last] of [
    [[], 'mended'],
    [['--keep-definition'], 'broken'],
  ] as const) {
    const project = newProject();
    const after = { needs: ['test'], run: 'echo after >> ledger' };
    write(project, { test: { run: 'echo broken >> ledger; exit 1' }, after });
    expect(await project.piton(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 1 });
    write(project, { test: { run: 'echo mended >> ledger' }, after });
    await project.piton(['retry', 'r', 'test', ...flags]);
    expect(ledgerOf(project).filter((line) => line !== 'after')).toEqual(['broken', last]);
  }
});

test('a task that failed and was changed is not retried as it was without a word, while the run goes on', async () => {
  for (const [flag, last] of [
    ['--keep-definition', 'old'],
    ['--accept-drift', 'new'],
  ] as const) {
    const project = newProject();
    const gate = { approval: 'Sure?', run: 'echo gate' };
    write(project, { fix: { run: 'echo old >> ledger; exit 1' }, gate }, { 'fail-fast': false });
    expect(await project.piton(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 3 });
    write(project, { fix: { run: 'echo new >> ledger' }, gate }, { 'fail-fast': false });
    const refused = await project.piton(['retry', 'r', 'fix']);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(`piton retry r fix ${flag}`) });
    expect(refused.stderr).toContain('has changed since: fix (run)');
    expect(await project.piton(['retry', 'r', 'fix', flag])).toMatchObject({ code: 3 });
    expect(ledgerOf(project)).toEqual(['old', last]);
  }
});

test('both flags at once are refused, and so is accepting a file that is not there', async () => {
  const project = await waiting();
  const both = ['resume', 'r', '--accept-drift', '--keep-definition'];
  expect(await project.piton(both)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('do not go together'),
  });
  rmSync(join(project.folder, file));
  for (const command of [
    ['resume', 'r'],
    ['approve', 'r', 'ship'],
  ]) {
    const { code, stderr } = await project.piton([...command, '--accept-drift']);
    expect({ code, stderr }).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('piton resume r --keep-definition'),
    });
  }
});

test('what the journal keeps of it: which fields, and what each meant', async () => {
  const project = await waiting();
  write(project, { ...changed, build: { ...build, timeout: '6m' }, more: { run: 'echo more' } });
  expect(await project.piton(['resume', 'r', '--accept-drift'])).toMatchObject({ code: 3 });
  const accepted = await project.withStore(async (piton) =>
    (await Array.fromAsync((await piton.find('r')).events())).find(({ type }) => type === 'drift.accepted'),
  );
  expect(accepted).toHaveProperty('data.changes', [
    { task: 'build', field: 'timeout', verdict: 'harmless' },
    { task: 'tell', field: 'run', verdict: 'applies' },
    { task: 'more', field: 'task', verdict: 'applies' },
  ]);
});
