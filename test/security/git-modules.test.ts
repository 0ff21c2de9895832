/** Commits that an agent has made in a submodule of its worktree: the user gets them, and nobody else's repository is touched. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergeRun } from '../../src/workspaces/delivery/merge-run.ts';
import type { RunMerged } from '../../src/workspaces/index.ts';
import { fsck, shell } from '../support/git-playground.ts';
import {
  archivedModule,
  commitInside,
  deinit,
  gitDirOf,
  integrate,
  keptIn,
  mergeOf,
  moduleGround,
  submodule,
  type ModuleGround,
} from '../support/module-ground.ts';

function merge(found: ModuleGround, isDryRun = false): Promise<RunMerged> {
  return mergeRun(found.git, mergeOf(found, isDryRun));
}

describe('a commit in a submodule', () => {
  test('is brought to the user’s repository of it, and is there after the merge, though the worktree is gone', async () => {
    const found = await moduleGround();
    const made = commitInside(found);
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(keptIn(found)).toBe(`refs/piton/kept/${made}`);
    shell(found.root, 'worktree', 'remove', '--force', '--force', found.build.path);
    renameSync(found.library, `${found.library}-gone`);
    expect(await merge(found)).toMatchObject({ submodules: ['a lib'] });
    shell(found.root, ...submodule, 'update');
    expect(shell(join(found.root, 'a lib'), 'rev-parse', 'HEAD')).toBe(made);
    expect([fsck(found.root), fsck(found.modules)]).toEqual(['', '']);
  });

  test('holds the task if the user has no repository of it; with one, it goes on', async () => {
    const found = await moduleGround();
    const made = commitInside(found);
    deinit(found);
    expect(await integrate(found)).toMatchObject({
      code: 'SUBMODULE_UNKNOWN',
      details: { path: 'a lib', commit: made },
      remedy: expect.stringContaining("git submodule update --init -- 'a lib'") as string,
    });
    expect(found.runTip()).toBe(found.origin.base);
    shell(found.root, ...submodule, 'update', '--init');
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(keptIn(found)).toBe(`refs/piton/kept/${made}`);
  });

  test('that holds a secret holds the task, and is not kept', async () => {
    const found = await moduleGround();
    commitInside(found);
    const secrets = { TOKEN: 'of the agent', OTHER: 'not in there' };
    expect(await found.build.integrate({ secrets })).toEqual({
      type: 'secrets',
      found: [{ path: 'a lib/own.txt', secret: 'TOKEN' }],
    });
    expect([keptIn(found), found.runTip()]).toEqual(['', found.origin.base]);
  });

  test('starts nothing that the configuration of either repository names', async () => {
    const found = await moduleGround();
    commitInside(found);
    const trace = join(found.folder, 'trace');
    for (const gitDir of [await gitDirOf(found), found.modules])
      for (const key of [
        'core.fsmonitor',
        'core.alternateRefsCommand',
        'uploadpack.packObjectsHook',
        'core.pager',
      ])
        shell(gitDir, 'config', key, `touch ${trace}; cat`);
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(existsSync(trace)).toBe(false);
  });
});

describe('a commit in a submodule that only an archive has', () => {
  test('refuses the merge without a repository for it; with one, it is brought there', async () => {
    const found = await archivedModule();
    const refusal = await merge(found, true).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'MERGE_REFUSED',
      remedy: expect.stringContaining("git submodule update --init -- 'a lib'") as string,
    });
    await expect(merge(found)).rejects.toMatchObject({ code: 'MERGE_REFUSED' });
    expect(shell(found.root, 'rev-parse', 'HEAD')).toBe(found.origin.base);
    shell(found.root, ...submodule, 'update', '--init');
    await merge(found, true);
    expect(keptIn(found)).toBe('');
    expect(await merge(found)).toMatchObject({ submodules: ['a lib'] });
    expect(keptIn(found)).toBe(`refs/piton/kept/${found.made}`);
    renameSync(found.library, `${found.library}-gone`);
    shell(found.root, ...submodule, 'update');
    expect(shell(join(found.root, 'a lib'), 'rev-parse', 'HEAD')).toBe(found.made);
  });
});
