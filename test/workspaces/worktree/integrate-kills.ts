import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { IntegrateRequest } from '../../../src/workspaces/index.ts';
import {
  commit,
  fingerprint,
  fsck,
  ownRefs,
  shell,
  testGit,
  userState,
  write,
} from '../../support/git-playground.ts';
import { integrateResult } from '../../../src/workspaces/worktree/integrate-result.ts';
import { bringIn } from '../../support/integrate-steps.ts';
import { scene, type Scene } from '../../support/integrate-scene.ts';
import { twoAtATime, killAt, pointsPassed, type Choice, type Starter } from '../../support/kill.ts';
import { startProgram } from '../../support/start-program.ts';

interface Case {
  readonly ground: Scene;
  readonly path: string;
  readonly request: IntegrateRequest;
}

type Setting = () => Promise<Case>;

/** The agent has committed some of it, staged some, and moved away from its branch. */
const forward: Setting = async () => {
  const ground = await scene();
  const build = await ground.worker('build', { isChecked: true, writes: ['*.txt', 'src'] });
  shell(build.path, 'checkout', '--quiet', '-b', 'feature');
  commit(build.path, { 'a.txt': 'a' });
  write(build.path, { 'b.txt': 'b', 'src/a.txt': 'changed\n', 'x.log': 'ignored' });
  shell(build.path, 'add', 'b.txt');
  return { ground, ...build };
};

const batch: Setting = async () => {
  const ground = await scene();
  const [first, fits, clashes] = [
    await ground.worker('first'),
    await ground.worker('fits'),
    await ground.worker('clashes'),
  ];
  write(first.path, { 'first.txt': 'first', 'y.out': 'theirs' });
  write(fits.path, { 'fits.txt': 'fits' });
  write(clashes.path, { 'a.txt': 'of another' });
  const others = [clashes.request, fits.request];
  const build = await ground.worker('build', { isChecked: true, others });
  await first.integrate();
  write(build.path, { 'a.txt': 'a', 'x.log': 'ignored' });
  rmSync(join(build.path, 'src/b.txt'));
  return { ground, ...build };
};

/** The check has left something, and the batch is tried without the others. */
const rejected: Setting = async () => {
  const { ground, path, request } = await batch();
  const prepare = (): Promise<never> => Promise.reject(new Error('the worktree is gone'));
  const proposal = await integrateResult({ git: ground.git, prepare }, request);
  if (proposal.type !== 'proposed') throw new Error(proposal.type);
  write(path, { 'left.txt': 'left by the check', 'fits.txt': 'changed by the check' });
  return { ground, path, request: { ...request, others: [] } };
};

const conflict: Setting = async () => {
  const ground = await scene();
  const [build, other] = [await ground.worker('build'), await ground.worker('other')];
  write(other.path, { 'src/a.txt': 'others\n', 'other.txt': 'other' });
  await other.integrate();
  write(build.path, { 'src/a.txt': 'builds\n', 'x.log': 'ignored', 'mine.txt': 'mine' });
  return { ground, ...build };
};

const refs: Setting = async () => {
  const found = await scene();
  shell(found.root, 'branch', 'other');
  const build = await found.worker('build');
  write(build.path, { 'a.txt': 'a' });
  shell(build.path, 'branch', '-D', 'other');
  return { ground: found, ...build };
};

/** All that must be the same, wherever the process was killed. */
function ending({ ground: { root }, path }: Case): object {
  return {
    refs: ownRefs(root),
    files: fingerprint(path, (name) => name === '.git'),
    head: shell(path, 'rev-parse', 'HEAD'),
    status: shell(path, 'status', '--porcelain'),
    fsck: fsck(root),
  };
}

function starting({ request }: Case): Starter {
  return (env) => startProgram('integrate-work', { args: [JSON.stringify(request)], env });
}

/** What writes objects alone leaves the same behind each time: once is enough, and an index that was borrowed is nobody's. */
function isVisible(place: string): boolean {
  if (!place.startsWith('after:') || /files-added|tree-written/.test(place)) return false;
  return !/(commit-written|trees-merged)#/.test(place) || place.endsWith('#1');
}

/** What is brought in, and what becomes of it. */
const settings: readonly [string, Setting, string][] = [
  ['work that moves the branch of the run forward', forward, 'integrated'],
  ['a batch that is proposed and passes', batch, 'integrated'],
  ['a batch that has not passed, and is tried without the others', rejected, 'integrated'],
  ['a conflict that is laid out', conflict, 'conflict'],
  ['a foreign branch that was deleted', refs, 'refs'],
];

/** Done again after it was killed, it ends as if nothing had happened. */
export function killIntegrations(choose: Choice): void {
  test.for(settings)('%s', async ([, setting, end]) => {
    const untouched = await setting();
    const places = (await pointsPassed(starting(untouched))).flat().filter(isVisible);
    const expected = ending(untouched);
    expect(expected).toMatchObject({ fsck: '' });
    expect(places.length).toBeGreaterThan(2);
    await twoAtATime(choose(places), async (place) => {
      const struck = await setting();
      const user = userState(struck.ground.root);
      await killAt(place, starting(struck));
      expect([place, await bringIn(testGit(), struck.request)]).toEqual([place, end]);
      expect({ place, ...ending(struck) }).toEqual({ place, ...expected });
      expect([place, userState(struck.ground.root)]).toEqual([place, user]);
    });
  });
}
