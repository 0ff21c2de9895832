/** What has succeeded runs again only if a person has seen the list of it and agreed. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newProject, type Answer, type Project } from './command-line.ts';
import { ledgerOf, writeTraced } from './live-command.ts';

const tasks = {
  build: {},
  deploy: { needs: ['build'], 'on-interrupt': 'ask', approval: 'Deploy?' },
  tell: { needs: ['deploy'] },
};
const ran = ['build', 'deploy', 'tell'];

async function succeeded(): Promise<Project> {
  const project = newProject();
  writeTraced(project, tasks);
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  expect((await project.piton(['approve', 'r', 'deploy'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual(ran);
  return project;
}

/** `build` has failed; what cleans up after it has not. */
async function failedWithCleanup(): Promise<Project> {
  const project = newProject();
  writeTraced(project, {
    build: { run: 'echo build >> ledger; test -e mended' },
    clean: { needs: ['build'], if: 'always()' },
    ship: { needs: ['build'] },
  });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(1);
  project.write('mended', '');
  return project;
}

const list = `These tasks run again:
  build  ✓ succeeded
  deploy  ✓ succeeded
    ! its effects may be impossible to undo (on-interrupt: ask)
    ! asks for approval again
  tell  ✓ succeeded
`;

test('retry of a succeeded task is refused, with the command that allows it', async () => {
  const project = await succeeded();
  expect(await project.piton(['retry', 'r', 'tell'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /only if you ask for it, and that would be: tell\.\n.*: piton retry r tell --redo\n/,
    ),
  });
  expect(await project.piton(['retry', 'r', 'build', '--fresh'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(': piton retry r build --fresh --redo\n'),
  });
  expect(ledgerOf(project)).toEqual(ran);
});

test.each([
  ['retry', ['retry', 'r', 'build', '--redo']],
  ['retry --fresh', ['retry', 'r', 'build', '--fresh', '--redo']],
  ['resume --redo', ['resume', 'r', '--redo', 'build']],
])('%s lists what runs again, and asks', async (_, args) => {
  const project = await succeeded();
  const refused = await project.piton(args, { answer: 'n' });
  expect(refused).toMatchObject({ code: 4, stderr: 'Run them again? [y/N]\n' });
  expect(refused.stdout).toContain(list);
  expect(refused.stdout).toMatch(/\nNothing was changed\.\n$/);
  expect((await project.piton(args, { answer: '' })).code).toBe(4);
  const nobody = await project.piton(args);
  expect(nobody).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`: piton ${args.join(' ')} --yes\n`),
  });
  expect(ledgerOf(project)).toEqual(ran);
  expect((await project.piton(args, { answer: 'y' })).code).toBe(3);
  expect(ledgerOf(project)).toEqual([...ran, 'build']);
});

test('under --json nobody is asked, and the list is in the error', async () => {
  const project = await succeeded();
  const { code, stderr } = await project.piton(['retry', 'r', 'tell', '--redo', '--json'], { answer: 'y' });
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'USAGE_INVALID', details: { tasks: [{ task: 'tell', hasSucceeded: true }] } },
  });
  expect((await project.piton(['retry', 'r', 'tell', '--redo', '--yes', '--json'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual([...ran, 'tell']);
});

test('in a run that waits for a person it is the same', async () => {
  const project = newProject();
  writeTraced(project, { ...tasks, last: { needs: ['tell'], approval: 'Sure?' } });
  const answers: Answer[] = [];
  for (const args of [
    ['run', 'flow', '--id', 'r'],
    ['approve', 'r', 'deploy'],
  ])
    answers.push(await project.piton(args));
  expect(answers.map(({ code }) => code)).toEqual([3, 3]);
  expect(await project.piton(['retry', 'r', 'tell'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(': piton retry r tell --redo\n'),
  });
  expect((await project.piton(['retry', 'r', 'tell', '--redo', '--yes'])).code).toBe(3);
  expect(ledgerOf(project)).toEqual([...ran, 'tell']);
});

test.each([['retry'], ['skip']])(
  '%s of a failed task does not run again what cleaned up after it, unless that is asked for',
  async (verb) => {
    const project = await failedWithCleanup();
    const refused = await project.piton([verb, 'r', 'build']);
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(new RegExp(`would be: clean\\.\n.*: piton ${verb} r build --redo\n`)),
    });
    expect(ledgerOf(project)).toEqual(['build', 'clean']);
    expect((await project.piton([verb, 'r', 'build', '--redo', '--yes'])).code).toBe(0);
    const again = verb === 'retry' ? ['build', 'clean', 'ship'] : ['clean'];
    expect(ledgerOf(project).slice(2).sort()).toEqual(again);
  },
);

test('the end of a run that failed so offers the command that works', async () => {
  const project = newProject();
  writeTraced(project, { build: { run: 'exit 1' }, clean: { needs: ['build'], if: 'always()' } });
  const { stdout } = await project.piton(['run', 'flow', '--id', 'r']);
  expect(stdout).toMatch(/Next: piton logs r build\n {2}or: piton retry r build --redo\n$/);
});

test('--dry-run shows the list, and asks nothing', async () => {
  const project = await succeeded();
  const { code, stdout } = await project.piton(['resume', 'r', '--redo', 'build', '--dry-run']);
  expect(code).toBe(0);
  expect(stdout).toContain(list);
  expect(ledgerOf(project)).toEqual(ran);
});

test('what was agreed to is what a driver in the background does', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(0);
  const detached = await project.piton(['resume', 'r', '--redo', 'a', '--detach', '--yes']);
  expect(detached.code).toBe(0);
  await eventually('both have run again', () => ledgerOf(project).join('') === 'abab');
  await eventually('the driver has ended', async () => {
    const { status, driver } = (await project.json(['status', 'r'])) as { status: string; driver?: object };
    return status === 'succeeded' && driver === undefined;
  });
  const hidden = ['resume', 'r', '--redo', 'a', '--confirmed', 'a'];
  expect(await project.piton(hidden)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('only if you ask for it (--redo): b'),
  });
});
