import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Timeline } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type Project } from './command-line.ts';

/** Killed while the second of its commands is at work, which waits for a file, and ends with the project if the test fails. */
async function killed(): Promise<Project> {
  const project = newProject();
  project.write(
    '.piton/workflows/flow.yaml',
    `name: flow
tasks:
  first: { run: echo done }
  second: { needs: first, run: 'while [ ! -e go ] && [ -e .piton ]; do sleep 0.02; done' }
`,
  );
  const { code } = await project.piton(['run', 'flow', '--id', 'r1'], {
    env: { PITON_CRASH_AT: 'after:attempt.spawned#2' },
  });
  expect(code).toBe(null);
  return project;
}

/** Without what is another each time. */
function shape(stdout: string): string[] {
  return stdout
    .replaceAll(/\d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/\b\d+(?:\.\d+)?m?s\b/g, '<span>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<day>')
    .replaceAll(/process \d+ on \S+/g, 'process 1 on here')
    .replaceAll(/process \d+/g, 'process 1')
    .split('\n')
    .map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
}

test('the timeline tells who drove a run, what ran meanwhile, and what became of it when that one died', async () => {
  const project = await killed();
  const gone = await project.piton(['history', 'r1', '--timeline']);
  expect(shape(gone.stdout)).toEqual([
    'time | took | what',
    '<day>',
    '<time> | process 1 on here begins',
    '<time> | <span> | ✓ first',
    '<time> | ! second: was under way',
    '<time> | ! process 1 is gone',
    '<span> | nobody drives it',
    'Next: piton resume r1',
    '',
  ]);

  const resumed = project.piton(['resume', 'r1']);
  await project.withStore(async (piton) => {
    await eventually('somebody takes it up', async () => {
      const events = await Array.fromAsync((await piton.find('r1')).history());
      return events.some(({ type }) => type === 'attempt.recovered');
    });
    const driven = await project.piton(['history', 'r1', '--timeline']);
    expect(shape(driven.stdout).slice(-4)).toEqual([
      '<time> | process 1 on here takes it up',
      '<time> | ▶ process 1 on here drives it',
      'Next: piton attach r1',
      '',
    ]);
  });
  writeFileSync(`${project.folder}/go`, '');
  expect((await resumed).code).toBe(0);

  const { stdout } = await project.piton(['history', 'r1', '--timeline']);
  expect(shape(stdout)).toEqual([
    'time | took | what',
    '<day>',
    '<time> | process 1 on here begins',
    '<time> | <span> | ✓ first',
    '<time> | <span> | ✓ second',
    '<time> | ! process 1 is gone, and leaves under way:',
    'second: was alive, and went on',
    '<span> | nobody drives it',
    '<time> | process 1 on here takes it up',
    '<time> | the run has ended',
    'Next: piton history r1',
    '',
  ]);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);

  const { drives, gaps, attempts } = (await project.json(['history', 'r1', '--timeline'])) as Timeline;
  expect(drives).toMatchObject([
    { epoch: 1, end: 'died', left: [{ task: 'second', fate: 'adopted' }] },
    { epoch: 2, end: 'finished', left: [] },
  ]);
  expect(gaps).toEqual([{ from: drives[0]!.to, to: drives[1]!.from }]);
  expect(attempts).toMatchObject([{ task: 'first' }, { task: 'second', recovered: ['adopted'] }]);
});

test('of a run that waits for a person its driver has let go', async () => {
  const project = newProject();
  project.write(
    '.piton/workflows/flow.yaml',
    '{ name: flow, tasks: { a: { run: echo, approval: Go on? } } }',
  );
  await project.piton(['run', 'flow', '--id', 'r1']);
  const waiting = await project.piton(['history', 'r1', '--timeline']);
  expect(shape(waiting.stdout).slice(-4)).toEqual([
    '<time> | process 1 lets go of it',
    '<span> | nobody drives it',
    'Next: piton approve r1 a',
    '',
  ]);
});
