import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadWorkflow, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { edit, git, openRepository } from '../support/repository-place.ts';
import { eventsOf, openPlace, played, startsOf } from '../support/scripted-place.ts';

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

async function isHeld(run: Run): Promise<boolean> {
  return (await run.status()) === 'held';
}

const held = (run: Run): Promise<void> => eventually('it is held', () => isHeld(run));

describe('a pool', () => {
  test('is so many worktrees that all items take in turn, each made usable once', async () => {
    const { run, repository, root } = await openRepository();
    const [setups, counts] = [join(root, 'setups'), join(root, 'counts')];
    const started = await run({
      each: played(
        [
          [
            { run: `git worktree list | grep -c worktrees/ >> ${counts}` },
            { run: 'cat dist/ready && test ! -e junk.tmp && touch junk.tmp' },
            { run: 'printf %s "$ITEM" > "$ITEM.txt" && rm junk.tmp' },
            { answer: 'done' },
          ],
        ],
        {
          'for-each': { in: ['one', 'two', 'three', 'four', 'five', 'six'], as: 'name' },
          env: { ITEM: '${{ name }}' },
          pool: 2,
          setup: `mkdir dist && echo ready > dist/ready && echo x >> ${setups}`,
        },
      ),
    });
    expect(await started.result()).toMatchObject({ status: 'succeeded' });

    expect(linesOf(setups)).toHaveLength(2);
    expect(Math.max(...linesOf(counts).map(Number))).toBe(2);
    const files = git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n');
    expect(files).toEqual(['a.txt', 'five.txt', 'four.txt', 'one.txt', 'six.txt', 'three.txt', 'two.txt']);
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    const { tasks } = await started.checkpoint();
    const places = Object.values(tasks).flatMap(({ workspace }) => workspace ?? []);
    expect(places.map(({ cleaned }) => cleaned === undefined)).toEqual(Array(6).fill(false));
  });
});

test('a command that failed is retried where its files are, with what a person has mended there', async () => {
  const { run, repository, piton } = await openRepository();
  const started = await run(
    { build: { run: 'echo made >> made.txt; test -e mended.txt' } },
    { workspace: 'worktree' },
  );
  expect(await started.result()).toMatchObject({ status: 'failed' });
  const { tasks } = await started.checkpoint();
  writeFileSync(join(tasks['build']!.workspace!.path, 'mended.txt'), 'by hand');
  const { definition } = await piton.definitionOf('run');
  const again = await piton.resume(definition, 'run', {
    redo: ['build'],
    inSession: true,
    rerunSucceeded: true,
  });
  expect(await again.result()).toMatchObject({ status: 'succeeded' });
  expect(git(repository, 'show', 'piton/run:mended.txt')).toBe('by hand');
  expect(git(repository, 'show', 'piton/run:made.txt')).toBe('made\nmade');
});

test('an item that waits for a person keeps its place of a pool, and the others have another', async () => {
  const { run, repository } = await openRepository();
  const started = await run(
    {
      each: {
        'for-each': { in: ['one', 'two', 'three'] },
        pool: 1,
        run: 'if [ ${{ item }} = one ]; then echo 1 > out.txt; else mkdir -p src; echo 1 > src/${{ item }}.txt; fi',
        writes: ['src/**'],
      },
    },
    { workspace: 'worktree' },
  );
  await held(started);
  const settled = async (): Promise<boolean> =>
    Object.values((await started.checkpoint()).tasks).filter(({ status }) => status === 'succeeded')
      .length === 2;
  await eventually('the others are done', settled);
  const { tasks } = await started.checkpoint();
  expect(readFileSync(join(tasks['each[one]']!.workspace!.path, 'out.txt'), 'utf8')).toBe('1\n');

  await started.place('each[one]', 'adopt');
  expect(await started.result()).toMatchObject({ status: 'succeeded' });
  expect(git(repository, 'ls-tree', '-r', '--name-only', 'piton/run').split('\n')).toEqual([
    'a.txt',
    'out.txt',
    'src/three.txt',
    'src/two.txt',
  ]);
  expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
});

describe('work that was not committed', () => {
  test('is saved when its agent is stopped, and there again when its worktree was deleted meanwhile', async () => {
    const { run, piton, repository, root } = await openRepository();
    const started = await run({
      build: played([
        [
          edit('half.txt', 'half'),
          { run: 'git rm -q a.txt' },
          { run: `touch ${join(root, 'begun')}` },
          { hang: true },
        ],
        [{ run: 'cat half.txt; test ! -e a.txt' }, edit('whole.txt', 'whole'), { answer: 'done' }],
      ]),
    });
    await eventually('it has begun', () => existsSync(join(root, 'begun')));
    const place = (await started.checkpoint()).tasks['build']!.workspace!.path;
    await piton.close();
    rmSync(place, { recursive: true });

    const { piton: next } = await openPlace({ store: `sqlite:${join(root, 'piton.db')}` }, repository);
    const { definition } = await next.definitionOf('run');
    const again = await next.resume(definition, 'run');
    expect(await again.result()).toMatchObject({ status: 'succeeded' });
    expect(git(repository, 'show', 'piton/run:half.txt')).toBe('half');
    expect(git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n')).toEqual([
      'half.txt',
      'whole.txt',
    ]);
    const recovered = (await eventsOf(again)).find(({ type }) => type === 'workspace.recovered');
    expect(recovered).toMatchObject({ task: 'build', data: { how: 'restored' } });
  });
});

describe('files that git does not have', () => {
  test('are handed on to all who need the task, and are in no result', async () => {
    const { run, repository } = await openRepository();
    const started = await run({
      build: { run: 'mkdir -p dist && echo built > dist/out', artifacts: 'dist' },
      use: played([[{ run: 'cat dist/out > seen.txt' }, { answer: 'u' }]], { needs: 'build' }),
      last: played([[{ run: 'cat dist/out >> seen.txt' }, { answer: 'l' }]], { needs: 'use' }),
    });
    expect((await started.result()).status).toBe('succeeded');
    expect(git(repository, 'show', 'piton/run:seen.txt')).toBe('built\nbuilt');
    expect(git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n')).toEqual(['a.txt', 'seen.txt']);
  });

  test('fail the task if they are not there', async () => {
    const { run } = await openRepository();
    const started = await run({ build: { run: 'true', artifacts: 'dist' } });
    await held(started);
    expect((await started.checkpoint()).tasks['build']!.reason).toContain('dist');
  });
});

test('a place that could not be filled is known, and not taken for a stray', async () => {
  const { run } = await openRepository();
  const started = await run({ build: played([[{ answer: 'b' }]], { setup: { copy: ['.env'] } }) });
  expect((await started.result()).status).toBe('failed');
  const { error, workspace } = (await started.checkpoint()).tasks['build']!;
  expect(error).toMatchObject({ code: 'SETUP_FAILED' });
  expect(existsSync(workspace!.path)).toBe(true);
});

test('each place has ports of its own', async () => {
  const { run } = await openRepository();
  const ask = (): object =>
    played(
      [
        [
          { run: 'echo "$PITON_PORT:$PITON_PORTS" > ports.txt' },
          { run: 'cat ports.txt' },
          { run: 'mv ports.txt "$PITON_TASK.txt"' },
          { answer: 'p' },
        ],
      ],
      {
        setup: { ports: 2 },
      },
    );
  const started = await run({ left: ask(), right: ask() });
  await started.result();
  const { tasks } = await started.checkpoint();
  const ports = Object.values(tasks).map(({ workspace }) => workspace?.ports);
  expect(ports).toEqual([
    { first: expect.any(Number), count: 2 },
    { first: expect.any(Number), count: 2 },
  ]);
  expect(new Set(ports.map((block) => block?.first)).size).toBe(2);
});

describe('a folder of its own', () => {
  test('is empty, or a copy, needs no git, and is nobody else', async () => {
    const { run, folder } = await openPlace();
    writeFileSync(join(folder, 'a.txt'), 'a');
    const started = await run({
      fresh: { run: 'ls -A | wc -l', workspace: 'directory' },
      copied: { run: 'cat a.txt && echo changed > a.txt', workspace: { copy: '.' } },
    });
    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { copied: 'a' } });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a');
    const { tasks } = await started.checkpoint();
    expect(tasks['copied']!.workspace).toMatchObject({ kind: 'directory', cleaned: { how: 'archived' } });
  });

  test('inside of a repository is no part of it: git finds nothing there that it could commit to', async () => {
    const { run, repository } = await openRepository();
    writeFileSync(join(repository, 'a.txt'), 'mine, and not committed');
    const before = git(repository, 'rev-parse', 'HEAD');
    const started = await run({
      fresh: { run: 'git commit -qam oops || echo "no repository"', workspace: 'directory' },
      orphaned: { run: 'rm .git; git commit -qam oops || echo "no repository"', workspace: 'worktree' },
    });
    await eventually(
      'both have ended',
      async () => {
        const { tasks } = await started.checkpoint();
        return tasks['fresh']!.status === 'succeeded' && tasks['orphaned']!.status === 'held';
      },
      30_000,
    );
    expect((await started.checkpoint()).tasks['fresh']!.output).toBe('no repository');
    expect(git(repository, 'rev-parse', 'HEAD')).toBe(before);
    expect(git(repository, 'status', '--porcelain', 'a.txt')).toBe('M a.txt');
  });
});

describe('outside of a repository', () => {
  test('what says that it needs one is not begun', async () => {
    const { run } = await openPlace();
    await expect(run({ a: { run: 'true', workspace: 'worktree' } })).rejects.toMatchObject({
      code: 'GIT_MISSING',
    });
  });

  test('agents write one at a time', async () => {
    const { run, folder } = await openPlace();
    const alone = { run: 'mkdir alone && sleep 0.1 && rmdir alone' };
    const agent = (): object => played([[alone, { answer: 'done' }]]);
    const started = await run({ one: agent(), two: agent(), three: agent() });
    expect((await started.result()).status).toBe('succeeded');
    expect(existsSync(join(folder, 'alone'))).toBe(false);
  });
});

describe('a lock of the repository', () => {
  test('is held by one run at a time, and the other says who has it', async () => {
    const { run, piton, root } = await openRepository();
    const go = join(root, 'go');
    const first = await run(
      { ship: { run: `while [ ! -e ${go} ]; do sleep 0.02; done`, 'repository-locks': ['staging'] } },
      { id: 'first' },
    );
    await eventually('the first has begun', async () => startsOf(await soFar(first)).length > 0);
    await eventually('its process is there', async () =>
      (await soFar(first)).some(({ type }) => type === 'attempt.spawned'),
    );
    const second = await run({ ship: { run: 'true', 'repository-locks': ['staging'] } }, { id: 'second' });
    await eventually('the second waits', async () => (await second.status()) === 'delayed');
    expect((await second.checkpoint()).tasks['ship']!.reason).toMatch(
      /^staging is locked by ship of run first/,
    );
    writeFileSync(go, '');
    expect((await second.result()).status).toBe('succeeded');
    await piton.close();
  });
});

async function soFar(run: Run): Promise<Awaited<ReturnType<typeof eventsOf>>> {
  const { seq } = await run.checkpoint();
  const found: Awaited<ReturnType<typeof eventsOf>> = [];
  const stop = new AbortController();
  for await (const event of run.events({ signal: stop.signal })) {
    if (event.seq > seq) break;
    found.push(event);
    if (event.seq === seq) stop.abort();
  }
  return found;
}

describe('what a task was not to write', () => {
  test('holds it, and nothing of it is in the branch of the run until a person takes it', async () => {
    const { run, repository } = await openRepository();
    const started = await run({
      build: played([[edit('src/in.txt', 'in'), edit('out.txt', 'out'), { answer: 'done' }]], {
        writes: ['src/**'],
      }),
    });
    await held(started);
    expect((await started.checkpoint()).tasks['build']!.reason).toContain('out.txt');
    expect(git(repository, 'ls-tree', '-r', '--name-only', 'piton/run').split('\n')).toEqual(['a.txt']);
    await started.place('build', 'adopt');
    expect((await started.result()).status).toBe('succeeded');
    expect(git(repository, 'ls-tree', '-r', '--name-only', 'piton/run').split('\n')).toEqual([
      'a.txt',
      'out.txt',
      'src/in.txt',
    ]);
  });
});

describe('a branch of the user', () => {
  test('that an agent has moved holds the task, says where it was, and is not moved back', async () => {
    const { run, repository } = await openRepository();
    git(repository, 'branch', 'other');
    const before = git(repository, 'rev-parse', 'other');
    const started = await run({
      build: played([
        [
          edit('b.txt', 'b'),
          {
            run: 'git add . && git -c user.name=A -c user.email=a@localhost commit -qm b && git branch -f other HEAD',
          },
          { answer: 'done' },
        ],
      ]),
    });
    await held(started);
    const { reason } = (await started.checkpoint()).tasks['build']!;
    expect(reason).toContain('refs/heads/other');
    expect(reason).toContain(before);
    await started.retry('build');
    expect((await started.result()).status).toBe('succeeded');
  });
});

describe('the place of a task that failed', () => {
  test.each(['archive-on-failure', 'archive'] as const)(
    'is archived with %s, and there again when it is retried',
    async (cleanup) => {
      const { run, piton, repository } = await openRepository({ cleanup });
      const started = await run({
        build: played([
          [edit('half.txt', 'half'), { fail: { kind: 'error', message: 'no' } }],
          [{ run: 'cat half.txt' }, { answer: 'done' }],
        ]),
      });
      expect((await started.result()).status).toBe('failed');
      const { path, cleaned } = (await started.checkpoint()).tasks['build']!.workspace!;
      expect(cleaned).toMatchObject({ how: 'archived' });
      expect(existsSync(path)).toBe(false);
      const { definition } = await piton.definitionOf('run');
      const again = await piton.resume(definition, 'run', {
        redo: ['build'],
        inSession: true,
        rerunSucceeded: true,
      });
      expect((await again.result()).status).toBe('succeeded');
      expect(git(repository, 'show', 'piton/run:half.txt')).toBe('half');
    },
  );

  test('stays when the run has failed, for whoever retries it', async () => {
    const { run } = await openRepository();
    const started = await run({
      build: played([[edit('half.txt', 'half'), { fail: { kind: 'error', message: 'no' } }]]),
    });
    await started.result();
    const { path } = (await started.checkpoint()).tasks['build']!.workspace!;
    expect(readFileSync(join(path, 'half.txt'), 'utf8')).toBe('half');
  });
});

describe('a person', () => {
  test('has the place of a held task made anew, restored, or discarded, and nothing is lost', async () => {
    const { run, repository } = await openRepository();
    const started = await run({
      build: played([[edit('one.txt', '1'), { answer: 'one' }]], { writes: ['src/**'] }),
    });
    await held(started);
    expect(await started.place('build', 'discard')).toMatchObject({ status: 'accepted' });
    await eventually(
      'it was begun anew',
      async () => {
        const { tasks } = await started.checkpoint();
        return tasks['build']!.status === 'held' && tasks['build']!.attempts > 1;
      },
      30_000,
    );
    expect(git(repository, 'for-each-ref', '--format=%(refname)', 'refs/piton/archive')).not.toBe('');
  });
});

test('a workflow is loaded with all of it', async () => {
  const { folder } = await openPlace();
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, 'name: x\ncleanup: keep\ntasks:\n  a: { run: "true", artifacts: [dist] }\n');
  expect((await loadWorkflow(file)).workflow).toMatchObject({ cleanup: 'keep' });
});
