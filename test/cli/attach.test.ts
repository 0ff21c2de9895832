import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { begun, ledgerOf, release, runAndKill, startPiton, writeTraced } from './live-command.ts';

/** Its driver is in the background, and ends with the test. */
async function detached(project: Project, id: string): Promise<void> {
  const { code, stdout, stderr } = await project.piton(['run', 'flow', '--id', id, '--detach', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  const { pid } = JSON.parse(stdout) as { pid: number };
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
}

test('a detached run is watched, followed, paused, resumed and ends without its terminal', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } }, ['a', 'b']);
  await detached(project, 'away');
  await begun(project, 'a');
  const attached = startPiton(project, ['attach', 'away']);
  const following = startPiton(project, ['logs', 'away', '-f']);
  await attached.shows('Ctrl-C ends the watching only');
  expect((await project.piton(['pause', 'away'])).code).toBe(0);
  await attached.shows('paused');
  release(project, 'a');
  await attached.shows('✓ a');
  expect(ledgerOf(project)).toEqual(['a']);
  expect(await project.piton(['resume', 'away'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the run goes on'),
  });
  await begun(project, 'b');
  release(project, 'b');
  expect(await attached.ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Run away of flow succeeded/),
  });
  expect(await following.ended).toMatchObject({
    code: 0,
    stdout: 'a │ end of a\nb │ end of b\nc │ end of c\n',
  });
  expect(readFileSync(join(project.folder, '.piton/logs/away.log'), 'utf8')).toContain(
    'Run away of flow succeeded',
  );
  expect(ledgerOf(project)).toEqual(['a', 'b', 'c']);
});

test('Ctrl-C leaves an attached run alone; cancelling it ends both it and whoever watches', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  await detached(project, 'away');
  await begun(project, 'a');
  const leaving = startPiton(project, ['attach', 'away']);
  await leaving.shows('Driven by process');
  leaving.child.kill('SIGINT');
  const left = await leaving.ended;
  expect(left.code).toBe(130);
  expect(left.stdout).toMatch(/goes on without us[\s\S]*Next: piton attach away\n$/);
  const watching = startPiton(project, ['attach', 'away']);
  await watching.shows('Driven by process');
  const cancelled = await project.piton(['cancel', 'away', '-m', 'enough']);
  expect(cancelled.code).toBe(0);
  const { code, stdout } = await watching.ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /the run is being cancelled: enough[\s\S]*Run away of flow was cancelled \(.*\): enough/,
  );
});

test('what keeps a detached run from beginning is told at once, with its exit code', async () => {
  const project = newProject();
  project.write(
    'typed.yaml',
    JSON.stringify({ name: 'typed', inputs: { name: { type: 'string' } }, tasks: { say: { run: 'echo' } } }),
  );
  const { code, stderr } = await project.piton(['run', 'typed.yaml', '--detach']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('`name` is missing')]);
});

test('a run is left in the background also where its workflow stands after the end of the options', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  const { code, stdout } = await project.piton(['run', '--detach', '--', 'flow']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('goes on in the background')]);
  const watching = startPiton(project, ['attach']);
  await watching.shows('Driven by process');
  release(project, 'a');
  expect((await watching.ended).code).toBe(0);
});

test('attaching to an interrupted run ends with 4 and says how to go on; resume --detach does', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  await runAndKill(project, 'dead', 'a');
  const { code, stdout } = await project.piton(['attach', 'dead']);
  expect(code).toBe(4);
  expect(stdout).toMatch(/nobody drives it[\s\S]*Next: piton resume dead\n$/);
  const resumed = await project.piton(['resume', 'dead', '--detach']);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('goes on in the background') });
  const attached = startPiton(project, ['attach', 'dead']);
  await attached.shows('Driven by process');
  release(project, 'a');
  expect((await attached.ended).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['a']);
});

test.each([
  ['attach', ['attach', 'away']],
  ['logs -f', ['logs', 'away', '-f']],
])('piton %s ends quietly once nobody reads what it shows, and the run goes on', async (_, args) => {
  const project = newProject();
  const prints = 'echo one; while [ -e a.wait ]; do echo more; sleep 0.02; done';
  writeTraced(project, { a: { run: prints }, b: { needs: ['a'] } }, ['a']);
  await detached(project, 'away');
  const { child, ended, until } = startPiton(project, args);
  let isShown = false;
  child.stdout!.once('data', () => (isShown = true));
  await until('something is shown', () => isShown);
  child.stdout!.destroy();
  // Who watches events notices it at the next one.
  expect((await project.piton(['pause', 'away'])).code).toBe(0);
  expect((await ended).stderr).toBe('');
  release(project, 'a');
  expect((await project.piton(['resume', 'away'])).code).toBe(0);
  await begun(project, 'b');
});

test('a driver whose output nobody reads any more drives its run to the end', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['a']);
  const { child, ended } = startPiton(project, ['run', 'flow', '--id', 'unread']);
  await begun(project, 'a');
  child.stdout!.destroy();
  child.stderr!.destroy();
  release(project, 'a');
  expect((await ended).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});
