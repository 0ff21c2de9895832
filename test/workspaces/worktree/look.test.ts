import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Place, Recorded, Stray } from '../../../src/workspaces/index.ts';
import { commit, fsck, ownRefs, playground, shell, userState, write } from '../../support/git-playground.ts';
import { lose, worktreeGround, type WorktreeGround } from '../../support/worktree-places.ts';

async function prepared(ground: WorktreeGround, task: string): Promise<Place> {
  return (await ground.prepare(task)).place;
}

describe('looking at places', () => {
  test('tells clean, dirty, missing and drifted ones apart, in the order of the requests', async () => {
    const ground = worktreeGround();
    const tasks = ['clean', 'committed', 'switched', 'dirty', 'missing', 'replaced', 'foreign'];
    const places = new Map<string, Place>();
    for (const task of tasks) places.set(task, await prepared(ground, task));
    const pathOf = (task: string): string => places.get(task)!.path;
    commit(pathOf('committed'), { 'made.txt': 'made' });
    shell(pathOf('switched'), 'checkout', '--quiet', '--detach');
    write(pathOf('dirty'), { 'new.txt': 'new' });
    lose(places.get('missing')!);
    lose(places.get('replaced')!);
    mkdirSync(pathOf('replaced'));
    rmSync(join(shell(pathOf('foreign'), 'rev-parse', '--absolute-git-dir'), 'piton.json'));
    const before = [ownRefs(ground.root), userState(ground.root)];
    const requests = tasks.map((task) => ({ ...ground.request(task), known: places.get(task)! }));
    const looks = await ground.places.look(requests);
    expect(
      looks.map(({ token, health }, index) => [
        tasks[index],
        token === places.get(tasks[index]!)!.token,
        health,
      ]),
    ).toEqual([
      ['clean', true, 'clean'],
      ['committed', true, 'clean'],
      ['switched', true, 'clean'],
      ['dirty', true, 'dirty'],
      ['missing', true, 'missing'],
      ['replaced', true, 'drifted'],
      ['foreign', true, 'drifted'],
    ]);
    expect(looks[3]!.text).toContain('new.txt');
    expect([ownRefs(ground.root), userState(ground.root)]).toEqual(before);
  });

  const drifts: readonly [string, (path: string, gitDir: string) => void][] = [
    [
      'another folder has taken its place',
      (path) => {
        renameSync(path, `${path}-moved`);
        mkdirSync(path);
      },
    ],
    ['another folder has taken its place', (path) => rmSync(join(path, '.git'))],
    [
      'another folder has taken its place',
      (path) => {
        rmSync(path, { recursive: true });
        writeFileSync(path, 'a file');
      },
    ],
    [
      'it belongs to another repository',
      (path) => {
        rmSync(join(path, '.git'));
        shell(path, 'init', '--quiet');
      },
    ],
    [
      'it belongs to another repository',
      (path) => {
        rmSync(path, { recursive: true });
        shell(playground('other').root, 'worktree', 'add', '--quiet', path);
      },
    ],
    ['git does not know it any more', (_, gitDir) => rmSync(gitDir, { recursive: true })],
    ['does not bear the mark', (_, gitDir) => writeFileSync(join(gitDir, 'piton.json'), '{"run": 3}')],
    [
      'its HEAD has no commit',
      (path) => {
        const branch = shell(path, 'symbolic-ref', 'HEAD');
        shell(path, 'checkout', '--quiet', '--detach');
        shell(path, 'update-ref', '-d', branch);
        shell(path, 'symbolic-ref', 'HEAD', branch);
      },
    ],
  ];

  test('how it has drifted is told', async () => {
    const ground = worktreeGround();
    const requests = [];
    for (const [index, [, act]] of drifts.entries()) {
      const known = await prepared(ground, `task-${index}`);
      act(known.path, shell(known.path, 'rev-parse', '--absolute-git-dir'));
      requests.push({ ...ground.request(`task-${index}`), known });
    }
    const looks = await ground.places.look(requests);
    expect(looks).toMatchObject(
      drifts.map(([text]) => ({ health: 'drifted', text: expect.stringContaining(text) as string })),
    );
  });

  test('one that cannot be looked at is unknown, with the reason', async () => {
    const ground = worktreeGround();
    const place = await prepared(ground, 'build');
    writeFileSync(join(shell(place.path, 'rev-parse', '--absolute-git-dir'), 'index'), 'torn');
    const [look] = await ground.places.look([{ ...ground.request('build'), known: place }]);
    expect(look).toMatchObject({ health: 'unknown', text: expect.stringContaining('index') });
  });

  test('one whose slot another task has by now is missing', async () => {
    const ground = worktreeGround();
    const slot = { slot: { pool: 'build', number: 1 } };
    const { place } = await ground.prepare('build[a]', slot);
    await ground.prepare('build[b]', slot);
    const [look] = await ground.places.look([{ ...ground.request('build[a]', slot), known: place }]);
    expect(look).toMatchObject({ health: 'missing', text: 'its slot was taken by build[b]' });
  });
});

describe('strays', () => {
  function find(ground: WorktreeGround, recorded: Partial<Recorded> = {}): Promise<readonly Stray[]> {
    return ground.places.strays(ground.request('x').repository, { runs: ['run-1'], places: [], ...recorded });
  }

  test('are none, if all that is there is recorded', async () => {
    const ground = worktreeGround();
    const places = [await prepared(ground, 'build'), await prepared(ground, 'Test it')];
    lose(places[1]!);
    expect(await find(ground, { places })).toEqual([]);
  });

  test('are worktrees, folders and branches that nothing recorded explains', async () => {
    const ground = worktreeGround();
    const build = await prepared(ground, 'build');
    const gone = await prepared(ground, 'gone');
    const recorded = await prepared(ground, 'recorded');
    lose(gone);
    const plain = join(ground.state, 'worktrees', 'run-1', 'plain');
    mkdirSync(plain);
    shell(ground.root, 'branch', 'piton/unknown');
    const strays = await find(ground, { places: [recorded] });
    expect(strays.map(({ kind, name, task }) => [kind, name, task])).toEqual(
      [
        ['worktree', build.path, 'build'],
        ['worktree', gone.path, 'gone'],
        ['folder', plain, undefined],
        ['branch', build.branch, undefined],
        ['branch', gone.branch, undefined],
        ['branch', 'refs/heads/piton/unknown', undefined],
      ].sort((a, b) => order(a[0]!) - order(b[0]!)),
    );
    expect(strays.at(-1)!.text).toBe('of a run that this store does not know');
  });

  const order = (kind: string): number => ['worktree', 'folder', 'branch'].indexOf(kind);

  test('are cleaned so that all that was in them is kept, and then there are none', async () => {
    const ground = worktreeGround();
    const before = userState(ground.root);
    const { repository } = ground.request('x');
    const build = await prepared(ground, 'build');
    const tip = commit(build.path, { 'made.txt': 'made' });
    write(build.path, { 'debug.log': 'log' });
    const idle = await prepared(ground, 'idle');
    const gone = await prepared(ground, 'gone');
    lose(gone);
    const plain = join(ground.state, 'worktrees', 'run-1', 'plain');
    write(plain, { 'file.txt': 'file' });
    const unknown = commit(idle.path, { 'unknown.txt': 'x' });
    shell(idle.path, 'reset', '--quiet', '--hard', 'HEAD~');
    shell(ground.root, 'branch', 'piton/unknown', unknown);
    const found = await find(ground);
    const cleaned = new Map<string, string>();
    let moved = '';
    for (const stray of found) {
      const { how, ref } = await ground.places.cleanStray(repository, stray);
      cleaned.set(stray.name, how);
      if (stray.name === plain) moved = ref!;
    }
    expect(Object.fromEntries(cleaned)).toMatchObject({
      [build.path]: 'archived',
      [gone.path]: 'removed',
      [plain]: 'archived',
      [build.branch!]: 'removed',
      'refs/heads/piton/unknown': 'archived',
    });
    expect(readFileSync(join(moved, 'file.txt'), 'utf8')).toBe('file');
    expect(await find(ground)).toEqual([]);
    expect(existsSync(join(ground.state, 'worktrees', 'run-1'))).toBe(false);
    const held = shell(ground.root, 'rev-list', '--all');
    expect([held.includes(tip), held.includes(unknown)]).toEqual([true, true]);
    const archives = await ground.places.archives(repository);
    expect(archives.map(({ run, task }) => `${run} ${task}`)).toEqual(
      expect.arrayContaining(['run-1 build', 'unknown branch']),
    );
    expect(userState(ground.root)).toBe(before);
    expect(fsck(ground.root)).toBe('');
  });

  test('are not archives that somebody has restored elsewhere', async () => {
    const ground = worktreeGround();
    const { repository } = ground.request('x');
    const build = await prepared(ground, 'build');
    write(build.path, { 'new.txt': 'new' });
    for (const stray of await find(ground)) await ground.places.cleanStray(repository, stray);
    const [archive] = await ground.places.archives(repository);
    const back = join(ground.folder, 'back');
    await ground.places.restore(repository, archive!.ref, back);
    expect(readFileSync(join(back, 'new.txt'), 'utf8')).toBe('new');
    expect(await find(ground)).toEqual([]);
    await expect(
      ground.places.restore(repository, 'refs/piton/archive/no', join(ground.folder, 'no')),
    ).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
    await expect(ground.places.restore(repository, archive!.ref, ground.root)).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
    });
  });
});
