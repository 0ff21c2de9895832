import { join } from 'node:path';
import { expect } from 'vitest';
import { fsck, playground, shell, userState, write, type Playground } from '../../support/git-playground.ts';
import { twoAtATime, killAt, pointsPassed, type Choice, type Starter } from '../../support/kill.ts';
import { namesBelow } from '../../support/local-places.ts';
import { startProgram } from '../../support/start-program.ts';
import { liveInWorktrees, type Records, type WorktreeLives } from '../../support/worktree-life.ts';

function livesIn({ folder, root, repository, base }: Playground): WorktreeLives {
  return { state: join(folder, 'state'), root, commonDir: repository.commonDir, base };
}

function starting(ground: Playground): Starter {
  const args = [JSON.stringify(livesIn(ground))];
  return (env) => startProgram('worktree-life', { args, env });
}

function userGround(): Playground {
  const ground = playground();
  write(ground.root, { 'README.md': 'uncommitted', untracked: 'x' });
  return ground;
}

/** All that must be the same, wherever the process was killed; only the time of an archive is another. */
function ending(ground: Playground, records: Records): object {
  const refs = shell(ground.root, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  return {
    refs: refs.map((line) => held(ground, line)).sort(),
    folders: namesBelow(join(ground.folder, 'state', 'worktrees'), 2),
    worktrees: shell(ground.root, 'worktree', 'list').split('\n').length,
    cleaned: Object.entries(records).map(([task, { cleaned }]) => [task, cleaned?.how]),
    fsck: fsck(ground.root),
  };
}

/** Of an archive, the files that it holds, and the commits. */
function held({ root }: Playground, line: string): string {
  const [ref = '', commit = ''] = line.split(' ');
  if (!ref.startsWith('refs/piton/archive/')) return line;
  const manifest = JSON.parse(shell(root, 'cat-file', '-p', `${commit}:manifest.json`)) as Archived;
  const { files, head, branch, commits } = manifest;
  return [
    ref.replace(/[^/]+$/, ''),
    shell(root, 'rev-parse', `${files}^{tree}`),
    head,
    branch,
    ...commits,
  ].join(' ');
}

interface Archived {
  readonly files: string;
  readonly head: string;
  readonly branch: string | null;
  readonly commits: readonly string[];
}

/** Of each kind of effect the first or the last; what comes after one is what comes before the next. */
function oneOfEachKind(places: readonly string[]): string[] {
  const kinds = Map.groupBy(
    places.filter((place) => place.startsWith('after:')),
    (place) => place.split('#')[0],
  );
  return [...kinds.values()].map((same, index) => (index % 2 === 0 ? same[0]! : same.at(-1)!));
}

/** Places prepared, taken over, saved, lost, discarded and cleaned end the same. Gives how often it was killed. */
export async function killLives(choose: Choice): Promise<number> {
  const untouched = userGround();
  const user = userState(untouched.root);
  const passed = (await pointsPassed(starting(untouched))).flat();
  const expected = ending(untouched, await liveInWorktrees(livesIn(untouched)));
  expect(expected).toMatchObject({ folders: [], worktrees: 1, fsck: '' });
  expect(userState(untouched.root)).toBe(user);
  const places = oneOfEachKind(passed);
  expect(places.length).toBeGreaterThan(15);
  const chosen = choose(places);
  await twoAtATime(chosen, async (place) => {
    const ground = userGround();
    const before = userState(ground.root);
    await killAt(place, starting(ground));
    const records = await liveInWorktrees(livesIn(ground));
    expect({ place, ...ending(ground, records) }).toEqual({ place, ...expected });
    expect([place, userState(ground.root)]).toEqual([place, before]);
  });
  return chosen.length;
}
