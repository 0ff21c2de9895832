/** Work in worktrees by drivers that are killed after effects on git, at some places or at all others. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { open } from '../../src/index.ts';
import { userState } from '../support/git-playground.ts';
import { twoAtATime, pointsPassed, type Starter, type Which } from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { makeMergeScene, makePoolScene } from '../support/place-scenes.ts';
import { remainsOf } from '../support/repository-remains.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agentEnvironment } from '../support/user-repository.ts';

/** A driver is killed so often in one run: a task that is interrupted ten times without progress is held. */
const killsInOneRun = 8;

interface Scene {
  readonly make: (folder: string) => void;
  /** After these `npm test` kills, in one run. */
  readonly few: RegExp;
  /** After these the deep suite kills, unless they are among the few. */
  readonly effects: RegExp;
  /** And after the last of these, each in a run of its own. */
  readonly weighty: RegExp;
}

export const merges: Scene = {
  make: makeMergeScene,
  few: /^after:(git\.(worktree-registered|trees-merged|ref-moved|laid-out)|merge\.proposed)/,
  effects: /^after:(git|workspace|merge|conflict)\.|^engine:after-(clean|integrate|save)/,
  weighty: /^after:git\.(ref-moved|trees-merged|folder-removed)/,
};

/** What a pool has in common with other places was looked at there. */
export const pool: Scene = {
  make: makePoolScene,
  few: /^after:(git\.(slot-cleaned|slot-checked-out|refs-dropped)|artifacts\.kept|workspace\.removed)/,
  effects:
    /^after:(git\.(slot|ref|commit|tree|marker)|artifacts|workspace\.(artifact|cleaned|removed|equipped))/,
  weighty: /^after:git\.(ref-moved|slot-cleaned)/,
};

function driving(folder: string): Starter {
  const args = [JSON.stringify({ folders: [folder] })];
  return (given) => startProgram('drive-places', { args, env: { ...agentEnvironment, ...given } });
}

/** Places at each of which a driver of the same run is killed, one after the other. */
type Chain = readonly string[];

/** The first of each kind, in their order, dealt out to chains; and for the weighty ones the last, each alone. */
function chainsOf(passed: readonly string[], { few, effects, weighty }: Scene, which: Which): Chain[] {
  const kinds = Map.groupBy(passed, (place) => place.split('#')[0]!);
  const isFirst = (kind: string): boolean =>
    which === 'these' ? few.test(kind) : effects.test(kind) && !few.test(kind);
  const firsts = [...kinds].flatMap(([kind, same]) => (isFirst(kind) ? [same[0]!] : []));
  const chains = Math.ceil(firsts.length / killsInOneRun);
  const dealt = Map.groupBy(firsts, (place) => firsts.indexOf(place) % chains);
  const lasts = [...kinds].flatMap(([kind, same]) => (weighty.test(kind) ? [[same.at(-1)!]] : []));
  return which === 'these' ? [...dealt.values()] : [...dealt.values(), ...lasts];
}

/** How many were killed: after a kill, the rest may take a way on which a place is not passed any more. */
async function strike(chain: Chain, start: Starter): Promise<number> {
  let killed = 0;
  for (const place of chain) {
    const { by, lines } = await start({ PITON_CRASH_AT: place }).ended();
    if (by === 'SIGKILL') killed += 1;
    else if (lines.at(-1) !== 'ended succeeded')
      throw new Error(`not killed at ${place}, but ${lines.at(-1)}`);
  }
  return killed;
}

/** What nobody has cleaned up, because the last driver was killed after the run had ended. */
async function reconcile(folder: string): Promise<void> {
  await using piton = await open({
    store: `sqlite:${join(folder, '.piton/piton.db')}`,
    durability: 'process',
  });
  await piton.reconcile({ folder });
}

/** What is not as if nothing had happened. */
export async function harmDoneIn(scene: Scene, which: Which): Promise<string[]> {
  const { make } = scene;
  const root = temporaryFolder();
  const folderOf = (name: string | number): string => join(root, String(name));
  make(folderOf('calm'));
  const user = userState(folderOf('calm'));
  const passed = (await pointsPassed(driving(folderOf('calm')))).flat();
  const expected = remainsOf(folderOf('calm'));
  expect(expected).toMatchObject({ user, worktrees: 1, folders: [], lost: [], fsck: '' });

  const chains = chainsOf(passed, scene, which);
  const kills = { wanted: chains.flat().length, done: 0 };
  const harm: string[] = [];
  await twoAtATime([...chains.entries()], async ([number, chain]) => {
    const folder = folderOf(number);
    make(folder);
    const mine = userState(folder);
    const done = await strike(chain, driving(folder));
    kills.done += done;
    const killed = `killed at ${chain.join(', ')}`;
    harm.push(...unlike(mine, userState(folder), killed));
    const { lines } = await driving(folder)({}).ended();
    harm.push(...unlike('ended succeeded', lines.at(-1), killed));
    await reconcile(folder);
    harm.push(...unlike({ ...expected, user: mine }, remainsOf(folder), killed));
  });
  expect(kills.wanted).toBeGreaterThan(3);
  expect(kills.done).toBeGreaterThan(kills.wanted * 0.8);
  return harm;
}
