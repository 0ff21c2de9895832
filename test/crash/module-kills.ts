/** A commit in a submodule, killed while it is brought to the user's repository of it. */
import { expect } from 'vitest';
import { mergeRun } from '../../src/workspaces/delivery/merge-run.ts';
import { testGit, fsck, playground, shell } from '../support/git-playground.ts';
import { bringIn } from '../support/integrate-steps.ts';
import { killAt, pointsPassed, twoAtATime, type Starter, type Which } from '../support/kill.ts';
import {
  archivedModule,
  commitInside,
  keptIn,
  mergeOf,
  moduleGround,
  submodule,
  type ModuleGround,
} from '../support/module-ground.ts';
import { startProgram } from '../support/start-program.ts';

interface Way {
  prepare(library: string): Promise<ModuleGround>;
  starting(ground: ModuleGround): Starter;
  again(ground: ModuleGround): Promise<unknown>;
  readonly end: string;
}

const ways: Readonly<Record<'integrated' | 'merged', Way>> = {
  integrated: {
    prepare: async (library) => {
      const ground = await moduleGround(library);
      commitInside(ground);
      return ground;
    },
    starting: ({ build }) => {
      const args = [JSON.stringify(build.request)];
      return (env) => startProgram('integrate-work', { args, env });
    },
    again: ({ build }) => bringIn(testGit(), build.request),
    end: 'integrated',
  },
  merged: {
    prepare: async (library) => {
      const ground = await archivedModule(library);
      shell(ground.root, ...submodule, 'update', '--init');
      return ground;
    },
    starting: (ground) => {
      const args = [JSON.stringify({ order: mergeOf(ground), identity: {} })];
      return (env) => startProgram('merge-run', { args, env });
    },
    again: async (ground) => (await mergeRun(ground.git, mergeOf(ground))).how,
    end: 'fast-forward',
  },
};

/** All that must be the same, wherever the process was killed. */
function ending(ground: ModuleGround): object {
  const { root, modules, runTip } = ground;
  const kept = keptIn(ground);
  const subject = kept === '' ? '' : shell(modules, 'log', '-1', '--format=%s %T', kept);
  return {
    kept: subject,
    tree: shell(root, 'ls-tree', '--name-only', runTip()),
    fsck: [fsck(root), fsck(modules)],
  };
}

function isOfModules(place: string): boolean {
  return /:git\.(module-brought|folder-restored|ref-moved)#1$/.test(place);
}

/** Done again, it ends as if nothing had happened. Gives how often it was killed. */
export async function killBringing(how: keyof typeof ways, which: Which): Promise<number> {
  const { prepare, starting, again, end } = ways[how];
  const { root: library } = playground('library');
  const untouched = await prepare(library);
  const places = (await pointsPassed(starting(untouched))).flat().filter(isOfModules);
  const expected = ending(untouched);
  expect(expected).toMatchObject({
    kept: expect.stringContaining('in the submodule') as string,
    fsck: ['', ''],
  });
  const isThese = (place: string): boolean => place === 'after:git.module-brought#1';
  const chosen = places.filter((place) => isThese(place) === (which === 'these'));
  await twoAtATime(chosen, async (place) => {
    const struck = await prepare(library);
    const before = shell(struck.root, 'rev-parse', 'HEAD', struck.runTip());
    await killAt(place, starting(struck));
    if (isThese(place)) expect(shell(struck.root, 'rev-parse', 'HEAD', struck.runTip())).toBe(before);
    expect([place, await again(struck)]).toEqual([place, end]);
    expect({ place, ...ending(struck) }).toEqual({ place, ...expected });
  });
  return chosen.length;
}
