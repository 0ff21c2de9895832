import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CleanupPolicy } from '../../../src/model/index.ts';
import type { Cleaned, CleanRequest, Place } from '../../../src/workspaces/index.ts';
import { commit, fsck, shell, write } from '../../support/git-playground.ts';
import { now, worktreeGround, type WorktreeGround } from '../../support/worktree-places.ts';

const usual = 'remove-when-clean-else-archive';

export function clean(
  ground: WorktreeGround,
  known: Place,
  more: Partial<CleanRequest> & { policy?: CleanupPolicy } = {},
): Promise<Cleaned> {
  const { policy = usual, ...rest } = more;
  const request = { ...ground.request('build', rest), known, hasSucceeded: true, at: now, ...rest };
  return ground.places.clean(request, policy);
}

/** As the engine leaves it: the result is on the branch of the run. */
export function integrate(ground: WorktreeGround, { path }: Place): string {
  const result = shell(path, 'rev-parse', 'HEAD');
  shell(ground.root, 'update-ref', 'refs/heads/piton/run-1', result);
  return result;
}

/** What becomes of the place of a task by its policy. */
const byPolicy = {
  'remove-when-clean-else-archive': { success: 'removed', failure: 'archived', untouched: 'removed' },
  'remove-on-success': { success: 'removed', failure: 'kept', untouched: 'kept' },
  'archive-on-failure': { success: 'removed', failure: 'archived', untouched: 'archived' },
  archive: { success: 'archived', failure: 'archived', untouched: 'archived' },
  keep: { success: 'kept', failure: 'kept', untouched: 'kept' },
} satisfies Record<CleanupPolicy, { success: string; failure: string; untouched: string }>;

export function cleansByPolicy(policies: readonly CleanupPolicy[]): void {
  test.for(policies)('by %s does what the table says', async (policy) => {
    const ground = worktreeGround();
    const [good, bad, idle] = await Promise.all(
      ['good', 'bad', 'idle'].map(async (task) => (await ground.prepare(task)).place),
    );
    commit(good!.path, { 'made.txt': 'made' });
    const result = integrate(ground, good!);
    commit(bad!.path, { 'bad.txt': 'bad' });
    write(bad!.path, { 'more.txt': 'more' });
    const failed = { policy, hasSucceeded: false };
    const found = {
      success: await clean(ground, good!, { ...ground.request('good'), policy, result }),
      failure: await clean(ground, bad!, { ...ground.request('bad'), ...failed }),
      untouched: await clean(ground, idle!, { ...ground.request('idle'), ...failed }),
    };
    const how = Object.fromEntries(Object.entries(found).map(([name, cleaned]) => [name, cleaned.how]));
    expect(how).toEqual(byPolicy[policy]);
    expect([good, bad, idle].map((place) => existsSync(place!.path))).toEqual(
      [found.success, found.failure, found.untouched].map((cleaned) => cleaned.how === 'kept'),
    );
    expect(
      Object.values(found).every(({ how: one, ref }) => (one === 'archived') === (ref !== undefined)),
    ).toBe(true);
    expect(fsck(ground.root)).toBe('');
  });
}

/** What git alone would lose with the place. */
const losses = {
  'a changed file': ({ path }: Place) => write(path, { 'README.md': 'changed' }),
  'an untracked file': ({ path }: Place) => write(path, { 'new.txt': 'new' }),
  'an ignored file': ({ path }: Place) => write(path, { 'debug.log': 'log' }),
  'a file in an ignored folder': ({ path }: Place) => write(path, { 'dist/deep/out.js': 'out' }),
  'something staged and taken back': ({ path }: Place) => {
    write(path, { 'README.md': 'staged' });
    shell(path, 'add', 'README.md');
    write(path, { 'README.md': 'Hello\n' });
  },
  'a commit that was reset away': ({ path }: Place) => {
    commit(path, { 'gone.txt': 'gone' });
    shell(path, 'reset', '--quiet', '--hard', 'HEAD~');
  },
  'a stash': ({ path }: Place) => {
    write(path, { 'README.md': 'stashed' });
    shell(path, 'stash', '--quiet');
  },
  'a change that git was told not to see': ({ path }: Place) => {
    shell(path, 'update-index', '--skip-worktree', 'README.md');
    write(path, { 'README.md': 'hidden' });
  },
  'a repository of its own in a tracked folder': ({ path }: Place) =>
    shell(join(path, 'src'), 'init', '--quiet'),
} satisfies Record<string, (place: Place) => void>;

type Loss = keyof typeof losses;

export function archives(held: readonly Loss[]): void {
  test.for(held)('archives one that holds %s', async (loss) => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    commit(place.path, { 'made.txt': 'made' });
    const result = integrate(ground, place);
    losses[loss](place);
    const cleaned = await clean(ground, place, { result });
    expect(cleaned).toMatchObject({ how: 'archived', reason: expect.stringContaining('it held ') as string });
    await ground.places.restore(
      ground.request('build').repository,
      cleaned.ref!,
      join(ground.folder, 'back'),
    );
  });
}
