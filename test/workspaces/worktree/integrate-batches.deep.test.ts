import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IntegrateRequest, Integration, Proposal } from '../../../src/workspaces/index.ts';
import { commit, fsck, ownRefs, shell, treeOf, userState, write } from '../../support/git-playground.ts';
import { scene, type Scene, type Worker } from '../../support/integrate-scene.ts';

type Proposed = Extract<Integration, { type: 'proposed' }>;

function proposed(found: Integration): Proposed {
  if (found.type !== 'proposed') throw new Error(`it is ${found.type}: ${JSON.stringify(found)}`);
  return found;
}

function verified(proposal: Proposal): Partial<IntegrateRequest> {
  return { verified: proposal };
}

/** One is in already, so that whatever comes next has to be merged; each has written a file of its own name. */
async function queue(...names: readonly string[]): Promise<{ ground: Scene; workers: Worker[] }> {
  const ground = await scene();
  const first = await ground.worker('first', { isChecked: true });
  const workers: Worker[] = [];
  for (const name of names) workers.push(await ground.worker(name, { isChecked: true }));
  for (const one of [first, ...workers]) {
    write(one.path, { [`${one.request.task}.txt`]: one.request.task, 'x.log': 'ignored' });
  }
  expect((await first.integrate()).type).toBe('integrated');
  return { ground, workers };
}

function requests(...workers: readonly Worker[]): { others: readonly IntegrateRequest[] } {
  return { others: workers.map(({ request }) => request) };
}

function files({ path }: Worker): string[] {
  return shell(path, 'ls-files').split('\n');
}

describe('a merge that no check has seen', () => {
  test('is laid out in the worktree of the task, and the branch of the run stays until it has passed', async () => {
    const { ground, workers } = await queue('build');
    const build = workers[0]!;
    const [tip, before] = [ground.runTip(), userState(ground.root)];
    const proposal = proposed(await build.integrate());
    expect(proposal).toEqual({
      type: 'proposed',
      result: build.branch(),
      commit: build.head(),
      onto: tip,
      members: [],
    });
    expect(ground.runTip()).toBe(tip);
    expect(files(build)).toEqual(expect.arrayContaining(['build.txt', 'first.txt']));
    expect(readFileSync(join(build.path, 'x.log'), 'utf8')).toBe('ignored');
    expect(shell(build.path, 'status', '--porcelain')).toBe('');
    expect(await build.integrate()).toEqual(proposal);
    expect(await build.integrate()).toEqual(proposal);
    const done = { type: 'integrated', result: proposal.result, commit: proposal.commit };
    expect(await build.integrate(verified(proposal))).toEqual(done);
    expect(await build.integrate(verified(proposal))).toEqual(done);
    expect([ground.runTip(), userState(ground.root), fsck(ground.root)]).toEqual([
      proposal.commit,
      before,
      '',
    ]);
  });

  test('is not needed for what only moves the branch of the run forward', async () => {
    const { ground, workers } = await queue();
    expect(workers).toEqual([]);
    const next = await ground.worker('next', { isChecked: true });
    write(next.path, { 'next.txt': 'next' });
    expect((await next.integrate()).type).toBe('integrated');
  });

  test('that has passed is merged anew if the branch of the run has gone on meanwhile', async () => {
    const { ground, workers } = await queue('build', 'other');
    const [build, other] = [workers[0]!, workers[1]!];
    const proposal = proposed(await build.integrate());
    await other.integrate({ isChecked: false });
    write(build.path, { 'left-by-the-check.txt': 'left' });
    const again = proposed(await build.integrate(verified(proposal)));
    expect(again).toMatchObject({ result: proposal.result, onto: ground.runTip(), members: [] });
    expect(files(build)).toEqual(expect.arrayContaining(['build.txt', 'first.txt', 'other.txt']));
    expect(files(build)).not.toContain('left-by-the-check.txt');
    expect((await build.integrate(verified(again))).type).toBe('integrated');
  });

  test.for<[string, (build: Worker) => void]>([
    ['left in the files', ({ path }) => write(path, { 'build.txt': 'mended', 'more.txt': 'more' })],
    ['committed', ({ path }) => void commit(path, { 'build.txt': 'mended', 'more.txt': 'more' })],
  ])('and has not passed can be worked on: that is the new result, %s', async ([, mend]) => {
    const { ground, workers } = await queue('build');
    const build = workers[0]!;
    proposed(await build.integrate());
    mend(build);
    const found = await build.integrate({ attempt: 'revision' });
    expect(found).toMatchObject({ type: 'integrated', result: build.branch() });
    expect(treeOf(ground.root, ground.runTip())).toMatchObject({
      'build.txt': 'mended',
      'more.txt': 'more',
      'first.txt': 'first',
    });
  });
});

describe('a batch', () => {
  test('holds the work of all that fit, and each of them finds itself done when it has passed', async () => {
    const { ground, workers } = await queue('a', 'b', 'c');
    const [a, b, c] = workers as [Worker, Worker, Worker];
    const proposal = proposed(await a.integrate(requests(b, c)));
    expect(proposal.members).toEqual(['b', 'c']);
    expect(files(a)).toEqual(expect.arrayContaining(['a.txt', 'b.txt', 'c.txt', 'first.txt']));
    expect(files(b)).not.toContain('a.txt');
    await a.integrate(verified(proposal));
    const tip = ground.runTip();
    for (const one of [b, c]) {
      expect(await one.integrate()).toEqual({ type: 'integrated', result: one.branch(), commit: tip });
    }
    expect(ground.runTip()).toBe(tip);
    expect(fsck(ground.root)).toBe('');
  });

  test('leaves out whoever does not fit, has nothing, is not there, or has to be asked about', async () => {
    const { ground, workers } = await queue('a', 'fits', 'clashes', 'idle', 'gone', 'exceeds', 'merging');
    const [a, fits, clashes, idle, gone, exceeds, merging] = workers as [
      Worker,
      Worker,
      Worker,
      Worker,
      Worker,
      Worker,
      Worker,
    ];
    write(clashes.path, { 'a.txt': 'of another' });
    rmSync(join(idle.path, 'idle.txt'));
    rmSync(gone.path, { recursive: true });
    writeFileSync(join(shell(merging.path, 'rev-parse', '--absolute-git-dir'), 'MERGE_HEAD'), ground.base);
    const members = requests(clashes, idle, gone, exceeds, merging, fits).others.map((other) =>
      other.task === 'exceeds' ? { ...other, writes: ['docs'] } : other,
    );
    const proposal = proposed(await a.integrate({ others: members }));
    expect(proposal.members).toEqual(['fits']);
    await a.integrate(verified(proposal));
    expect(treeOf(ground.root, ground.runTip())['a.txt']).toBe('a');
    expect(await clashes.integrate()).toMatchObject({ type: 'conflict', files: ['a.txt'] });
    expect(await exceeds.integrate({ writes: ['docs'] })).toMatchObject({ type: 'exceeded' });
    expect((await idle.integrate()).type).toBe('integrated');
    expect((await fits.integrate()).type).toBe('integrated');
  });

  test('that has not passed is tried with fewer, from what the task itself has made', async () => {
    const { ground, workers } = await queue('a', 'b', 'c');
    const [a, b, c] = workers as [Worker, Worker, Worker];
    const result = (first: Proposal): string => shell(ground.root, 'rev-parse', `${first.commit}~2^2`);
    const all = proposed(await a.integrate(requests(b, c)));
    expect(result(all)).toBe(a.branch());
    write(a.path, { 'left-by-the-check.txt': 'left', 'c.txt': 'changed by the check' });
    const half = proposed(await a.integrate(requests(b)));
    expect(half).toMatchObject({ result: all.result, onto: all.onto, members: ['b'] });
    expect(files(a)).not.toContain('c.txt');
    expect(existsSync(join(a.path, 'c.txt'))).toBe(false);
    expect(existsSync(join(a.path, 'left-by-the-check.txt'))).toBe(false);
    expect(readFileSync(join(a.path, 'x.log'), 'utf8')).toBe('ignored');
    const kept = shell(ground.root, 'for-each-ref', '--format=%(refname)', 'refs/piton/run-1/a/kept');
    expect(treeOf(ground.root, kept)).toMatchObject({
      'left-by-the-check.txt': 'left',
      'c.txt': 'changed by the check',
    });
    const refs = ownRefs(ground.root);
    const alone = proposed(await a.integrate());
    expect(ownRefs(ground.root)).toBe(refs);
    expect(alone).toMatchObject({ result: all.result, members: [] });
    expect(files(a)).not.toContain('b.txt');
    await a.integrate(verified(alone));
    expect(Object.keys(treeOf(ground.root, ground.runTip())).filter((name) => !name.includes('/'))).toEqual([
      '.gitignore',
      'README.md',
      'a.txt',
      'first.txt',
    ]);
  });

  test('made again is the same, commit for commit', async () => {
    const { ground, workers } = await queue('a', 'b');
    const [a, b] = workers as [Worker, Worker];
    const first = await a.integrate(requests(b));
    const refs = ownRefs(ground.root);
    expect(await a.integrate(requests(b))).toEqual(first);
    expect(ownRefs(ground.root)).toBe(refs);
  });
});

test('files that somebody writes while they are taken are neither lost nor overlooked', async () => {
  const { ground, workers } = await queue('build');
  const build = workers[0]!;
  const config = shell(build.path, 'rev-parse', '--git-common-dir');
  // Git starts it for a file when the merge is laid out or looked at: the file grows with every look.
  write(config, { 'info/attributes': '*.grow filter=grow\n' });
  write(build.path, { 'a.grow': 'x' });
  shell(config, 'config', 'filter.grow.clean', `date +%s%N >> ${join(build.path, 'late.txt')}; cat`);
  await ground.git.recordConfig(ground.repository, { isFirst: false });
  await expect(build.integrate()).rejects.toMatchObject({ code: 'RESULT_REFUSED' });
  expect(existsSync(join(build.path, 'late.txt'))).toBe(true);
});

test('a branch of the task that was moved while its merge was checked is kept, and the conflict is laid out whole', async () => {
  const { ground, workers } = await queue('build', 'other');
  const [build, other] = workers as [Worker, Worker];
  proposed(await build.integrate());
  const strange = shell(
    build.path,
    'commit-tree',
    '-m',
    'strange',
    '-p',
    ground.base,
    `${ground.base}^{tree}`,
  );
  shell(build.path, 'update-ref', build.request.known.branch, strange);
  write(other.path, { 'build.txt': 'of another' });
  await other.integrate({ isChecked: false });
  expect(await build.integrate()).toMatchObject({ type: 'conflict', files: ['build.txt'] });
  expect([build.head(), shell(build.path, 'status', '--porcelain')]).toEqual([build.branch(), '']);
  expect(ownRefs(ground.root)).toContain(`refs/piton/run-1/build/kept/${strange}`);
  expect(await build.integrate()).toMatchObject({ type: 'conflict', files: ['build.txt'] });
});
