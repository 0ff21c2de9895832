import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PitonError } from '../../src/base/index.ts';
import { DirectoryWorkspaces } from '../../src/workspaces/directory/directories.ts';
import { routeWorkspaces } from '../../src/workspaces/router/router.ts';
import { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { playground, write } from '../support/git-playground.ts';
import { openLocal, placeRequest, plainFolder } from '../support/local-places.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const at = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Real kinds; which of them were opened is told. */
function stand() {
  const { root, repository, base } = playground();
  const state = join(root, '.piton');
  const opened: string[] = [];
  const open = (kind: 'worktree' | 'directory') => {
    opened.push(kind);
    return openLocal({ kind, state, folder: root });
  };
  const workspaces = routeWorkspaces({
    worktree: async () => open('worktree').places as WorktreeWorkspaces,
    directory: async () => open('directory').places as DirectoryWorkspaces,
    remote: async () => {
      throw new PitonError('REMOTE_UNKNOWN', 'no machine');
    },
    artifacts: async () => open('directory').filling,
  });
  const origin = { ...repository, root, base, prefix: '' };
  const shared = { folder: root, repository: origin };
  const worktree = placeRequest({ ...shared, mode: { mode: 'worktree' } }, 'in git');
  const directory = placeRequest({ ...shared, mode: { mode: 'directory' } }, 'in a folder');
  return { root, state, origin, opened, workspaces, worktree, directory };
}

test('a request goes to the kind of places it is about, and no other kind is opened', async () => {
  const { opened, workspaces, directory } = stand();
  expect((await workspaces.prepare(directory)).place).toMatchObject({ kind: 'directory' });
  await workspaces.prepare(directory);
  expect(opened).toEqual(['directory']);
});

test('what is recorded counts, whatever the workflow says by now', async () => {
  const { workspaces, worktree, directory } = stand();
  const { place } = await workspaces.prepare(worktree);
  const changed = { ...worktree, mode: directory.mode, known: place };
  expect((await workspaces.prepare(changed)).place).toMatchObject({ path: place.path, branch: place.branch });
  const remote = { ...worktree, mode: { mode: 'remote', remote: 'box' } } as const;
  await expect(workspaces.prepare(remote)).rejects.toMatchObject({ code: 'REMOTE_UNKNOWN' });
});

test('places of several kinds are looked at in the order in which they were asked for', async () => {
  const { workspaces, worktree, directory } = stand();
  const [one, other] = [await workspaces.prepare(worktree), await workspaces.prepare(directory)];
  write(other.place.path, { 'made.txt': 'made' });
  const requests = [other, one, other].map(({ place }) => ({
    ...(place.kind === 'directory' ? directory : worktree),
    known: place,
  }));
  const looks = await workspaces.look(requests);
  expect(looks.map(({ health }) => health)).toEqual(['dirty', 'clean', 'dirty']);
});

test('what was left behind is found, cleaned, kept and restored by its own kind', async () => {
  const { root, state, origin, workspaces, worktree, directory } = stand();
  const kept = new Map<string, string>();
  for (const request of [worktree, directory]) {
    const { place: known } = await workspaces.prepare(request);
    write(known.path, { 'made.txt': request.task });
    await workspaces.clean({ ...request, known, hasSucceeded: false, at }, 'archive');
  }
  for (const { ref, task } of await workspaces.archives(origin)) kept.set(task, ref);
  expect([...kept.keys()].sort()).toEqual(['in a folder', 'in git']);
  for (const [index, ref] of [...kept.values()].entries()) {
    await workspaces.restore(origin, ref, join(root, '..', `restored-${index}`));
  }
  write(join(state, 'directories/old/lost'), { 'a.txt': 'a' });
  write(join(state, 'worktrees/old/lost'), { 'a.txt': 'a' });
  const strays = await workspaces.strays(origin, { runs: ['run-1'], places: [] });
  const folders = strays.filter(({ name }) => name.endsWith('old/lost'));
  expect(folders.map(({ name }) => name).sort()).toEqual([
    join(state, 'directories/old/lost'),
    join(state, 'worktrees/old/lost'),
  ]);
  for (const stray of folders) {
    expect(await workspaces.cleanStray(origin, stray)).toMatchObject({ how: 'archived' });
  }
});

test('in a shared folder there is no place to prepare, but artifacts are kept from it as from any other', async () => {
  const { workspaces, directory } = stand();
  const folder = join(realpathSync(temporaryFolder()), 'shared');
  plainFolder(folder);
  const order = { run: 'run-1', task: 'make', folder, paths: ['src'] };
  expect(await workspaces.keepArtifacts(order)).toEqual({ bytes: 2 });
  const { place } = await workspaces.prepare({ ...directory, artifactsOf: ['make'] });
  const [look] = await workspaces.look([{ ...directory, artifactsOf: ['make'], known: place }]);
  expect(look!.health).toBe('clean');
});
