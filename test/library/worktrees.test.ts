import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadWorkflow } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { checkoutOf, edit, git, openRepository } from '../support/repository-place.ts';
import { eventsOf, played, startsOf, writeFlow } from '../support/scripted-place.ts';

describe('agents in a git repository', () => {
  test('work in worktrees of their own, see what their needs have made, and leave one branch', async () => {
    const { run, repository } = await openRepository();
    const before = checkoutOf(repository);
    const started = await run({
      left: played([[edit('left.txt', 'left'), { answer: 'l' }]]),
      right: played([[edit('right.txt', 'right'), { answer: 'r' }]]),
      join: played([[{ run: 'cat left.txt right.txt > both.txt' }, { answer: 'j' }]], {
        needs: ['left', 'right'],
      }),
    });

    expect(await started.result()).toMatchObject({ outputs: { left: 'l', right: 'r', join: 'j' } });
    expect(git(repository, 'show', 'piton/run:both.txt')).toBe('leftright');
    expect(git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n')).toEqual([
      'a.txt',
      'both.txt',
      'left.txt',
      'right.txt',
    ]);
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(checkoutOf(repository).replace('?? flow.yaml', '')).toBe(before);
    expect(git(repository, 'fsck', '--no-dangling')).toBe('');
  });

  test('whose results do not fit are held with the files, and nothing is lost', async () => {
    const { run, repository } = await openRepository();
    const started = await run({
      one: played([[edit('a.txt', 'mine'), { answer: 'done' }]]),
      two: played([[edit('a.txt', 'no, mine'), { answer: 'done' }]]),
    });
    await eventually('one of them is held', async () => (await started.status()) === 'held');
    const { tasks } = await started.checkpoint();
    const held = Object.entries(tasks).find(([, { status }]) => status === 'held')!;

    expect(held[1].reason).toContain('a.txt');
    expect(git(repository, 'show', `piton-tasks/run/${held[0]}:a.txt`)).toContain('mine');
  });

  test('make their own work fit, if they are asked to: both sides are in their worktree', async () => {
    const { run, repository } = await openRepository();
    const started = await run({
      first: played([[edit('a.txt', 'one\nfirst\nthree\n'), { answer: 'f' }]]),
      second: played(
        [
          [{ await: join(repository, 'go') }, edit('a.txt', 'one\nsecond\nthree\n'), { answer: 's' }],
          [
            { expect: 'conflicts with what others have made in the meantime in "a.txt"' },
            { expect: 'between marks' },
            { run: 'cat a.txt > seen.txt' },
            { answer: 'forgot to mend it' },
          ],
          [
            { expect: 'still in: a.txt' },
            edit('a.txt', 'one\nfirst and second\nthree\n'),
            { answer: 'made to fit' },
          ],
        ],
        { 'on-conflict': 'agent' },
      ),
    });
    await eventually(
      'the first is done',
      async () => (await started.checkpoint()).tasks['first']!.status === 'succeeded',
    );
    writeFileSync(join(repository, 'go'), '');

    expect(await started.result()).toMatchObject({ outputs: { second: 'made to fit' } });
    expect(git(repository, 'show', 'piton/run:a.txt')).toBe('one\nfirst and second\nthree');
    expect(git(repository, 'show', 'piton/run:seen.txt')).toMatch(
      /<<<<<<< [^]*first\n=======\nsecond\n>>>>>>> /,
    );
    const sessions = startsOf(await eventsOf(started)).flatMap(({ agent }) => agent?.session ?? []);
    expect(new Set(sessions).size).toBe(2);
  });

  test('that only read, begin where others have written', async () => {
    const { run } = await openRepository();
    const started = await run({
      write: played([[edit('new.txt', 'fresh'), { answer: 'w' }]]),
      look: played([[{ read: 'new.txt' }, { answer: 'seen' }]], { needs: ['write'], permissions: 'read' }),
    });

    expect(await started.result()).toMatchObject({ outputs: { look: 'seen' } });
    expect(startsOf(await eventsOf(started)).map(({ kind = 'work' }) => kind)).toEqual([
      'work',
      'integrate',
      'work',
    ]);
  });

  test('leave nothing behind in the folder of worktrees when all is kept', async () => {
    const { run, repository } = await openRepository();
    const started = await run({ build: played([[edit('b.txt', 'b'), { answer: 'b' }]]) });
    await started.result();
    const folder = join(repository, '..', 'worktrees', 'run');

    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  test('that are killed go on in the same worktree, with what they had not committed', async () => {
    const { run } = await openRepository();
    const started = await run({
      build: played([
        [edit('half.txt', 'half'), { die: 'SIGKILL' }],
        [{ run: 'cat half.txt > whole.txt' }, { answer: 'done' }],
      ]),
    });

    expect(await started.result()).toMatchObject({ outputs: { build: 'done' } });
  });

  test('whose worktree was deleted behind our back get it again, from what was on its branch', async () => {
    const { run, repository } = await openRepository();
    const started = await run({
      build: played(
        [
          [{ run: 'echo kept > kept.txt; git add -A; git commit -qm own' }, { exit: 1 }],
          [{ read: 'kept.txt' }, { answer: 'still there' }],
        ],
        { retry: { attempts: 2, backoff: '500ms' } },
      ),
    });
    await eventually(
      'it waits',
      async () => (await started.checkpoint()).tasks['build']!.status === 'delayed',
    );
    rmSync((await started.checkpoint()).tasks['build']!.workspace!.path, { recursive: true });

    expect(await started.result()).toMatchObject({ outputs: { build: 'still there' } });
    expect((await eventsOf(started)).map(({ type }) => type)).toContain('workspace.recovered');
    expect(git(repository, 'show', 'piton/run:kept.txt')).toBe('kept');
  });

  test('whose worktree has gone can still be talked to, in the folder of the run', async () => {
    const { run, repository } = await openRepository();
    const started = await run({ build: played([[edit('b.txt', 'b'), { answer: 'b' }]]) });
    await started.result();

    expect(await started.session('build')).toMatchObject({ directory: repository });
  });

  test('whose worktree is deleted between the work and its check are held: nothing is checked that is not there', async () => {
    const { run, repository } = await openRepository();
    const steps = [edit('b.txt', 'b'), { run: 'place=$PWD; cd /; rm -rf "$place"' }, { answer: 'b' }];
    const started = await run({ build: played([steps], { check: 'test ! -e b.txt' }) });
    await eventually('it is held', async () => (await started.status()) === 'held');

    expect((await started.checkpoint()).tasks['build']!.reason).toContain('is gone, with its finished work');
    expect(git(repository, 'log', '--oneline', 'piton/run').split('\n')).toHaveLength(1);
  });

  test('that failed keep their worktree for a retry, and have another one from scratch', async () => {
    const { run, piton } = await openRepository();
    const started = await run({
      build: played([
        [edit('half.txt', 'half'), { exit: 1 }],
        [{ read: 'half.txt' }, { exit: 1 }],
      ]),
    });
    await started.result();
    const place = (await started.checkpoint()).tasks['build']!.workspace!.path;
    expect(readFileSync(join(place, 'half.txt'), 'utf8')).toBe('half');
    const { definition } = await piton.definitionOf('run');
    const again = await piton.resume(definition, 'run', {
      redo: ['build'],
      inSession: true,
      rerunSucceeded: true,
    });
    await again.result();
    expect((await again.checkpoint()).tasks['build']!.workspace!.path).toBe(place);
    const fresh = await piton.resume(definition, 'run', { redo: ['build'], rerunSucceeded: true });
    await fresh.result();

    const other = (await fresh.checkpoint()).tasks['build']!.workspace!.path;
    expect(other).not.toBe(place);
    expect(readFileSync(join(place, 'half.txt'), 'utf8')).toBe('half');
  });

  test('find their worktree set up: files copied, and a command run once', async () => {
    const { run, repository } = await openRepository();
    writeFileSync(join(repository, '.env'), 'KEY=1');
    writeFileSync(join(repository, '.git/info/exclude'), '.env\nmodules\n');
    const started = await run(
      {
        build: played([
          [{ run: 'cat .env modules > both.txt' }, { die: 'SIGKILL' }],
          [{ run: 'cat modules' }, { answer: 'done' }],
        ]),
        test: { needs: ['build'], run: 'cat both.txt' },
      },
      { setup: { copy: ['.env'], run: 'echo equipped >> modules' } },
    );

    expect(await started.result()).toMatchObject({ outputs: { test: 'KEY=1equipped' } });
    const kinds = startsOf(await eventsOf(started)).map(({ kind = 'work' }) => kind);
    expect(kinds.filter((kind) => kind === 'setup')).toHaveLength(2);
  });

  test('leave no trace in the repository of files that were copied for them', async () => {
    const { run, repository } = await openRepository();
    writeFileSync(join(repository, '.env'), 'PASSWORD=1');
    mkdirSync(join(repository, 'keys/deep'), { recursive: true });
    writeFileSync(join(repository, 'keys/deep/one'), 'PASSWORD=2');
    writeFileSync(join(repository, '.git/info/exclude'), '.env\nkeys/*\n');
    const started = await run(
      {
        build: played([
          [{ run: 'cat .env keys/deep/one > /dev/null' }, edit('b.txt', 'b'), { answer: 'done' }],
        ]),
      },
      { setup: { copy: ['.env', './keys'] } },
    );

    expect(await started.result()).toMatchObject({ outputs: { build: 'done' } });
    expect(git(repository, 'for-each-ref', '--format=%(refname)', 'refs/piton')).toBe('refs/piton/runs/run');
    const objects = git(repository, 'cat-file', '--batch-all-objects', '--batch');
    expect(objects).not.toContain('PASSWORD');
  });

  test('keep a copied file that they have changed', async () => {
    const { run, repository } = await openRepository();
    writeFileSync(join(repository, '.env'), 'KEY=1');
    writeFileSync(join(repository, '.git/info/exclude'), '.env\n');
    const started = await run(
      { build: played([[edit('.env', 'KEY=2'), { answer: 'done' }]]) },
      { setup: { copy: ['.env'] } },
    );
    await started.result();

    const { ref } = (await started.checkpoint()).tasks['build']!.workspace!.cleaned!;
    const { files } = JSON.parse(git(repository, 'show', `${ref}:manifest.json`)) as { files: string };
    expect(git(repository, 'show', `${files}:.env`)).toBe('KEY=2');
  });

  test.each([
    ['a file', '.env', ''],
    ['a file in a folder', 'keys', 'keys/one\n'],
  ])('are not given %s that git does not ignore: it would be in the result', async (_, copy, excluded) => {
    const { run, repository } = await openRepository();
    writeFileSync(join(repository, '.env'), 'PASSWORD=1');
    mkdirSync(join(repository, 'keys'));
    for (const name of ['one', 'two']) writeFileSync(join(repository, 'keys', name), 'PASSWORD=2');
    writeFileSync(join(repository, '.git/info/exclude'), excluded);
    const started = await run(
      { build: played([[edit('b.txt', 'b'), { answer: 'done' }]]) },
      { setup: { copy: [copy] } },
    );
    await started.result();

    expect((await started.checkpoint()).tasks['build']!.error).toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/(\.env|keys\/two) is to be copied.*info\/exclude/),
    });
  });

  test('get links copied as they are, and do not reach through them into the checkout', async () => {
    const { run, repository } = await openRepository();
    mkdirSync(join(repository, 'tools'));
    writeFileSync(join(repository, 'tools/real'), 'mine');
    symlinkSync('real', join(repository, 'tools/link'));
    writeFileSync(join(repository, '.git/info/exclude'), 'tools/\n');
    const started = await run(
      { build: played([[{ run: 'echo theirs > tools/link' }, { answer: 'done' }]]) },
      { setup: { copy: ['tools'] } },
    );

    expect(await started.result()).toMatchObject({ status: 'succeeded' });
    expect(readFileSync(join(repository, 'tools/real'), 'utf8')).toBe('mine');
  });

  test.each([
    ['deleted', 'rm -rf "$PWD"'],
    ['moved', 'git worktree move . ../elsewhere'],
    ['emptied, with what makes it a worktree', 'rm -rf ./* ./.git'],
    ['replaced', 'rm .git && git init -q .'],
  ])(
    'whose worktree is %s when its work is to be taken, are held, and nothing is said to be in the branch',
    async (_, harm) => {
      const { run, repository } = await openRepository();
      const started = await run({
        build: played([[{ run: `echo work > b.txt; ${harm}` }, { answer: 'done' }]]),
      });

      await eventually('it is held', async () => (await started.status()) === 'held');
      expect((await started.checkpoint()).tasks['build']!.reason).toMatch(
        /^The place of build (is gone|is not the worktree any more|was moved to)/,
      );
      expect(git(repository, 'rev-parse', 'piton/run')).toBe(git(repository, 'rev-parse', 'main'));
    },
  );

  test('whose setup fails, fail with what it said', async () => {
    const { run } = await openRepository();
    const started = await run(
      { build: played([[{ answer: 'never' }]]) },
      { setup: 'echo npm warn x >&2; sleep 0.1; echo no registry; exit 3' },
    );
    await started.result();

    expect((await started.checkpoint()).tasks['build']!.error).toMatchObject({
      code: 'SETUP_FAILED',
      message: 'its setup failed: exit code 3: npm warn x\nno registry',
    });
  });

  test('as items of a for-each have a worktree each, whatever their keys are', async () => {
    const { run, repository } = await openRepository();
    const keys = ['a/b', 'ä b', 'x.lock', '..'];
    const started = await run({
      each: {
        'for-each': { in: keys },
        agent: 'scripted',
        permissions: 'full',
        prompt: 'Write.\n```part\nsteps: [{ run: "echo x > $PITON_KEY.txt" }, { answer: done }]\n```',
      },
    });

    expect(await started.result()).toMatchObject({ status: 'succeeded' });
    const files = git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n');
    expect(files).toHaveLength(keys.length + 1);
  });

  test('started in a sub-folder work in that sub-folder of their worktree', async () => {
    const { repository, piton } = await openRepository();
    const folder = join(repository, 'packages');
    mkdirSync(folder);
    writeFileSync(join(folder, 'p.txt'), 'p');
    git(repository, 'add', '.');
    git(repository, 'commit', '-qm', 'packages');
    const file = writeFlow(folder, { build: played([[{ run: 'cat p.txt > q.txt' }, { answer: 'done' }]]) });
    const started = await piton.start(await loadWorkflow(file), { id: 'run', origin: { directory: folder } });

    expect(await started.result()).toMatchObject({ status: 'succeeded' });
    expect(git(repository, 'show', 'piton/run:packages/q.txt')).toBe('p');
  });
});
