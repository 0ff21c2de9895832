import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IntegrateRequest, Integration, Place } from '../../../src/workspaces/index.ts';
import { runBranch } from '../../../src/workspaces/git/index.ts';
import { fsck, shell, treeOf, userState, write } from '../../support/git-playground.ts';
import {
  lose,
  save,
  workOf,
  worktreeGround,
  now,
  type WorktreeGround,
} from '../../support/worktree-places.ts';

interface Task {
  readonly known: Place;
  integrate(more?: Partial<IntegrateRequest>): Promise<Integration>;
  clean(result: string): Promise<string>;
}

async function task(ground: WorktreeGround, name: string): Promise<Task> {
  const { place: known } = await ground.prepare(name);
  const request = {
    ...workOf(ground.request(name), known),
    attempt: `attempt-${name}`,
    isChecked: false,
    others: [],
  };
  return {
    known,
    integrate: (more = {}) => ground.places.integrate({ ...request, ...more }),
    clean: async (result) => {
      const order = { ...request, result, hasSucceeded: true, at: now };
      return (await ground.places.clean(order, 'remove-when-clean-else-archive')).how;
    },
  };
}

function made(found: Integration): { readonly result: string; readonly commit: string } {
  if (found.type !== 'integrated' && found.type !== 'proposed') throw new Error(JSON.stringify(found));
  return found;
}

function runTip({ root, request }: WorktreeGround): string {
  return shell(root, 'rev-parse', runBranch(request('any').run));
}

/** Two tasks of which the second conflicts with the first. */
async function conflicting(ground: WorktreeGround, act: (path: string) => void): Promise<Task> {
  const [other, build] = [await task(ground, 'other'), await task(ground, 'build')];
  act(other.known.path);
  made(await other.integrate());
  write(build.known.path, { 'src/a.txt': 'builds\n' });
  return build;
}

describe('a worktree that was deleted behind our back', () => {
  test('after the work was saved costs nothing: it is brought in, and cleaned', async () => {
    const ground = worktreeGround();
    const user = userState(ground.root);
    const build = await task(ground, 'build');
    write(build.known.path, { 'new.txt': 'new' });
    const snapshot = await save(ground, 'build', build.known);
    lose(build.known);
    const { result } = made(await build.integrate({ snapshot }));
    expect(treeOf(ground.root, runTip(ground))['new.txt']).toBe('new');
    expect([await build.clean(result), existsSync(build.known.path)]).toEqual(['removed', false]);
    expect([userState(ground.root), fsck(ground.root)]).toEqual([user, '']);
  });

  test.for<[string, (path: string) => void]>([
    ['with marks', (path) => write(path, { 'src/a.txt': 'others\n' })],
    ['without marks', (path) => rmSync(join(path, 'src/a.txt'))],
  ])('with a conflict in it has that conflict again: %s', async ([, act]) => {
    const ground = worktreeGround();
    const build = await conflicting(ground, act);
    const snapshot = await save(ground, 'build', build.known);
    const tip = runTip(ground);
    expect((await build.integrate({ snapshot })).type).toBe('conflict');
    lose(build.known);
    expect(await build.integrate({ snapshot })).toMatchObject({ type: 'conflict', files: ['src/a.txt'] });
    expect([existsSync(join(build.known.path, 'src/a.txt')), runTip(ground)]).toEqual([true, tip]);
    write(build.known.path, { 'src/a.txt': 'both\n' });
    made(await build.integrate({ snapshot }));
    expect(treeOf(ground.root, runTip(ground))['src/a.txt']).toBe('both');
  });

  test('with a merge in it that has not passed is merged anew from its own work', async () => {
    const ground = worktreeGround();
    const [first, build] = [await task(ground, 'first'), await task(ground, 'build')];
    write(first.known.path, { 'first.txt': 'first' });
    made(await first.integrate());
    write(build.known.path, { 'build.txt': 'build' });
    const snapshot = await save(ground, 'build', build.known);
    const proposal = await build.integrate({ isChecked: true, snapshot });
    expect(proposal.type).toBe('proposed');
    lose(build.known);
    expect(await build.integrate({ isChecked: true, snapshot })).toEqual(proposal);
  });
});

test('a worktree that lost its mark holds the task, until a person adopts it as it is', async () => {
  const ground = worktreeGround();
  const build = await task(ground, 'build');
  write(build.known.path, { 'new.txt': 'new' });
  rmSync(join(shell(build.known.path, 'rev-parse', '--absolute-git-dir'), 'piton.json'));
  await expect(build.integrate()).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
  made(await build.integrate({ isAdopted: true }));
  expect(treeOf(ground.root, runTip(ground))['new.txt']).toBe('new');
});

test('a worktree in which a merge was checked is removed after that, and nothing has to be archived', async () => {
  const ground = worktreeGround();
  const [first, build] = [await task(ground, 'first'), await task(ground, 'build')];
  write(first.known.path, { 'first.txt': 'first' });
  made(await first.integrate());
  write(build.known.path, { 'build.txt': 'build' });
  const proposal = await build.integrate({ isChecked: true });
  if (proposal.type !== 'proposed') throw new Error(proposal.type);
  const { result } = made(await build.integrate({ verified: proposal }));
  expect(await build.clean(result)).toBe('removed');
});
