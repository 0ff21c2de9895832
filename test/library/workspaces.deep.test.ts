import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadWorkflow, type Piton, type WorkspaceAction, type WorkspaceReport } from '../../src/index.ts';
import { binary } from '../support/built.ts';
import { type Project } from '../cli/command-line.ts';
import { played, writeFlow } from '../cli/played.ts';
import { eventually } from '../support/eventually.ts';
import { edits, git, projectInRepository } from '../support/git-project.ts';

/** Two tasks, one after the other; the driver is killed right after the first has settled, before it was cleaned up after. */
async function killedAfterFirst(project = projectInRepository()): Promise<Project> {
  writeFlow(project, {
    first: played([edits('first.txt', '1\n')]),
    second: played([edits('second.txt', '2\n')], { needs: ['first'] }),
  });
  const env = { PITON_CRASH_AT: 'after:task.succeeded' };
  await project.piton(['run', 'flow', '--id', 'r1'], { env });
  return project;
}

const listIn = (project: Project): Promise<readonly WorkspaceReport[]> =>
  project.withStore((piton) => piton.workspaces({ folder: project.folder }));

/** Without the branches of runs. */
const lookAt = async (project: Project): Promise<readonly WorkspaceReport[]> =>
  (await listIn(project)).filter(({ kind, status }) => kind !== 'branch' || status === 'stray');

const reconcileIn = (
  project: Project,
  options: Parameters<Piton['reconcile']>[0] = {},
): Promise<readonly WorkspaceAction[]> =>
  project.withStore((piton) => piton.reconcile({ folder: project.folder, ...options }));

const cleanIn = (
  project: Project,
  options: Parameters<Piton['cleanWorkspaces']>[0] = {},
): Promise<readonly WorkspaceAction[]> =>
  project.withStore((piton) => piton.cleanWorkspaces({ folder: project.folder, ...options }));

const pathOf = async (project: Project, address: string): Promise<string> =>
  (await lookAt(project)).find(({ task }) => task === address)!.path!;

describe('reconciling', () => {
  test('cleans up after a settled task whose driver died, journals it, and does nothing the second time', async () => {
    const project = await killedAfterFirst();
    const path = await pathOf(project, 'first');
    expect(existsSync(path)).toBe(true);

    const planned = await reconcileIn(project, { dryRun: true });
    expect(planned).toEqual([
      expect.objectContaining({ run: 'r1', task: 'first', what: 'clean', name: path }),
    ]);
    expect(existsSync(path)).toBe(true);

    const [done, ...others] = await reconcileIn(project);
    expect(others).toEqual([]);
    expect(done).toMatchObject({ ...planned[0], done: expect.stringMatching(/^(removed|archived)/) });
    expect(existsSync(path)).toBe(false);
    expect(await reconcileIn(project)).toEqual([]);

    const history = (await project.piton(['history', 'r1', '--json'])).stdout;
    expect(history).toContain('workspace.cleaned');
    expect((await project.piton(['resume', 'r1'])).code).toBe(0);
    expect(git(project.folder, 'ls-tree', '--name-only', 'piton/r1').split('\n')).toEqual([
      '.gitignore',
      'a.txt',
      'first.txt',
      'second.txt',
    ]);
  });

  test('never disturbs a settled task that has lost its folder', async () => {
    const project = await killedAfterFirst();
    rmSync(await pathOf(project, 'first'), { recursive: true });
    await reconcileIn(project);

    expect(await project.json(['status', 'r1'])).toMatchObject({ tasks: { first: { status: 'succeeded' } } });
    expect((await project.piton(['resume', 'r1'])).code).toBe(0);
    expect(git(project.folder, 'show', 'piton/r1:first.txt')).toBe('1');
  });

  test('says of the lost folder of an unsettled task that it will be made again, and leaves it to the task', async () => {
    const project = projectInRepository();
    writeFlow(project, { build: played([edits('b.txt', 'b\n')]) });
    await project.piton(['run', 'flow', '--id', 'r1'], {
      env: { PITON_CRASH_AT: 'after:workspace.prepared' },
    });
    const path = await pathOf(project, 'build');
    rmSync(path, { recursive: true });

    expect(await reconcileIn(project)).toEqual([
      {
        run: 'r1',
        task: 'build',
        what: 'nothing',
        name: path,
        reason: expect.stringContaining('will be made again'),
      },
    ]);
    expect((await project.piton(['resume', 'r1'])).code).toBe(0);
    expect(git(project.folder, 'show', 'piton/r1:b.txt')).toBe('b');
  });

  test('holds a task that has not begun again and whose place somebody has replaced, with all that may be done', async () => {
    const project = projectInRepository();
    writeFlow(project, {
      build: played([[{ await: join(project.folder, '.piton/go') }, ...edits('b.txt', 'b\n')]]),
    });
    const path = await project.withStore(async (piton) => {
      const definition = await loadWorkflow(join(project.folder, '.piton/workflows/flow.yaml'));
      const run = await piton.start(definition, { id: 'r1', origin: { directory: project.folder } });
      const place = async (): Promise<string | undefined> =>
        (await run.checkpoint()).tasks['build']!.workspace?.path;
      await eventually('it has a place', async () => (await place()) !== undefined);
      return (await place())!;
    });
    rmSync(path, { recursive: true });
    mkdirSync(path);
    git(path, 'init', '-q');
    writeFileSync(join(path, 'theirs.txt'), 'theirs');

    const held = { run: 'r1', task: 'build', what: 'hold', name: path };
    expect(await reconcileIn(project, { dryRun: true })).toMatchObject([held]);
    expect(await reconcileIn(project)).toMatchObject([{ ...held, done: 'held' }]);
    expect(await reconcileIn(project)).toMatchObject([{ task: 'build', what: 'nothing' }]);
    expect(await project.json(['inbox'])).toMatchObject([
      {
        task: 'build',
        actions: [
          { action: 'recreate' },
          { action: 'adopt' },
          { action: 'discard' },
          { action: 'retry' },
          { action: 'skip' },
        ],
      },
    ]);
    expect(readFileSync(join(path, 'theirs.txt'), 'utf8')).toBe('theirs');
  });

  test('leaves the places of a run that is being driven to its driver', async () => {
    const project = projectInRepository();
    writeFlow(project, {
      build: played([[{ await: join(project.folder, '.piton/go') }, ...edits('b.txt', 'b\n')]]),
    });
    const ended = project.piton(['run', 'flow', '--id', 'r1']);
    await expect
      .poll(
        async () =>
          existsSync(join(project.folder, '.piton/piton.db')) ? (await lookAt(project)).length : 0,
        { timeout: 60_000 },
      )
      .toBe(1);

    // Before that it says that the run has gone on meanwhile.
    await expect
      .poll(() => reconcileIn(project), { timeout: 60_000 })
      .toEqual([
        expect.objectContaining({ run: 'r1', what: 'nothing', reason: expect.stringContaining('driven') }),
      ]);
    expect(await cleanIn(project)).toEqual([]);
    expect(await lookAt(project)).toMatchObject([{ task: 'build', status: 'in use', kind: 'worktree' }]);
    project.write('.piton/go', '');
    expect((await ended).code).toBe(0);
  });

  test('is told who else is at it, and since when', async () => {
    const project = await killedAfterFirst();
    const log = join(project.folder, '.piton/passed');
    const env = { ...process.env, PITON_STOP_AT: 'before:workspace.cleaned', PITON_CRASH_LOG: log };
    const other = spawn(process.execPath, [binary, 'workspace', 'reconcile'], { cwd: project.folder, env });
    onTestFinished(() => void other.kill('SIGKILL'));
    const isStopped = (): boolean =>
      existsSync(log) && readFileSync(log, 'utf8').includes('before:workspace.cleaned');
    await eventually('the other one is in the middle of it', isStopped);

    for (const attempt of [reconcileIn, cleanIn])
      await expect(attempt(project)).rejects.toMatchObject({
        code: 'LOCK_HELD',
        message: expect.stringMatching(new RegExp(`^Process ${other.pid} on .+, since \\d{4}-`)),
      });
    expect(await reconcileIn(project, { dryRun: true })).toMatchObject([{ run: 'r1' }]);
    other.kill('SIGCONT');
    expect(await once(other, 'exit')).toEqual([0, null]);
    expect(await reconcileIn(project)).toEqual([]);
  });

  test.each(['before:git.folder-removed', 'after:workspace.removed', 'before:workspace.cleaned'])(
    'killed at %s is finished by the next one, and journalled once',
    async (place) => {
      const project = await killedAfterFirst();
      const path = await pathOf(project, 'first');
      const killed = await project.piton(['workspace', 'reconcile'], { env: { PITON_CRASH_AT: place } });
      expect(killed.code).not.toBe(0);
      const [first] = await reconcileIn(project);
      expect(first).toMatchObject({ run: 'r1', task: 'first', what: 'clean' });
      expect(existsSync(path)).toBe(false);
      expect(await reconcileIn(project)).toEqual([]);
      const history = JSON.parse((await project.piton(['history', 'r1', '--json'])).stdout) as object;
      expect(JSON.stringify(history).match(/"workspace.cleaned"/g)).toHaveLength(1);
    },
  );

  test('is done before another run begins, and said', async () => {
    const project = await killedAfterFirst();
    const path = await pathOf(project, 'first');
    writeFlow(project, { build: played([edits('b.txt', 'b\n')]) });
    const { stderr } = await project.piton(['run', 'flow', '--id', 'r2']);
    expect(stderr).toContain('the place of first of run r1 was removed');
    expect(existsSync(path)).toBe(false);
  });

  test('reports a damaged run, and still reconciles the others', async () => {
    const project = projectInRepository();
    const { DatabaseSync } = await import('node:sqlite');
    writeFlow(project, { build: played([edits('b.txt', 'b\n')]) });
    await project.piton(['run', 'flow', '--id', 'r2']);
    await killedAfterFirst(project);
    const database = new DatabaseSync(join(project.folder, '.piton/piton.db'));
    database.exec(`
      UPDATE commits SET body = replace(body, 'build', 'built')
      WHERE seq = 2 AND run_number = (SELECT number FROM runs WHERE run = 'r2')`);
    database.close();

    expect(await reconcileIn(project)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ run: 'r2', what: 'nothing' }),
        expect.objectContaining({ run: 'r1', task: 'first', what: 'clean' }),
      ]),
    );
  });

  test('archives a folder that nobody has recorded before it removes it', async () => {
    const project = await killedAfterFirst();
    const stray = join(project.folder, '.piton/worktrees/unknown/work');
    mkdirSync(stray, { recursive: true });
    writeFileSync(join(stray, 'precious.txt'), 'precious');

    const actions = await reconcileIn(project);
    const cleaned = actions.find(({ name }) => name?.includes('unknown') === true)!;
    const [, archive = ''] = /^archived in (\S+): /.exec(cleaned.done!)!;
    expect(readFileSync(join(archive, 'precious.txt'), 'utf8')).toBe('precious');
    expect(existsSync(stray)).toBe(false);
  });
});

test('what only another store in the same folder knows is left alone', async () => {
  const project = projectInRepository();
  writeFlow(project, { build: played([edits('b.txt', 'b\n')]) });
  const other = ['--store', 'sqlite:.piton/other.db'];
  const env = { PITON_CRASH_AT: 'after:workspace.prepared' };
  await project.piton([...other, 'run', 'flow', '--id', 'theirs'], { env });
  await project.piton(['run', 'flow', '--id', 'ours']);

  const named = { run: 'theirs', name: join(project.folder, '.piton/worktrees/theirs/build') };
  expect(await reconcileIn(project)).toContainEqual(
    expect.objectContaining({ ...named, what: 'nothing', reason: expect.stringContaining('another store') }),
  );
  await cleanIn(project, { olderThanMs: 0 });
  expect(existsSync(named.name)).toBe(true);
  expect((await project.piton([...other, 'resume', 'theirs'])).code).toBe(0);
});

describe('cleaning', () => {
  test('removes what a policy has kept, and archives what only the place held', async () => {
    const project = projectInRepository();
    project.write('.piton/config.yaml', 'workspaces:\n  cleanup: keep\n');
    writeFlow(project, { build: played([[{ run: 'echo b > b.txt' }, { exit: 1 }]]) });
    expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(1);
    const path = await pathOf(project, 'build');
    expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('b\n');
    expect(await lookAt(project)).toMatchObject([{ task: 'build', status: 'ready', health: 'dirty' }]);

    expect(await cleanIn(project, { olderThanMs: 86_400_000 })).toEqual([]);
    const [cleaned] = await cleanIn(project);
    expect(cleaned).toMatchObject({
      what: 'clean',
      name: path,
      done: expect.stringMatching(/^archived in /),
    });
    expect(existsSync(path)).toBe(false);
    expect(await lookAt(project)).toMatchObject([
      { task: 'build', status: 'archived', ref: expect.any(String) },
    ]);

    const to = join(project.folder, '.piton/back');
    const ref = (await lookAt(project))[0]!.ref!;
    await project.withStore((piton) => piton.restoreArchive({ ref, to, folder: project.folder }));
    expect(readFileSync(join(to, 'b.txt'), 'utf8')).toBe('b\n');
  });

  test('removes archives that are older than the limit, and the journal knows', async () => {
    const project = projectInRepository();
    writeFlow(project, { build: played([[{ run: 'echo b > b.txt' }, { exit: 1 }]]) });
    await project.piton(['run', 'flow', '--id', 'r1']);
    await cleanIn(project);
    const ref = (await lookAt(project))[0]!.ref!;

    expect(await cleanIn(project)).toEqual([]);
    expect(await cleanIn(project, { olderThanMs: 0 })).toMatchObject([
      { what: 'drop archive', name: ref, reason: expect.stringContaining('the limit is'), done: 'removed' },
    ]);
    expect(git(project.folder, 'for-each-ref', 'refs/piton/archive')).toBe('');
    expect(await lookAt(project)).toMatchObject([{ task: 'build', status: 'removed' }]);
    expect(await cleanIn(project, { olderThanMs: 0 })).toEqual([]);

    // Tried again, the run would go on from where its branch was.
    git(project.folder, 'branch', '-D', 'piton/r1');
    const tip = { run: 'r1', kind: 'kept', ref: 'refs/piton/runs/r1' };
    expect(await listIn(project)).toContainEqual(expect.objectContaining(tip));
    expect(await cleanIn(project, { olderThanMs: 0 })).toEqual([]);
    expect(await cleanIn(project, { force: true })).toMatchObject([{ name: tip.ref, done: 'removed' }]);
  });

  test('killed between a removal and saying so, is finished by the next one', async () => {
    const project = projectInRepository();
    writeFlow(project, { build: played([[{ run: 'echo b > b.txt' }, { exit: 1 }]]) });
    await project.piton(['run', 'flow', '--id', 'r1']);
    const env = { PITON_CRASH_AT: 'before:workspace.cleaned' };
    for (const [args, options, status] of [
      [[], {}, 'archived'],
      [['--older-than', '0ms'], { olderThanMs: 0 }, 'removed'],
    ] as const) {
      expect((await project.piton(['workspace', 'clean', ...args], { env })).code).toBe(null);
      // Its place, or its archive, is gone by now, and nobody has said so.
      expect(await cleanIn(project, options)).toMatchObject([{ task: 'build', done: expect.any(String) }]);
      expect(await lookAt(project)).toMatchObject([{ task: 'build', status }]);
    }
    expect(await cleanIn(project, { olderThanMs: 0 })).toEqual([]);
    expect(git(project.folder, 'fsck', '--no-dangling')).toBe('');
  });

  test('removes the oldest until what is kept is within the quota', async () => {
    const project = projectInRepository();
    project.write('.piton/config.yaml', 'workspaces:\n  cleanup: keep\n');
    const big = { run: 'head -c 400000 /dev/urandom > big.bin' };
    writeFlow(project, {
      old: played([[big, { exit: 1 }]]),
      young: played([[big, { exit: 1 }]], { needs: ['old'], if: 'always()' }),
    });
    await project.piton(['run', 'flow', '--id', 'r1']);

    // Of any age nothing is too old; of both together one is too much.
    const limits = { olderThanMs: 86_400_000, quotaBytes: 700_000 };
    const actions = await cleanIn(project, { ...limits, dryRun: true });
    expect(actions).toMatchObject([
      { task: 'old', what: 'clean', reason: expect.stringContaining('may take 700 kB') },
    ]);
    await cleanIn(project, limits);
    expect(await lookAt(project)).toMatchObject([
      { task: 'old', status: 'archived' },
      { task: 'young', status: 'ready' },
    ]);
  });

  test('deletes the branch of a run only when another branch holds all of it, and nobody has it checked out', async () => {
    const project = projectInRepository();
    writeFlow(project, { build: played([edits('b.txt', 'b\n')]) });
    await project.piton(['run', 'flow', '--id', 'r1']);
    await cleanIn(project);
    expect(await cleanIn(project)).toEqual([]);

    git(project.folder, 'merge', '-q', 'piton/r1');
    git(project.folder, 'checkout', '-q', 'piton/r1');
    expect(await cleanIn(project)).toEqual([]);
    git(project.folder, 'checkout', '-q', 'main');
    expect(await cleanIn(project)).toMatchObject([
      {
        what: 'drop branch',
        name: 'refs/heads/piton/r1',
        reason: expect.stringContaining('main'),
        done: 'removed',
      },
    ]);
    expect(git(project.folder, 'branch', '--list', 'piton/*')).toBe('');
  });

  test('what an agent made git lose is kept as long as its run goes on, listed, laid out, and removed by its age', async () => {
    const project = projectInRepository();
    git(project.folder, 'branch', 'theirs', git(project.folder, 'commit-tree', '-m', 'x', 'main^{tree}'));
    const lost = git(project.folder, 'rev-parse', 'theirs');
    writeFlow(project, {
      Build: played([[{ run: 'git branch -D theirs' }, ...edits('b.txt', 'b\n')]]),
    });
    expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(3);
    const kept = { run: 'r1', task: 'Build', kind: 'kept', status: 'archived' };
    const { ref } = (await listIn(project)).find(({ kind }) => kind === 'kept')!;
    expect(ref).toMatch(new RegExp(`^refs/piton/r1/.+/kept/${lost}$`));
    expect(await cleanIn(project, { olderThanMs: 0, force: true })).toEqual([]);
    expect((await project.piton(['workspace', 'adopt', 'r1', 'Build'])).code).toBe(0);

    expect(await listIn(project)).toMatchObject([
      { task: 'Build', kind: 'worktree' },
      { kind: 'branch', status: 'ready', reason: expect.stringContaining('piton merge r1') },
      { ...kept, ref, reason: 'a commit that nothing else may lead to' },
    ]);
    expect((await project.piton(['workspace', 'show', 'r1', 'Build'])).stdout).toContain(
      `kept: ${ref}: a commit`,
    );
    const to = join(project.folder, '.piton/back');
    expect((await project.piton(['workspace', 'restore', ref!, '--to', to])).code).toBe(0);
    expect(git(to, 'rev-parse', 'HEAD')).toBe(lost);
    git(project.folder, 'worktree', 'remove', to);

    expect(await cleanIn(project)).toEqual([]);
    expect(await cleanIn(project, { olderThanMs: 0 })).toContainEqual(
      expect.objectContaining({
        what: 'drop ref',
        name: ref,
        reason: expect.stringMatching(/^its run has ended .+ ago/),
        done: 'removed',
      }),
    );
    expect(await cleanIn(project, { olderThanMs: 0 })).toEqual([]);
  });

  test('a run that was taken as one commit has its branch archived and deleted', async () => {
    const project = projectInRepository();
    writeFlow(project, { build: played([edits('b.txt', 'b\n')]) });
    await project.piton(['run', 'flow', '--id', 'r1']);
    git(project.folder, 'config', 'user.name', 'Test');
    git(project.folder, 'config', 'user.email', 'test@localhost');
    const tip = git(project.folder, 'rev-parse', 'piton/r1');
    await project.withStore((piton) => piton.merge('r1', { strategy: 'squash' }));
    expect(await listIn(project)).toContainEqual(
      expect.objectContaining({ kind: 'branch', reason: expect.stringContaining('was merged into main') }),
    );

    const [dropped] = await cleanIn(project);
    expect(dropped).toMatchObject({ what: 'drop branch', done: 'removed' });
    expect(dropped!.reason).toContain('main has taken it as one commit');
    expect(git(project.folder, 'for-each-ref', 'refs/heads/piton', 'refs/piton/runs')).toBe('');
    const archive = (await listIn(project)).find(({ kind }) => kind === 'archive');
    expect(archive).toMatchObject({ run: 'r1', status: 'archived' });
    expect(git(project.folder, 'merge-base', '--is-ancestor', tip, archive!.ref!)).toBe('');

    expect(await cleanIn(project, { olderThanMs: 0 })).toMatchObject([{ what: 'drop archive' }]);
    expect(git(project.folder, 'for-each-ref', 'refs/piton', 'refs/heads/piton*')).toBe('');
  });

  test('what is kept of a run that this store does not know goes only when that is asked for, and when it is old', async () => {
    const project = await killedAfterFirst();
    const ref = `refs/piton/forgotten/x/kept/${git(project.folder, 'rev-parse', 'main')}`;
    git(project.folder, 'update-ref', ref, 'main');
    const isDropped = async (options: Parameters<typeof cleanIn>[1]): Promise<boolean> =>
      (await cleanIn(project, { dryRun: true, ...options })).some(({ name }) => name === ref);

    expect(await isDropped({ olderThanMs: 0, force: true })).toBe(false);
    expect(await isDropped({ olderThanMs: 86_400_000, strays: true })).toBe(false);
    expect(await isDropped({ olderThanMs: 0, strays: true, dryRun: false })).toBe(true);
    expect(git(project.folder, 'for-each-ref', ref)).toBe('');
  });

  test('leaves everything of a task that has not settled', async () => {
    const project = await killedAfterFirst();
    await project.piton(['run', 'flow', '--id', 'r2'], {
      env: { PITON_CRASH_AT: 'after:workspace.prepared' },
    });
    const path = (await lookAt(project)).find(({ run }) => run === 'r2')!.path!;
    writeFileSync(join(path, 'half.txt'), 'half');

    await cleanIn(project, { olderThanMs: 0, force: true, strays: true });
    expect(readFileSync(join(path, 'half.txt'), 'utf8')).toBe('half');
    expect((await project.piton(['resume', 'r2'])).code).toBe(0);
  });

  test('measures what each place takes, or that of one task alone', async () => {
    const project = projectInRepository();
    project.write('.piton/config.yaml', 'workspaces:\n  cleanup: keep\n');
    writeFlow(project, {
      build: played([[{ run: 'head -c 300000 /dev/urandom > big.bin' }, { exit: 1 }]]),
      other: played([edits('other.txt', '1\n')]),
    });
    await project.piton(['run', 'flow', '--id', 'r1']);
    const measure = (only: { readonly run?: string; readonly task?: string }) =>
      project.withStore((piton) => piton.workspaces({ folder: project.folder, withSize: true, ...only }));
    const all = await measure({});
    const place = all.find(({ task }) => task === 'build')!;
    expect(place.bytes).toBeGreaterThan(300_000);
    expect(place.bytes).toBeLessThan(600_000);
    expect(all.map(({ task }) => task)).toContain('other');
    expect(await measure({ run: 'r1', task: 'build' })).toEqual([place]);
  });
});
