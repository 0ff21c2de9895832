import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from './command-line.ts';
import { begun, ledgerOf, release, startPiton, writeTraced } from './live-command.ts';

/** Says when it was asked to stop, and stops. */
const polite =
  'echo "$PITON_TASK" >> ledger; trap "echo asked >> asked; exit 1" TERM; while [ -e a.wait ]; do sleep 0.02; done';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'the first %s asks commands to stop, ends with 130, and the run can go on',
  async (signal) => {
    const project = newProject();
    writeTraced(project, { a: { run: polite }, b: { needs: ['a'] } }, ['a']);
    const { child, ended } = startPiton(project, ['run', 'flow', '--id', 'stopped']);
    await begun(project, 'a');
    child.kill(signal);
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain(`${signal}: stopping what runs`);
    expect(stdout).toMatch(
      /a was interrupted[\s\S]*was stopped; it can go on[\s\S]*Next: piton resume stopped\n$/,
    );
    expect(readFileSync(join(project.folder, 'asked'), 'utf8')).toBe('asked\n');
    release(project, 'a');
    const resumed = await project.piton(['resume', 'stopped']);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain('a is started again after an interruption');
    expect(ledgerOf(project)).toEqual(['a', 'a', 'b']);
  },
);

test('the second signal ends the driver at once; commands run on and are adopted', async () => {
  const project = newProject();
  const deaf =
    'echo "$PITON_TASK" >> ledger; trap "" TERM; while [ -e a.wait ]; do sleep 0.02; done; echo survived';
  writeTraced(project, { a: { run: deaf, 'on-interrupt': 'ask' } }, ['a']);
  const { child, ended, shows } = startPiton(project, ['run', 'flow', '--id', 'left']);
  await begun(project, 'a');
  child.kill('SIGINT');
  await shows('SIGINT: stopping');
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(
    /! left run left at once: a may still be running, and will be taken up again; to continue:\n {4}piton resume left\n$/,
  );
  const resuming = startPiton(project, ['resume', 'left']);
  await resuming.shows('a was still running: adopted, not started again');
  release(project, 'a');
  expect((await resuming.ended).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['a']);
  expect((await project.piton(['logs', 'left', 'a'])).stdout).toBe('survived\n');
});

test('a command that must not be interrupted is waited for after the first signal', async () => {
  const project = newProject();
  writeTraced(project, { a: { 'on-interrupt': 'ask' }, b: { needs: ['a'] } }, ['a']);
  const { child, ended, shows } = startPiton(project, ['run', 'flow', '--id', 'patient']);
  await begun(project, 'a');
  child.kill('SIGTERM');
  await shows('SIGTERM: stopping');
  release(project, 'a');
  expect((await ended).code).toBe(130);
  expect(ledgerOf(project)).toEqual(['a']);
  expect(await project.json(['status', 'patient'])).toMatchObject({
    status: 'interrupted',
    tasks: { a: { status: 'succeeded' } },
  });
});
