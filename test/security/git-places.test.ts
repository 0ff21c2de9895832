/** A place, or the folder of its run, is replaced by a link to something of the user's. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standingOf } from '../../src/workspaces/directory/standing.ts';
import { fingerprint, shell, write } from '../support/git-playground.ts';
import { now, workOf, worktreeGround } from '../support/worktree-places.ts';

async function scene() {
  const ground = worktreeGround();
  const { place } = await ground.prepare('build');
  const precious = join(ground.folder, 'precious');
  write(precious, { 'thesis.txt': 'years of work', 'build/thesis.txt': 'more of it' });
  return { ground, place, precious, before: fingerprint(precious) };
}

const actions = ['discard', 'recreate', 'restore'] as const;

describe('a place that was replaced by a link', () => {
  test.for(actions)('is not followed: %s', async (action) => {
    const { ground, place, precious, before } = await scene();
    rmSync(place.path, { recursive: true });
    symlinkSync(precious, place.path);
    const order = { id: 'o1', action };
    await ground.prepare('build', { known: place, order }).catch(() => undefined);
    expect(fingerprint(precious)).toBe(before);
    // Either it is a worktree again, or the link stays for a person to see.
    const isMade = !lstatSync(place.path).isSymbolicLink();
    expect(isMade && existsSync(join(place.path, 'thesis.txt'))).toBe(false);
  });

  test('is not linked to the repository when a person adopts it', async () => {
    const { ground, place, precious, before } = await scene();
    rmSync(place.path, { recursive: true });
    symlinkSync(precious, place.path);
    const adopting = ground.prepare('build', { known: place, isAdopted: true });
    await expect(adopting).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(existsSync(join(precious, '.git'))).toBe(false);
    expect(fingerprint(precious)).toBe(before);
  });

  test('is neither saved, cleaned, adopted nor taken for healthy', async () => {
    const { ground, place, precious } = await scene();
    const moved = join(ground.folder, 'moved');
    renameSync(place.path, moved);
    rmSync(precious, { recursive: true });
    shell(ground.root, 'worktree', 'repair', moved);
    symlinkSync(moved, place.path);
    const before = fingerprint(moved);
    const request = { ...workOf(ground.request('build'), place), label: 'x' };
    expect(await ground.places.save(request)).toBeUndefined();
    const cleaning = { ...request, hasSucceeded: true, at: now };
    await ground.places.clean(cleaning, 'remove-when-clean-else-archive').catch(() => undefined);
    await ground.prepare('build', { known: place, isAdopted: true }).catch(() => undefined);
    const [look] = await ground.places.look([{ ...ground.request('build'), known: place }]);
    expect(look?.health).not.toBe('clean');
    expect(fingerprint(moved)).toBe(before);
  });
});

describe('the folder of a run that was replaced by a link', () => {
  test.for(actions)('is not followed: %s', async (action) => {
    const { ground, place, precious, before } = await scene();
    rmSync(dirname(place.path), { recursive: true });
    symlinkSync(precious, dirname(place.path));
    const preparing = ground.prepare('build', { known: place, order: { id: 'o1', action } });
    await expect(preparing).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    await expect(ground.prepare('build', { known: place })).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
    });
    expect(fingerprint(precious)).toBe(before);
  });

  test('is no folder of strays, and holds no place that is a plain folder', async () => {
    const { ground, place, precious, before } = await scene();
    const runs = dirname(dirname(place.path));
    symlinkSync(precious, join(runs, 'other-run'));
    const repository = ground.request('build').repository!;
    const strays = await ground.places.strays(repository, { runs: [], places: [place] });
    for (const stray of strays) await ground.places.cleanStray(repository, stray);
    expect(fingerprint(precious)).toBe(before);
    const path = join(runs, 'other-run', 'build');
    await expect(standingOf({ path, token: 't' })).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(existsSync(join(precious, 'build/thesis.txt'))).toBe(true);
    mkdirSync(join(runs, 'real', 'build'), { recursive: true });
    expect((await standingOf({ path: join(runs, 'real/build'), token: 't' })).type).toBe('foreign');
  });
});
