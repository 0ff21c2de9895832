import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { userState } from '../support/git-playground.ts';
import { eachAtOnce, placesPassed, type Starter } from '../support/kill.ts';
import { makeMergeScene, makePoolScene } from '../support/place-scenes.ts';
import { remainsOf } from '../support/repository-remains.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agentEnvironment } from '../support/user-repository.ts';

/** A driver is killed so often in one run: a task that is interrupted ten times without progress is held. */
const killsInOneRun = 8;

interface Scene {
  readonly make: (folder: string) => void;
  /** After these a driver is killed. */
  readonly effects: RegExp;
  /** After the last of these too, each in a run of its own. */
  readonly weighty: RegExp;
}

const merges: Scene = {
  make: makeMergeScene,
  effects: /^after:(git|workspace|merge|conflict)\.|^engine:after-(clean|integrate|save)/,
  weighty: /git\.(ref-moved|trees-merged|folder-removed)/,
};

/** What a pool has in common with other places was looked at there. */
const pool: Scene = {
  make: makePoolScene,
  effects:
    /^after:(git\.(slot|ref|commit|tree|marker)|artifacts|workspace\.(artifact|cleaned|removed|equipped))/,
  weighty: /git\.(ref-moved|slot-cleaned)/,
};

function driving(folder: string): Starter {
  const args = [JSON.stringify({ folders: [folder] })];
  return (given) => startProgram('drive-places', { args, env: { ...agentEnvironment, ...given } });
}

/** Places at each of which a driver of the same run is killed, one after the other. */
type Chain = readonly string[];

/** The first of each kind, in their order, dealt out to chains; and for the weighty ones the last, each alone. */
function chainsOf(passed: readonly string[], { effects, weighty }: Scene): Chain[] {
  const kinds = Map.groupBy(
    passed.filter((place) => effects.test(place)),
    (place) => place.split('#')[0]!,
  );
  const chains = Math.ceil(kinds.size / killsInOneRun);
  const firsts = Map.groupBy(kinds.keys(), (_, index) => index % chains);
  const lasts = [...kinds].flatMap(([kind, same]) => (weighty.test(kind) ? [[same.at(-1)!]] : []));
  return [...firsts.values(), ...lasts];
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

test.each([
  ['merged, checked, held for a conflict and solved', merges],
  ['set up once, taken over, archived and removed', pool],
])(
  'work in worktrees is %s as if nothing had happened, with drivers killed after each kind of effect on git',
  async (_, scene) => {
    const { make } = scene;
    const root = temporaryFolder();
    const folderOf = (name: string | number): string => join(root, String(name));
    make(folderOf('calm'));
    const user = userState(folderOf('calm'));
    const passed = (await placesPassed(driving(folderOf('calm')))).flat();
    const expected = remainsOf(folderOf('calm'));
    expect(expected).toMatchObject({ user, worktrees: 1, folders: [], lost: [], fsck: '' });

    const chains = chainsOf(passed, scene);
    const kills = { wanted: chains.flat().length, done: 0 };
    await eachAtOnce([...chains.entries()], async ([number, chain]) => {
      const folder = folderOf(number);
      make(folder);
      const mine = userState(folder);
      const killed = await strike(chain, driving(folder));
      kills.done += killed;
      expect.soft(userState(folder), `killed at ${chain.join(', ')}`).toBe(mine);
      const { lines } = await driving(folder)({}).ended();
      expect.soft([chain, lines.at(-1)]).toEqual([chain, 'ended succeeded']);
      await reconcile(folder);
      expect.soft([chain, { ...remainsOf(folder), user }]).toEqual([chain, expected]);
      expect.soft(userState(folder), `killed at ${chain.join(', ')}`).toBe(mine);
    });
    expect(kills.wanted).toBeGreaterThan(12);
    expect(kills.done).toBeGreaterThan(kills.wanted * 0.8);
  },
);
