import { expect, test } from 'vitest';
import { headOfRun, listRefs, moveRunBranch, runBranch } from '../../../src/workspaces/git/index.ts';
import { commit, playground, shell } from '../../support/git-playground.ts';

/** A repository in which the branch of run `r` has got what a task made. */
async function withRun() {
  const { git, repository, base, root: folder } = playground();
  const tip = commit(folder, { 'made.txt': 'by a task' });
  shell(folder, 'reset', '--hard', '--quiet', base);
  await moveRunBranch(git, repository, { run: 'r', to: base, from: undefined });
  await moveRunBranch(git, repository, { run: 'r', to: tip, from: base });
  const head = async (more: Partial<Parameters<typeof headOfRun>[2]> = {}): Promise<string> => {
    const refs = await listRefs(git, repository);
    return headOfRun(git, repository, { run: 'r', task: 'build', refs, tip, base, ...more });
  };
  return { folder, base, tip, head, at: () => shell(folder, 'rev-parse', runBranch('r')) };
}

test('the branch of a run is where it was left', async () => {
  const { head, tip } = await withRun();
  expect(await head()).toBe(tip);
});

test('a branch that somebody has deleted is made again where it was, not at the base', async () => {
  const { folder, head, tip, at } = await withRun();
  shell(folder, 'branch', '-D', 'piton/r');
  expect(await head()).toBe(tip);
  expect(at()).toBe(tip);
});

test('a branch that was never there begins at the base', async () => {
  const { folder, base, head } = await withRun();
  for (const ref of shell(
    folder,
    'for-each-ref',
    '--format=%(refname)',
    'refs/heads/piton',
    'refs/piton',
  ).split('\n'))
    shell(folder, 'update-ref', '-d', ref);
  expect(await head({ tip: undefined })).toBe(base);
});

test('a branch that was moved away from what tasks have made is not gone on from, unless a person takes it so', async () => {
  const { folder, base, head, tip, at } = await withRun();
  shell(folder, 'branch', '--force', 'piton/r', base);
  await expect(head()).rejects.toMatchObject({
    code: 'WORKSPACE_DRIFTED',
    details: { actual: base, last: tip },
  });
  expect(at()).toBe(base);
  expect(await head({ isAdopted: true })).toBe(base);
  expect(shell(folder, 'for-each-ref', '--format=%(objectname)'), 'what it left behind is kept').toContain(
    tip,
  );
});

test('a branch that another task moves while refs are read is not taken for one that was moved away', async () => {
  const { folder, base, head, tip } = await withRun();
  const names = ['refs/heads/piton/r', 'refs/piton/runs/r'];
  const refs = new Map(names.map((name) => [name, shell(folder, 'rev-parse', name)]));
  expect(await head({ refs: new Map([...refs, ['refs/heads/piton/r', base]]) })).toBe(tip);
});

test('a branch that somebody has moved on holds what tasks have made, and is gone on from', async () => {
  const { folder, head, tip } = await withRun();
  shell(folder, 'checkout', '--quiet', '--detach', tip);
  const further = commit(folder, { 'more.txt': 'by a person' });
  shell(folder, 'branch', '--force', 'piton/r', further);
  expect(await head()).toBe(further);
});
