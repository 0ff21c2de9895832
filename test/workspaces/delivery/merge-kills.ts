import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { mergeRun } from '../../../src/workspaces/delivery/merge-run.ts';
import type { MergeStrategy } from '../../../src/workspaces/index.ts';
import {
  commit,
  fingerprint,
  fsck,
  gitBehind,
  shell,
  testGit,
  treeOf,
  write,
} from '../../support/git-playground.ts';
import {
  twoAtATime,
  killAt,
  oneOfEach,
  pointsPassed,
  type Choice,
  type Starter,
} from '../../support/kill.ts';
import { startProgram } from '../../support/start-program.ts';
import { commitToRun, identity, runGround, type RunGround } from './run-ground.ts';

/** The user has a commit of their own, and changes that are not committed. */
function lived(strategy: MergeStrategy): RunGround {
  const ground = runGround();
  if (strategy !== 'ff-only') commit(ground.root, { 'own.txt': 'mine\n' });
  write(ground.root, { 'README.md': 'uncommitted\n', 'left.txt': 'untracked\n', 'x.log': 'ignored\n' });
  return ground;
}

function starting(ground: RunGround, strategy: MergeStrategy): Starter {
  const args = [JSON.stringify({ order: ground.merging({ strategy }), identity })];
  return (env) => startProgram('merge-run', { args, env });
}

/** All that must be the same, wherever it was killed. */
function ending({ root, tip }: RunGround): object {
  return {
    tree: treeOf(root, 'HEAD'),
    files: fingerprint(root, (path) => path === '.git'),
    status: shell(root, 'status', '--porcelain', '--ignored'),
    commits: shell(root, 'rev-list', '--count', 'main'),
    holdsRun:
      shell(root, 'log', '-1', '--format=%P%n%B').includes(tip) || shell(root, 'rev-parse', 'HEAD') === tip,
    fsck: fsck(root),
    note: existsSync(join(root, '.git/piton-merge.json')),
  };
}

function moves(places: readonly string[]): string[] {
  return places.filter((place) => place.includes('checkout-moved'));
}

/** Called again, it has merged once. Gives how often it was killed. */
export async function killMerges(strategy: MergeStrategy, choose: Choice): Promise<number> {
  const untouched = lived(strategy);
  const passed = await pointsPassed(starting(untouched, strategy));
  // Up to the move, a squash is made like a merge.
  const places = choose(strategy === 'squash' ? moves(passed.flat()) : oneOfEach(passed));
  expect(moves(passed.flat())).toHaveLength(2);
  const expected = ending(untouched);
  expect(expected).toMatchObject({ holdsRun: true, fsck: '', note: false });
  await twoAtATime(places, async (place) => {
    const ground = lived(strategy);
    await killAt(place, starting(ground, strategy));
    await mergeRun(ground.git, ground.merging({ strategy }));
    expect({ place, ...ending(ground) }).toEqual({ place, ...expected });
  });
  return places.length;
}

/** Its git is killed in the middle, after so many seconds. Gives how often that was, and it was finished by calling it again. */
export async function killItsGit(pauses: readonly string[]): Promise<number> {
  const untouched = lived('merge');
  await mergeRun(untouched.git, untouched.merging());
  const expected = ending(untouched);
  for (const pause of pauses) {
    const ground = lived('merge');
    const script = `case " $* " in *" merge "*) "$GIT" "$@" & sleep ${pause}; kill -9 $! $$;; esac; exec "$GIT" "$@"`;
    const git = testGit({ environment: gitBehind(script, identity) });
    await expect(mergeRun(git, ground.merging())).rejects.toMatchObject({ details: { reason: 'killed' } });
    await mergeRun(ground.git, ground.merging());
    expect({ pause, ...ending(ground) }).toEqual({ pause, ...expected });
  }
  return pauses.length;
}

/** Its git has died in the middle, and then it is killed while it tells git what was done. Called a third time, it is finished. */
export async function killResumed(place: string): Promise<void> {
  const ground = runGround({ '.gitattributes': '*.bomb filter=bomb\n' });
  const tip = commitToRun(ground, { 'm.bomb': 'm\n', 'z.txt': 'z\n' });
  const fuse = join(ground.folder, 'fuse');
  const bomb = `if [ -e ${fuse} ]; then rm ${fuse}; kill -9 $PPID; fi; cat`;
  shell(ground.root, 'config', 'filter.bomb.smudge', bomb);
  await ground.git.recordConfig(ground.repository, { isFirst: false });
  writeFileSync(fuse, '');
  write(ground.root, { 'README.md': 'uncommitted\n' });
  await expect(mergeRun(ground.git, ground.merging())).rejects.toMatchObject({
    details: { reason: 'killed' },
  });
  await killAt(place, starting(ground, 'auto'));
  expect((await mergeRun(ground.git, ground.merging())).commit).toBe(tip);
  expect(treeOf(ground.root, 'HEAD')).toMatchObject({ 'm.bomb': 'm', 'z.txt': 'z', 'new.txt': 'new' });
  expect([shell(ground.root, 'status', '--porcelain'), fsck(ground.root)]).toEqual([' M README.md', '']);
}
