import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { live, type LifeOrder } from '../../support/git-life.ts';
import {
  fingerprint,
  fsck,
  gitBehind,
  ownRefs,
  playground,
  shell,
  testGit,
  userState,
  write,
  type Playground,
} from '../../support/git-playground.ts';
import { twoAtATime, killAt, pointsPassed, type Choice, type Starter } from '../../support/kill.ts';
import { startProgram } from '../../support/start-program.ts';

export function orderOf({ repository, folder, base }: Playground): LifeOrder {
  const worktrees = join(folder, 'worktrees');
  mkdirSync(worktrees, { recursive: true });
  return { commonDir: repository.commonDir, worktrees, base };
}

export function starting(ground: Playground, under = ':'): Starter {
  const args = [JSON.stringify(orderOf(ground))];
  return (env) => startProgram('git-life', { args, env, under });
}

/** All that must be the same, wherever the process was killed. */
export function ending({ root, folder }: Playground): object {
  const worktrees = join(folder, 'worktrees');
  return {
    refs: ownRefs(root),
    folders: readdirSync(worktrees),
    files: fingerprint(join(worktrees, 'again'), (name) => name === '.git'),
    status: shell(join(worktrees, 'again'), 'status', '--porcelain', '--branch'),
    records: shell(root, 'worktree', 'list').split('\n').length,
    fsck: fsck(root),
  };
}

/** Of each kind of effect the first or the last; what comes after one is what comes before the next. */
function oneOfEachName(places: readonly string[]): string[] {
  const after = places.filter((place) => place.startsWith('after:'));
  const kinds = Map.groupBy(after, (place) => place.split('#')[0]);
  return [...kinds.values()].map((same, index) => (index % 2 === 0 ? same[0]! : same.at(-1)!));
}

/** Killed, it ends as if nothing had happened. Gives how often it was killed. */
export async function killLife(choose: Choice): Promise<number> {
  const untouched = playground();
  write(untouched.root, { 'README.md': 'uncommitted', untracked: 'x' });
  const user = userState(untouched.root);
  const places = oneOfEachName((await pointsPassed(starting(untouched))).flat());
  const expected = ending(untouched);
  expect(expected).toMatchObject({ folders: ['again'], records: 2, fsck: '' });
  expect(userState(untouched.root)).toBe(user);
  expect(places.length).toBeGreaterThan(12);
  const chosen = choose(places);
  const grounds = chosen.map((place) => ({ place, ground: playground() }));
  await twoAtATime(grounds, async ({ place, ground }) => {
    write(ground.root, { 'README.md': 'uncommitted', untracked: 'x' });
    const before = userState(ground.root);
    await killAt(place, starting(ground));
    await live(testGit(), orderOf(ground));
    expect({ place, ...ending(ground) }).toEqual({ place, ...expected });
    expect([place, userState(ground.root)]).toEqual([place, before]);
  });
  return chosen.length;
}

/** The so-many-th git of it is killed in the middle: it ends as if nothing had happened. Gives how many were. */
export async function killGits(counts: readonly number[]): Promise<number> {
  const untouched = playground();
  await live(testGit(), orderOf(untouched));
  const expected = ending(untouched);
  let killed = 0;
  for (const [index, count] of counts.entries()) {
    const ground = playground();
    const before = userState(ground.root);
    const counter = join(ground.folder, 'counter');
    // Dies like a git that is killed: by the signal, some moments after the real one has begun.
    const script = `echo x >> ${counter}
        [ "$(wc -l < ${counter})" -eq ${count} ] || exec "$GIT" "$@"
        "$GIT" "$@" <&0 & sleep 0.00${1 + (index % 4)}; kill -9 $! $$`;
    const git = testGit({ environment: gitBehind(script) });
    const ended = await live(git, orderOf(ground)).then(
      () => 'lived',
      () => 'killed',
    );
    if (ended === 'killed') killed += 1;
    await live(testGit(), orderOf(ground));
    expect({ count, ...ending(ground) }).toEqual({ count, ...expected });
    expect([count, userState(ground.root)]).toEqual([count, before]);
  }
  return killed;
}
