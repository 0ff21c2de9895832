import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyRepository } from '../support/template.ts';
import { newProject, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';

function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

/** A project in a repository of one commit, in which `.env` is not. */
function inRepository(): Project {
  const project = newProject();
  copyRepository({ name: 'worktrees-of-commands', make }, project.folder);
  return project;
}

function make(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, '.gitignore'), '.piton/\n.env\nready\n');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  writeFileSync(join(folder, '.env'), 'KEY=1\n');
}

const edits = (file: string, text: string): object[] => [{ edit: { file, text } }, { answer: 'done' }];

test('a log that nobody watches has a line for the start and the end of a task; history and show have the details', async () => {
  const project = inRepository();
  const { piton, json, folder } = project;
  const setup = { copy: '.env', run: 'echo setting up; cp .env ready' };
  const check = 'test -e ready';
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')], { setup, check }) });

  const { code, stdout } = await piton(['run', 'flow', '--id', 'r1']);
  expect(code).toBe(0);
  const story = stdout.split('\n').map((line) => line.replace(/^\d\d:\d\d\.\d {2}/, ''));
  const commit = git(folder, 'rev-parse', 'piton/r1');
  expect(story.filter((line) => /fix/.test(line))).toEqual([
    '▸ fix started with scripted',
    expect.stringMatching(/^✓ fix /),
    expect.stringMatching(/^▸ the place of fix was (removed|archived in \S+): ./),
  ]);
  const { stdout: history } = await piton(['history', 'r1']);
  const details = [
    'fix is being set up',
    'fix works in ',
    'fix is set up',
    'fix is done, says its agent',
    'fix is checked',
    'fix has passed its check',
    'fix is being brought to the work of others',
    `the work of fix is in piton/r1 (${commit.slice(0, 7)})`,
  ];
  expect(details.filter((text) => !history.includes(text) || stdout.includes(text))).toEqual([]);

  const base = git(folder, 'rev-parse', 'main');
  const shown = (await json(['show', 'r1', 'fix'])) as { attempts: { kind: string }[]; workspace: object };
  expect(shown.attempts.map(({ kind }) => kind)).toEqual(['setup', 'work', 'check', 'integrate']);
  expect(shown.workspace).toMatchObject({ base, integrated: { commit }, cleaned: expect.any(Object) });
  expect(shown.workspace).not.toHaveProperty('token');
  const { stdout: page } = await piton(['show', 'r1', 'fix']);
  expect(page).toMatch(/^place: .+\/worktrees\/.+ \(it was (removed|archived in \S+): .+\)$/m);
  expect(page).toMatch(new RegExp(`^branch: piton-tasks/r1/fix, from ${base}$`, 'm'));
  expect(page).toMatch(new RegExp(`^result: [0-9a-f]{40}, in piton/r1 by ${commit}$`, 'm'));

  const { stdout: logs } = await piton(['logs', 'r1', 'fix']);
  expect(logs).toMatch(/^── setup, attempt 1\nsetting up\n/);
});

test('work that does not fit is told with its files, and waits for a person', async () => {
  const project = inRepository();
  const meets = (self: string, other: string): object => ({
    run: `cd '${project.folder}/.piton' && touch ${self} && timeout 20 sh -c 'until test -e ${other}; do sleep 0.02; done'`,
  });
  writeFlow(project, {
    one: played([[meets('one', 'two'), ...edits('a.txt', 'mine\n')]]),
    two: played([[meets('two', 'one'), ...edits('a.txt', 'yours\n')]]),
  });
  const { code, stdout } = await project.piton(['run', 'flow', '--id', 'r1']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/✗ conflict in a\.txt between (one and two|two and one)\n/);
  expect(stdout).toMatch(
    /\? (one|two) waits for you: conflict in a\.txt between .* \(both sides are in .+\/\1\)\n/,
  );
  const { stdout: status } = await project.piton(['status', 'r1']);
  expect(status).toMatch(/(one|two) +\? held +conflict in a\.txt between/);
  const { stdout: page } = await project.piton([
    'show',
    'r1',
    status.includes('one  ? held') ? 'one' : 'two',
  ]);
  expect(page).toMatch(/^branch: piton-tasks/m);
  expect(page).not.toMatch(/^(result|now):/m);
});

/** Held: the agent of `two` was to make its work fit to that of `one`, left the conflict as it is, and its check found that. */
async function heldUnresolved(last: readonly object[]): Promise<Project> {
  const project = inRepository();
  const { folder } = project;
  const until = (what: string): object => ({ run: `timeout 20 sh -c 'until ${what}; do sleep 0.02; done'` });
  const landed = `git -C "${folder}" cat-file -e piton/r1:landed 2>/dev/null`;
  const turns = [
    [{ run: `touch '${folder}/.piton/begun'` }, until(landed), ...edits('a.txt', 'yours\n')],
    [{ answer: 'as it is' }],
    last,
  ];
  const land = [{ edit: { file: 'landed', text: 'x' } }, ...edits('a.txt', 'mine\n')];
  writeFlow(project, {
    one: played([[until(`test -e "${folder}/.piton/begun"`), ...land]]),
    two: played(turns, { 'on-conflict': 'agent', check: { run: '! grep "<<<<<" a.txt', revise: 0 } }),
  });
  const { code, stdout } = await project.piton(['run', 'flow', '--id', 'r1']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/\? two waits for you: its agent did not resolve the conflict in a\.txt: /);
  expect(stdout).toMatch(/\nNext: piton resolve r1 two\n/);
  return project;
}

test('a conflict that its agent leaves as it is waits for a person, who resolves it', async () => {
  const project = await heldUnresolved([]);
  const { piton, json, folder } = project;
  const { stdout, code } = await piton(['resolve', 'r1', 'two']);
  expect(code).toBe(3);
  expect(stdout).toContain('a.txt: one place between marks');
  const shown = (await json(['show', 'r1', 'two'])) as { workspace: { path: string } };
  writeFileSync(join(shown.workspace.path, 'a.txt'), 'both\n');
  expect((await piton(['resolve', 'r1', 'two', '--done'])).code).toBe(0);
  expect(git(folder, 'show', 'piton/r1:a.txt')).toBe('both');
});

test('a conflict that its agent leaves as it is goes back to it, with what a person says about it', async () => {
  const { piton, folder } = await heldUnresolved([
    { expect: 'conflicts with what others have made in the meantime in "a.txt"' },
    { expect: 'Keep both.' },
    ...edits('a.txt', 'mine\nyours\n'),
  ]);
  expect((await piton(['tell', 'r1', 'two', 'Keep both.'])).code).toBe(0);
  expect((await piton(['retry', 'r1', 'two'])).code).toBe(0);
  expect(git(folder, 'show', 'piton/r1:a.txt')).toBe('mine\nyours');
});

test('a conflict that its agent leaves as it is can be left out', async () => {
  const { piton, folder } = await heldUnresolved([]);
  expect((await piton(['skip', 'r1', 'two'])).code).toBe(0);
  expect(git(folder, 'show', 'piton/r1:a.txt')).toBe('mine');
});

test('what was cleaned while a run came to wait for a person is written down, and not found missing later', async () => {
  const project = inRepository();
  writeFlow(project, {
    one: played([edits('b.txt', 'b\n')]),
    two: { needs: 'one', approval: 'Go on?', run: 'true' },
  });
  expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(3);
  const { stdout } = await project.piton(['history', 'r1']);
  expect(stdout).toContain('the place of one was removed: all that was in it is in git');
});

const places = {
  name: 'flow',
  base: 'main',
  setup: { copy: '.env', run: 'make ${{ inputs.part }}' },
  inputs: { part: 'string' },
  tasks: {
    plan: { agent: 'claude', permissions: 'read', prompt: 'Plan.' },
    build: { needs: 'plan', agent: 'claude', prompt: 'Build.', 'on-conflict': 'agent' },
    look: { needs: 'build', agent: 'claude', permissions: 'read', prompt: 'Look.' },
    test: { needs: 'build', tasks: { unit: { run: 'npm test' }, note: { run: 'ls', workspace: 'shared' } } },
  },
};

test('a dry run and validate say where each task would work, and what would be set up', async () => {
  const project = inRepository();
  project.write('.piton/workflows/flow.yaml', JSON.stringify(places));
  const args = ['run', 'flow', '-i', 'part=roof', '--dry-run'];
  const { stdout } = await project.piton(args);
  expect(stdout).toContain('\n  worktrees begin from main\n');
  expect(stdout).toMatch(/ plan\n {6}works in the folder of the run\n/);
  expect(stdout).toMatch(
    / build .*\n {6}works in a git worktree of its own; its work is brought to the branch of the run\n {6}set up first, with a copy of \.env:\n {8}make .*\n {6}\w+=roof\n/,
  );
  expect(stdout).toContain('on-conflict agent');
  expect(stdout).toMatch(/ look .*\n {6}works in a git worktree of its own; only to look\n/);
  expect(stdout).toMatch(
    / test .*\n {6}works in git worktrees of their own: test\/unit\n {6}works in the folder of the run: test\/note\n/,
  );
  expect(await project.json(args)).toMatchObject({
    base: 'main',
    levels: [
      [{ task: 'plan', places: [{ place: { mode: 'shared' } }] }],
      [
        {
          task: 'build',
          setup: { copy: ['.env'] },
          places: [{ place: { mode: 'worktree', integrates: true } }],
        },
      ],
      [{ task: 'look' }, { task: 'test' }],
    ],
  });
  const { stdout: valid } = await project.piton(['validate', 'flow']);
  expect(valid).toContain('    works in the folder of the run: plan, test/note\n');
  expect(valid).toContain('    works in git worktrees of their own: build, look, test/unit\n');
});

test('without a repository all work in the folder of the run, and it is said why', async () => {
  const project = newProject();
  project.write('.piton/workflows/flow.yaml', JSON.stringify(places));
  const { stdout } = await project.piton(['run', 'flow', '-i', 'part=roof', '--dry-run']);
  expect(stdout).toMatch(
    / build .*\n {6}works in the folder of the run, as there is no git repository around it\n {6}agent/,
  );
  const { stdout: valid } = await project.piton(['validate', 'flow']);
  expect(valid).toContain(
    '    works in the folder of the run, as there is no git repository around it: build, look, test/unit\n',
  );
});

test('what is not committed is said to be out of sight, before anything starts', async () => {
  const project = inRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  project.write('new.txt', 'not yet committed');
  const { stderr } = await project.piton(['run', 'flow', '--id', 'r1']);
  expect(stderr).toContain(
    '1 file of this repository is not committed: tasks that work in worktrees do not see it.',
  );
  expect((await project.piton(['run', 'flow', '--id', 'r1'])).stderr).not.toContain('not committed');
});
