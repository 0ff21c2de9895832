/** A worktree with a submodule, a clone, another worktree and keys of git-crypt, killed while it is archived and laid out again. */
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addWorktree, taskBranch } from '../../src/workspaces/git/index.ts';
import { trailers } from '../support/git-orders.ts';
import { commit, fingerprint, fsck, ownRefs, playground, shell, write } from '../support/git-playground.ts';
import { killAt, pointsPassed, twoAtATime, type Starter, type Which } from '../support/kill.ts';
import type { NestedOrder } from '../support/programs/nested-life.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Scene {
  readonly root: string;
  readonly order: NestedOrder;
}

async function scene(library: string): Promise<Scene> {
  const { root, repository, git, folder } = playground();
  const remote = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet'];
  shell(root, ...remote, 'add', library, 'lib');
  const base = commit(root, {}, 'with a submodule');
  write(root, { '.git/git-crypt/keys/default': 'a key' });
  shell(root, 'config', 'filter.x.clean', 'cat');
  const { run, task } = trailers;
  const path = join(folder, 'worktree');
  const branch = taskBranch(run, task);
  await addWorktree(git, { repository, run, task, token: 'token', base, path, branch });
  shell(path, ...remote, 'update', '--init');
  commit(join(path, 'lib'), { 'own.txt': 'committed in the submodule' });
  shell(path, 'init', '--quiet', 'clone');
  commit(join(path, 'clone'), { 'own.txt': 'committed in the clone' });
  shell(path, 'worktree', 'add', '--quiet', '--detach', 'sibling');
  write(join(path, 'sibling'), { 'own.txt': 'in another worktree' });
  const state = realpathSync(temporaryFolder());
  mkdirSync(join(state, 'piton'), { mode: 0o700 });
  return {
    root,
    order: { commonDir: repository.commonDir, state, path, again: join(folder, 'again'), base },
  };
}

function starting({ order }: Scene): Starter {
  return (env) => startProgram('nested-life', { args: [JSON.stringify(order)], env });
}

/** All that must be the same, wherever the process was killed. */
function ending({ root, order: { again, state } }: Scene): object {
  const records = join(state, 'piton/git');
  const entries = readdirSync(records)
    .filter((name) => !name.endsWith('.own'))
    .map((name) => {
      const text = readFileSync(join(records, name, 'record.json'), 'utf8');
      return (JSON.parse(text) as { entries: unknown }).entries;
    });
  return {
    entries,
    refs: ownRefs(root).replaceAll(/[0-9a-f]{40}/g, ''),
    submodule: shell(join(again, 'lib'), 'log', '-1', '--format=%s %T'),
    sibling: readFileSync(join(again, 'sibling/own.txt'), 'utf8'),
    worktrees: shell(root, 'worktree', 'list').split('\n').length,
    clone: shell(join(again, 'clone'), 'log', '-1', '--format=%s %T'),
    inside: [join(again, 'lib'), join(again, 'clone')].map((path) => shell(path, 'status', '--porcelain')),
    own: fingerprint(again, (name) => ['.git', 'lib', 'clone', 'sibling'].includes(name)),
    key: readFileSync(join(root, '.git/worktrees/again/git-crypt/keys/default'), 'utf8'),
    fsck: [fsck(root), fsck(join(again, 'lib'))],
  };
}

const effects = [
  'config-recorded',
  'blobs-written',
  'keys-lent',
  'nested-made',
  'folder-restored',
  'module-placed',
];
const some = new Set(['after:git.config-recorded#1', 'after:git.folder-restored#2']);

/** Killed there and done again, it ends as if nothing had happened. Gives how often it was killed. */
export async function killNested(which: Which): Promise<number> {
  const { root: library } = playground('library');
  const untouched = await scene(library);
  const passed = (await pointsPassed(starting(untouched))).flat();
  const expected = ending(untouched);
  expect(expected).toMatchObject({ fsck: ['', ''], inside: ['', ''], key: 'a key' });
  const places = passed.filter((place) => effects.some((name) => place.includes(`:git.${name}#`)));
  expect(new Set(places.map((place) => place.split(/[.#]/)[1]))).toEqual(new Set(effects));
  const chosen = places.filter((place) => some.has(place) === (which === 'these'));
  await twoAtATime(chosen, async (place) => {
    const struck = await scene(library);
    await killAt(place, starting(struck));
    expect([place, (await starting(struck)({}).ended()).by]).toEqual([place, 0]);
    expect({ place, ...ending(struck) }).toEqual({ place, ...expected });
  });
  return chosen.length;
}
