import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { edits, git, projectInRepository } from '../support/git-project.ts';
import { binary } from '../support/built.ts';
import { type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';

/** Its options differ from system to system; the one of Linux is the one that is known here. */
const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

/** A run whose only task has failed, with a file that it did not commit. */
async function failedRun(): Promise<Project> {
  const project = projectInRepository();
  writeFlow(project, { build: played([[{ run: 'echo half > half.txt' }, { exit: 1 }]]) });
  expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(1);
  return project;
}

/** A run with two tasks that have changed the same line; gives the one that is held. */
async function conflictingRun(): Promise<{ project: Project; held: string; folder: string }> {
  const project = projectInRepository();
  const meets = (self: string, other: string): object => ({
    run: `cd '${project.folder}/.piton' && touch ${self} && timeout 20 sh -c 'until test -e ${other}; do sleep 0.02; done'`,
  });
  writeFlow(project, {
    one: played([[meets('one', 'two'), ...edits('a.txt', 'mine\n')]]),
    two: played([[meets('two', 'one'), ...edits('a.txt', 'yours\n')]]),
  });
  expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(3);
  const { tasks } = (await project.json(['show', 'r1'])) as {
    tasks: Record<string, { status: string; workspace: { path: string } }>;
  };
  const [held, report] = Object.entries(tasks).find(([, { status }]) => status === 'held')!;
  return { project, held, folder: report.workspace.path };
}

describe('a place that its own agent has deleted', () => {
  /** Deletes the place in its first turn, and works in the next. */
  async function vanishedRun(): Promise<Project> {
    const project = projectInRepository();
    const place = join(project.folder, '.piton/worktrees/r1/build');
    const deletes = [{ run: `cd / && rm -rf '${place}'` }, { answer: 'done' }];
    writeFlow(project, { build: played([deletes, edits('b.txt', 'b\n')]) });
    expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(3);
    return project;
  }

  test('is made again by the first of the commands that are offered', async () => {
    const project = await vanishedRun();
    const [waiting] = (await project.json(['inbox'])) as { actions: { command: string }[] }[];
    const commands = waiting!.actions.map(({ command }) => command);
    expect(commands).toEqual([
      'piton workspace recreate r1 build',
      'piton workspace discard r1 build',
      'piton retry r1 build',
      'piton skip r1 build',
    ]);
    const { stdout } = await project.piton(['status', 'r1']);
    expect(stdout).toMatch(/^Next: piton workspace recreate r1 build$/m);
    const typed = commands[0]!.split(' ').slice(1);
    expect((await project.piton(typed)).code).toBe(0);
    expect(git(project.folder, 'show', 'piton/r1:b.txt')).toBe('b');
  });
});

describe('piton workspace', () => {
  test('lists what git still has when all that Piton knew is gone, and lays it out', async () => {
    const project = await failedRun();
    for (const name of ['piton.db', 'piton.db-wal', 'piton.db-shm', 'spool', '.gitignore'])
      rmSync(join(project.folder, '.piton', name), { recursive: true, force: true });
    const { stderr } = await project.piton(['status']);
    expect(stderr).toContain('piton workspace list');
    const { stdout } = await project.piton(['workspace', 'list']);
    expect(stdout).toMatch(/^ +branch +stray +refs\/heads\/piton\/r1: /m);
    expect(stdout).toMatch(/^r1 +build +kept +archived +refs\/piton\/r1\/build\/saved: /m);
    const folder = join(project.folder, '.piton', 'back');
    await project.piton(['workspace', 'restore', 'refs/piton/r1/build/saved', '--to', folder]);
    expect(readFileSync(join(folder, 'half.txt'), 'utf8')).toBe('half\n');
  });

  test('lists places with their health and size, and shows all about one', async () => {
    const project = await failedRun();
    const { stdout, code } = await project.piton(['workspace', 'list', '--size']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^RUN +TASK +KIND +STATUS +HEALTH +SIZE +WHERE AND WHY$/m);
    expect(stdout).toMatch(/^r1 +build +worktree +ready +dirty +\d+(\.\d)? kB +.+\/worktrees\/r1\/build: /m);
    expect(stdout).toMatch(/^Together they take \d/m);
    expect(stdout).toMatch(/^Next: piton workspace clean --dry-run$/m);

    const { stdout: page } = await project.piton(['workspace', 'show', 'r1', 'build']);
    expect(page).toMatch(/^branch: piton-tasks\/r1\/build$/m);
    expect(page).toContain(`began from: ${git(project.folder, 'rev-parse', 'main')}`);
    expect(page).toMatch(/^last saved as: [0-9a-f]{40}$/m);
    expect(await project.json(['workspace', 'list'])).toMatchObject([
      { run: 'r1', task: 'build', health: 'dirty' },
      {
        run: 'r1',
        kind: 'branch',
        branch: 'refs/heads/piton/r1',
        reason: expect.stringMatching(/tried again/),
      },
    ]);
  });

  test('cleans only what it said it would, with a reason for every line, and restores it elsewhere', async () => {
    const project = await failedRun();
    const place = join(project.folder, '.piton/worktrees/r1/build');
    const { stdout: dry } = await project.piton(['workspace', 'clean', '--dry-run']);
    expect(dry).toMatch(/^would clean r1 build .+\/worktrees\/r1\/build: its task has settled$/m);
    expect(dry).toMatch(/^Next: piton workspace clean$/m);
    expect(existsSync(place)).toBe(true);

    const { stdout: old } = await project.piton(['workspace', 'clean', '--older-than', '7d']);
    expect(old).toContain('There was nothing to change.');
    const { stdout, code } = await project.piton(['workspace', 'clean']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^clean r1 build .+: its task has settled → archived in refs\/piton\/archive\/\S+: /m,
    );
    expect(existsSync(place)).toBe(false);
    expect((await project.piton(['workspace', 'list'])).stdout).toMatch(/^r1 +build +worktree +archived/m);

    expect((await project.piton(['workspace', 'restore', 'r1', 'build'])).code).toBe(2);
    const to = join(project.folder, '.piton/back');
    expect((await project.piton(['workspace', 'restore', 'r1', 'build', '--to', to])).code).toBe(0);
    expect(readFileSync(join(to, 'half.txt'), 'utf8')).toBe('half\n');
    const { code: again, stderr } = await project.piton(['workspace', 'restore', 'r1', 'build', '--to', to]);
    expect(again).toBe(2);
    expect(stderr).toContain('is there already');
  });

  test('takes the limits of the configuration, and says which one it was', async () => {
    const project = await failedRun();
    project.write('.piton/config.yaml', 'workspaces:\n  keep: 1ms\n');
    const { stdout } = await project.piton(['workspace', 'clean']);
    expect(stdout).toMatch(/its task has settled \S+ ago \(the limit is 1ms\)/);
  });

  test('refuses what it cannot do, and says what is wrong with it', async () => {
    const project = await failedRun();
    const cases: [args: string[], message: RegExp][] = [
      [['polish'], /cannot polish/],
      [['show'], /needs a run and a task/],
      [['show', 'r1', 'bild'], /Did you mean build/],
      [['clean', '--older-than', 'soon'], /no time span/],
      [['clean', 'r1', 'build'], /clean takes no task: build/],
      [['clean', 'build'], /no run whose id is or begins with build.\n.*See all runs/],
      [['discard', 'r1', 'build', '--dry-run'], /discard takes no --dry-run/],
      [['restore', 'r1', 'build', '--to', 'x', '--from', 'refs/none'], /no archive refs\/none/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await project.piton(['workspace', ...args]);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
    const { code, stderr } = await project.piton(['workspace', 'adopt', 'r1', 'build']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('build is failed, not held')]);
  });

  test('names the command that does what a dry run has shown, with the same limits', async () => {
    const project = await failedRun();
    const { stdout } = await project.piton([
      'workspace',
      'clean',
      '--dry-run',
      '--older-than',
      '0s',
      '--force',
    ]);
    expect(stdout).toContain('Next: piton workspace clean --older-than 0s --force\n');
  });

  test('reconciles after a crash, and says so when there is nothing to do', async () => {
    const project = projectInRepository();
    writeFlow(project, {
      first: played([edits('first.txt', '1\n')]),
      second: played([edits('second.txt', '2\n')], { needs: ['first'] }),
    });
    await project.piton(['run', 'flow', '--id', 'r1'], { env: { PITON_CRASH_AT: 'after:task.succeeded' } });

    expect((await project.piton(['workspace', 'reconcile', '--dry-run'])).stdout).toMatch(
      /^would clean r1 first /m,
    );
    expect((await project.piton(['workspace', 'reconcile'])).stdout).toMatch(
      /^clean r1 first .+ → (removed|archived)/m,
    );
    expect((await project.piton(['workspace', 'reconcile'])).stdout).toContain(
      'There was nothing to change.',
    );
  });
});

describe('a place that is not as it should be', () => {
  test('is in the inbox with all that may be done, and can be made again', async () => {
    const project = projectInRepository();
    const harmed = join(project.folder, '.piton/harmed');
    const harm = `test -e ${harmed} || { touch ${harmed}; rm -rf .git; git init -q .; echo x > strange.txt; }`;
    writeFlow(project, { build: played([[{ run: `echo b > b.txt; ${harm}` }, { answer: 'done' }]]) });
    expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(3);
    const { stdout: inbox } = await project.piton(['inbox']);
    expect(inbox.match(/^    piton .+?(?= +# \w+)/gm)?.map((line) => line.trim())).toEqual([
      'piton workspace recreate r1 build',
      'piton workspace discard r1 build',
      'piton retry r1 build',
      'piton skip r1 build',
    ]);
    expect((await project.piton(['workspace', 'list'])).stdout).toMatch(
      /^r1 +build +worktree +needs attention +drifted/m,
    );
    expect((await project.piton(['doctor'])).stdout).toMatch(/places +in need of a person: r1 build/);

    const { code, stdout } = await project.piton(['workspace', 'discard', 'r1', 'build']);
    expect(stdout).toContain('the place of build is to be begun anew');
    expect(code).toBe(0);
    expect(git(project.folder, 'show', 'piton/r1:b.txt')).toBe('b');
    // What was there instead was moved out of the way: it is told of, kept when it is cleaned, and listed after that.
    expect((await project.piton(['workspace', 'list'])).stdout).toMatch(
      /^r1 +folder +stray .+\.set-aside-\S+: what was in the place/m,
    );
    const { stdout: cleaned } = await project.piton(['workspace', 'clean']);
    const [, archive = ''] = /→ archived in (\S+): /.exec(cleaned) ?? [];
    expect(readFileSync(join(archive, 'strange.txt'), 'utf8')).toBe('x\n');
    expect(await project.json(['workspace', 'list'])).toContainEqual(
      expect.objectContaining({ kind: 'archive', run: 'r1', ref: archive }),
    );
  });
});

describe('piton resolve', () => {
  test('shows both sides, refuses while marks are left, and takes what a person has made of it', async () => {
    const { project, held, folder } = await conflictingRun();
    const { stdout, code } = await project.piton(['resolve', 'r1', held]);
    expect(code).toBe(3);
    expect(stdout).toContain(`folder: ${folder}`);
    expect(stdout).toContain('  a.txt: one place between marks');
    expect(stdout).toMatch(
      /^sides: between <<<<<<< and ======= stands what others made: piton\/\S+ \(task \w+\),$/m,
    );
    expect(stdout).toMatch(new RegExp(`between ======= and >>>>>>> what this task made: task ${held}$`, 'm'));
    expect(stdout).toContain(`piton resolve r1 ${held} --done`);
    expect((await project.piton(['inbox'])).stdout).toContain(`    piton resolve r1 ${held} `);

    const refused = await project.piton(['resolve', 'r1', held, '--done']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('There are still marks of the conflict in a.txt.');

    writeFileSync(join(folder, 'a.txt'), 'both\n');
    expect((await project.piton(['resolve', 'r1', held, '--done'])).code).toBe(0);
    expect(git(project.folder, 'show', 'piton/r1:a.txt')).toBe('both');
    expect(git(project.folder, 'status', '--porcelain')).toBe('');
  });

  test.runIf(hasTerminals)(
    'opens a shell in the folder on a terminal, and comes back when that ends',
    async () => {
      const { project, held, folder } = await conflictingRun();
      const shell = project.write('.piton/shell', '#!/bin/sh\npwd > a.txt\n');
      chmodSync(shell, 0o700);
      const line = `SHELL='${shell}' exec "${process.execPath}" "${binary}" resolve r1 ${held}`;
      const { stdout, status } = spawnSync('script', ['-qfec', line, '/dev/null'], {
        cwd: project.folder,
        encoding: 'utf8',
        env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm', PITON_DURABILITY: 'process' },
      });
      expect(status).toBe(3);
      expect(stdout).toContain('A shell opens in that folder: exit comes back here.');
      expect(stdout).toMatch(new RegExp(`Next:\\S* piton resolve r1 ${held} --done`));
      expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(`${folder}\n`);
    },
  );

  test('is only for tasks that are held because of a conflict', async () => {
    const project = await failedRun();
    const { code, stderr } = await project.piton(['resolve', 'r1', 'build']);
    expect(code).toBe(4);
    expect(stderr).toContain('has no conflict to resolve');
  });

  test('has the conflict laid out again when its folder is gone', async () => {
    const { project, held, folder } = await conflictingRun();
    rmSync(folder, { recursive: true });
    const { stderr } = await project.piton(['resolve', 'r1', held]);
    expect(stderr).toContain(`piton retry r1 ${held}`);
    expect((await project.piton(['retry', 'r1', held])).code).toBe(3);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toContain('<<<<<<<');
  });
});

describe('what is said of runs with places', () => {
  test('counts tries at the work only, and offers to merge only what has succeeded', async () => {
    const project = projectInRepository();
    writeFlow(project, {
      build: played([edits('b.txt', 'b\n')], { check: 'test -e b.txt', setup: 'true' }),
      look: played([[{ answer: 'seen' }]], { needs: ['build'], permissions: 'read' }),
    });
    const { stdout } = await project.piton(['run', 'flow', '--id', 'r1']);
    expect(stdout).toContain('its work is in the branch piton/r1\n');
    expect(stdout).toMatch(/^Next: piton diff r1\n {2}or: piton merge r1$/m);
    expect(stdout).not.toContain('look is being brought');
    expect(stdout).not.toContain('git merge');
    for (const command of ['status', 'show'])
      expect((await project.piton([command, 'r1'])).stdout).not.toContain('attempt');

    writeFlow(project, { build: played([[{ answer: 'nothing to do' }]]) });
    const { stdout: idle } = await project.piton(['run', 'flow', '--id', 'r2']);
    expect(idle).toMatch(/^ {2}its tasks have changed no files\nNext: piton show r2$/m);

    const failed = await failedRun();
    const { stdout: page } = await failed.piton(['retry', 'r1', 'build']);
    expect(page).not.toContain('piton merge');
    expect((await failed.piton(['status', 'r1'])).stdout).toMatch(/build +✗ failed +attempt 2/);
  });

  test('a dry run refuses a base that the repository does not have', async () => {
    const project = projectInRepository();
    const flow = { name: 'flow', base: 'nowhere', tasks: { build: played([edits('b.txt', 'b')]) } };
    project.write('.piton/workflows/flow.yaml', JSON.stringify(flow));
    const { stderr } = await project.piton(['run', 'flow', '--dry-run']);
    expect(stderr).toContain('There is no branch or commit nowhere to begin from.');
  });

  test('doctor tells of what nobody has recorded', async () => {
    const project = await failedRun();
    project.write('.piton/worktrees/unknown/work/file.txt', 'x');
    const { stdout } = await project.piton(['doctor']);
    expect(stdout).toMatch(/leftovers +1 thing that no task has, such as .+\/unknown\/work/);
    expect(stdout).toContain('→ piton workspace clean --dry-run');
    expect(stdout).toMatch(/disk use +places and archives take \d/);
  });
});
