import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { begun, ledgerOf, parseLines, release, runAndKill, startPiton, writeTraced } from './live-command.ts';
import { eventually } from '../support/eventually.ts';

const library = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
const chain = {
  done: {},
  alive: { needs: ['done'] },
  over: { needs: ['done'] },
  last: { needs: ['alive', 'over'] },
};

/** Killed while `alive` and `over` run; then `over` ends by itself. */
async function killedInTheMiddle(): Promise<Project> {
  const project = newProject();
  writeTraced(project, chain, ['alive', 'over']);
  await runAndKill(project, 'killed', 'alive', 'over');
  release(project, 'over');
  await eventually('over has ended', async () =>
    (await project.piton(['resume', 'killed', '--dry-run'])).stdout.includes('harvest'),
  );
  return project;
}

test('after kill -9, resume tells first what it will do and why, then adopts, harvests, and starts nothing twice', async () => {
  const project = await killedInTheMiddle();
  const preview = await project.piton(['resume', 'killed', '--dry-run']);
  expect(preview.code).toBe(0);
  expect(preview.stdout).toMatch(/alive +adopt +its process \d+ still runs/);
  expect(preview.stdout).toMatch(/over +harvest +it ended meanwhile with exit code 0/);
  expect(preview.stdout).toMatch(/last +wait +needs alive, over/);
  expect(preview.stdout).toMatch(/Next: piton resume killed\n$/);
  const resuming = startPiton(project, ['resume', 'killed']);
  await resuming.shows('alive was still running: adopted, not started again');
  await resuming.shows('over had ended meanwhile: what it left is harvested');
  release(project, 'alive');
  const { code, stdout } = await resuming.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('4 tasks: 4 succeeded · 1 done before, 1 adopted, 1 harvested');
  expect(ledgerOf(project).sort()).toEqual(['alive', 'done', 'last', 'over']);
});

test('of eight that resume a run at once one drives it, and seven say who does and end with 4', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['a']);
  await runAndKill(project, 'wanted', 'a');
  const eight = Array.from({ length: 8 }, () => startPiton(project, ['resume', 'wanted']));
  const ended = eight.map(async ({ child, ended }) => ({ pid: child.pid, ...(await ended) }));
  const refused: { code: number | null; stderr: string }[] = [];
  for (const end of ended) void end.then((answer) => answer.code === 4 && refused.push(answer));
  await eventually('seven are refused', () => refused.length === 7);
  release(project, 'a');
  const answers = await Promise.all(ended);
  const [driver, ...others] = answers.filter(({ code }) => code === 0);
  expect(others).toEqual([]);
  for (const { stderr } of refused) {
    expect(stderr).toContain(`Run wanted is driven by process ${driver!.pid}`);
    expect(stderr).toContain('piton attach wanted');
  }
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});

test('resume --all goes on with every interrupted run, leaves driven ones alone, and ends with the worst exit code', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  await runAndKill(project, 'one', 'a');
  await runAndKill(project, 'two', 'a');
  project.write(
    '.piton/workflows/bad.yaml',
    JSON.stringify({
      name: 'bad',
      tasks: { b: { run: 'echo b >> ledger; while [ -e a.wait ]; do sleep 0.02; done; exit 1' } },
    }),
  );
  const bad = startPiton(project, ['run', 'bad', '--id', 'three']);
  await begun(project, 'b');
  bad.child.kill('SIGKILL');
  await bad.ended;
  const driven = startPiton(project, ['run', 'flow', '--id', 'driven']);
  await driven.shows('a started');
  const all = startPiton(project, ['resume', '--all']);
  for (const run of ['one', 'two']) await all.shows(`${run}  `);
  release(project, 'a');
  const { code, stdout } = await all.ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/Run one of flow succeeded/);
  expect(stdout).toMatch(/Run two of flow succeeded/);
  expect(stdout).toMatch(/Run three of bad failed/);
  expect(stdout).not.toMatch(/Run driven/);
  expect((await driven.ended).code).toBe(0);
  expect(await project.piton(['resume', '--all'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No run was interrupted.'),
  });
});

test('what is meant for one run does not go together with --all', async () => {
  for (const other of [['some-run'], ['--detach'], ['--redo', 'a']]) {
    const { code, stderr } = await newProject().piton(['resume', '--all', ...other]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--all and ${other[0]} do not go together.`)]);
  }
});

test('a run whose file is gone goes on with the definition it keeps, and says so', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] }, c: {} }, ['a']);
  const { child, ended } = startPiton(project, ['run', 'flow', '--id', 'orphan', '--skip', 'c']);
  await begun(project, 'a');
  child.kill('SIGKILL');
  await ended;
  release(project, 'a');
  rmSync(join(project.folder, '.piton/workflows/flow.yaml'));
  const accepting = await project.piton(['resume', 'orphan', '--accept-drift']);
  expect(accepting).toMatchObject({ code: 4, stderr: expect.stringContaining('no other definition') });
  const { code, stderr } = await project.piton(['resume', 'orphan']);
  expect(code).toBe(0);
  expect(stderr).toContain('flow.yaml is gone: going on with the definition that the run keeps.');
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});

test('a run that calls functions of a file that is gone is refused with 4, and fails no task; with the file it goes on', async () => {
  const project = newProject();
  const file = project.write('code.ts', codeWith(project.folder));
  project.write('f.wait', '');
  const { child, ended } = startPiton(project, ['run', 'code.ts', '--id', 'code']);
  await begun(project, 'f');
  child.kill('SIGKILL');
  await ended;
  rmSync(file);
  const refused = await project.piton(['resume', 'code']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('code.ts, which is gone') });
  expect(await project.json(['status', 'code'])).toMatchObject({ status: 'interrupted' });
  project.write('code.ts', codeWith(project.folder));
  release(project, 'f');
  expect((await project.piton(['resume', 'code'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['f', 'f']);
});

/** A function that traces itself and waits as commands do. */
function codeWith(folder: string): string {
  return `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { workflow } from ${JSON.stringify(library)};
export default workflow('code').task('f', async () => {
  appendFileSync(${JSON.stringify(join(folder, 'ledger'))}, 'f\\n');
  while (existsSync(${JSON.stringify(join(folder, 'f.wait'))})) await pause(20);
});
`;
}

test('a run of a part of a workflow is resumed as that part', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] }, c: {} }, ['a']);
  const { child, ended } = startPiton(project, ['run', 'flow', '--id', 'part', '--skip', 'c']);
  await begun(project, 'a');
  child.kill('SIGKILL');
  await ended;
  release(project, 'a');
  const { code, stdout } = await project.piton(['resume', 'part']);
  expect(code).toBe(0);
  expect(stdout).not.toContain('differs');
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});

test('--takeover ends a driver that is stopped and goes on; without it the refusal says that it is stopped', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  const first = startPiton(project, ['run', 'flow', '--id', 'hung']);
  await begun(project, 'a');
  await first.shows('a started');
  first.child.kill('SIGSTOP');
  await eventually('it is stopped', async () =>
    (await project.piton(['resume', 'hung'])).stderr.includes('which is stopped'),
  );
  const second = startPiton(project, ['resume', 'hung', '--takeover']);
  await second.shows('a was still running: adopted');
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
  release(project, 'a');
  expect((await second.ended).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['a']);
});

test('--redo does settled tasks of an ended run again, with all that needs them', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } });
  expect((await project.piton(['run', 'flow', '--id', 'again'])).code).toBe(0);
  const ended = await project.piton(['resume', 'again']);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('has ended already') });
  const redone = await project.piton(['resume', 'again', '--redo', 'b', '--yes', '--json']);
  expect(redone.code).toBe(0);
  expect(parseLines(redone.stdout).map(({ type }) => type)).toContain('tasks.reopened');
  expect(ledgerOf(project)).toEqual(['a', 'b', 'c', 'b', 'c']);
});

test('--redo takes items whose keys hold commas', async () => {
  const project = newProject();
  const matrix = { os: ['linux', 'mac'], node: [22, 24] };
  writeTraced(project, { build: { 'for-each': { matrix }, run: 'echo "$PITON_TASK" >> ledger' }, b: {} });
  expect((await project.piton(['run', 'flow', '--id', 'items'])).code).toBe(0);
  const before = ledgerOf(project).length;
  expect((await project.piton(['resume', 'items', '--redo', 'build[mac,22],b', '--yes'])).code).toBe(0);
  expect(ledgerOf(project).slice(before).sort()).toEqual(['b', 'build[mac,22]']);
});

test('a file that is of another workflow now does not count, and it is said so', async () => {
  const project = newProject();
  writeTraced(project, { a: { approval: 'sure?' } });
  expect((await project.piton(['run', 'flow', '--id', 'named'])).code).toBe(3);
  project.write('.piton/workflows/flow.yaml', '{ name: other, tasks: { a: { run: ls } } }');
  for (const command of [
    ['resume', 'named', '--dry-run'],
    ['drift', 'named'],
  ]) {
    expect(await project.piton(command)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is one of flow, not of other'),
    });
  }
});

test('a task that asks for approval ends the driving with 3; approving goes on with the run', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, ship: { needs: ['a'], approval: 'Really ship?' }, other: { needs: ['a'] } });
  const { code, stdout } = await project.piton(['run', 'flow', '--id', 'asking']);
  expect(code).toBe(3);
  expect(stdout).toContain('? ship: Really ship?');
  expect(stdout).toMatch(/Next: piton approve asking ship\n$/);
  expect(ledgerOf(project)).toEqual(['a', 'other']);
  expect((await project.piton(['resume', 'asking'])).code).toBe(3);
  expect((await project.piton(['attach', 'asking'])).code).toBe(3);
  expect((await project.piton(['approve', 'asking', 'ship', '-m', 'go'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['a', 'other', 'ship']);
});

test('without a name and of several, a person at a terminal chooses; Enter is none of them', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['b']);
  for (const id of ['older', 'newer']) await runAndKill(project, id, 'b');
  release(project, 'b');
  const none = await project.piton(['resume'], { answer: '' });
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('piton resume newer, or all of them'),
  });
  expect(none.stdout).toMatch(
    /Several runs can go on:\n +1 +newer +flow +.*interrupted +\S.*\n +2 +older +flow +.*interrupted/,
  );
  for (const answer of ['3', '0', 'newer?', '-1'])
    expect((await project.piton(['resume'], { answer })).code).toBe(2);
  const chosen = await project.piton(['resume'], { answer: '2' });
  expect(chosen).toMatchObject({ code: 0, stderr: expect.stringContaining('Which one? [1-2, Enter: none]') });
  expect(chosen.stdout).toContain('Run older was interrupted.');
  // One is left, and nobody has to be asked.
  expect(await project.piton(['resume'])).toMatchObject({ code: 0 });
  expect(await project.piton(['resume'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No run is interrupted, paused or held'),
  });
});

test('a run that only waits for a person is meant if no other can go on', async () => {
  const project = newProject();
  writeTraced(project, { a: { approval: 'sure?' } });
  for (const id of ['one', 'two']) expect((await project.piton(['run', 'flow', '--id', id])).code).toBe(3);
  expect((await project.piton(['resume'])).stderr).toMatch(
    /Several runs can go on: two \(flow, held\), one \(flow, held\)\.\n.*: piton resume two\n/,
  );
  writeTraced(project, { a: {} }, ['a']);
  await runAndKill(project, 'cut', 'a');
  release(project, 'a');
  expect(await project.piton(['resume'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Run cut was interrupted.'),
  });
});

test('without a name, the run that can go on is meant, though another has ended since; of several, they are named', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['b']);
  await runAndKill(project, 'cut', 'b');
  project.write('.piton/workflows/short.yaml', 'name: short\ntasks: { a: { run: echo short } }\n');
  expect((await project.piton(['run', 'short', '--id', 'ended'])).code).toBe(0);
  const preview = await project.piton(['resume', '--dry-run']);
  expect(preview.stdout).toMatch(/Next: piton resume cut\n$/);
  await runAndKill(project, 'cut-too', 'b');
  const { code, stderr } = await project.piton(['resume']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/Several runs can go on: cut-too \(\w+, interrupted\), cut \(\w+, interrupted\)\./);
  expect(stderr).toContain('piton resume cut-too, or all of them: piton resume --all');
});
