import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultGround, worktreesOf } from '../support/fault-ground.ts';
import { commit, fingerprint, fsck, playground, shell, write } from '../support/git-playground.ts';

/** Ends with that file among those of the place, one way or another. */
type Deed = (place: string, file: string) => void;

const deeds: Record<string, Deed> = {
  'rebases onto what was before': (place, file) => {
    commit(place, { [file]: 'made' });
    shell(place, 'rebase', '--quiet', '--onto', 'HEAD~2', 'HEAD~1');
  },
  'stashes, and takes it out again': (place, file) => {
    write(place, { [file]: 'made' });
    shell(place, 'stash', '--include-untracked', '--quiet');
    shell(place, 'stash', 'pop', '--quiet');
  },
  'switches to a branch of its own, and deletes its own branch': (place, file) => {
    const own = shell(place, 'symbolic-ref', '--short', 'HEAD');
    shell(place, 'switch', '--quiet', '-c', 'my-idea');
    commit(place, { [file]: 'made' });
    shell(place, 'branch', '--quiet', '-D', own);
  },
  'collects all garbage at once': (place, file) => {
    commit(place, { [file]: 'made' });
    shell(place, 'reflog', 'expire', '--expire=now', '--all');
    shell(place, 'gc', '--quiet', '--prune=now');
  },
  'prunes worktrees, packs refs and cleans all that git does not have': (place, file) => {
    write(place, { 'junk.txt': 'junk', 'dist/x': 'x' });
    shell(place, 'worktree', 'prune', '--expire=now');
    shell(place, 'pack-refs', '--all');
    shell(place, 'clean', '-xfd', '--quiet');
    write(place, { [file]: 'made' });
  },
  'goes back to an older commit': (place, file) => {
    shell(place, 'reset', '--quiet', '--hard', 'main~1');
    write(place, { [file]: 'made' });
  },
  'amends the commit that it began from': (place, file) => {
    write(place, { [file]: 'made' });
    shell(place, 'add', '.');
    shell(place, 'commit', '--quiet', '--amend', '-m', 'amended');
  },
  'begins a history of its own, and commits nothing': (place, file) => {
    shell(place, 'checkout', '--quiet', '--orphan', 'of-my-own');
    write(place, { [file]: 'made' });
  },
  'commits with hooks of its own': (place, file) => {
    const hooks = join(place, '.hooks');
    mkdirSync(hooks);
    const hook = `#!/bin/sh\necho made > ${file}\ngit add ${file}\n`;
    writeFileSync(join(hooks, 'pre-commit'), hook, { mode: 0o755 });
    shell(place, '-c', `core.hooksPath=${hooks}`, 'commit', '--quiet', '--allow-empty', '-m', 'hooked');
    rmSync(hooks, { recursive: true });
  },
  'leaves locks of its index and HEAD behind': (place, file) => {
    write(place, { [file]: 'made' });
    const gitDir = shell(place, 'rev-parse', '--absolute-git-dir');
    for (const lock of ['index.lock', 'HEAD.lock']) writeFileSync(join(gitDir, lock), '');
  },
  'clones a repository into its place': (place, file) => {
    write(place, { [file]: 'made' });
    shell(place, 'clone', '--quiet', shell(place, 'rev-parse', '--git-common-dir'), 'clone');
  },
};

const isSeen = (path: string): boolean =>
  !path.startsWith('.git/') || /^.git\/(index|HEAD|config|hooks.*)$/.test(path);

/** What a person sees of their own: files, index, HEAD, settings, branch, and the stash. */
function seenBy(root: string): string[] {
  return [
    fingerprint(root, (path) => !isSeen(path)),
    shell(root, 'rev-parse', 'HEAD', 'main'),
    shell(root, 'stash', 'list'),
    shell(root, 'status', '--porcelain'),
  ];
}

/** A task has gone before, so that there is work of others to be lost. */
async function busyGround() {
  const { root } = playground();
  commit(root, { 'second.txt': 'second' });
  const ground = await faultGround(root);
  await ground.live('first', (place) => write(place, { 'first.txt': 'first' }));
  return { root, ground, before: seenBy(root) };
}

test('what agents make is brought in, and the user notices nothing, whatever they do to git on the way', async () => {
  const { root, ground, before } = await busyGround();
  const files: string[] = [];
  for (const [name, deed] of Object.entries(deeds)) {
    const file = `made-${files.length}.txt`;
    files.push(file);
    const { integration, cleaned } = await ground.live(name, (place) => deed(place, file));
    expect({ name, type: integration.type, ...cleaned }).toMatchObject({ name, type: 'integrated' });
    const left = { worktrees: worktreesOf(ground), seen: seenBy(root), fsck: fsck(root) };
    expect({ name, ...left }).toEqual({ name, worktrees: [], seen: before, fsck: '' });
  }
  expect(ground.made()).toMatchObject({
    'first.txt': 'first',
    'second.txt': 'second',
    ...Object.fromEntries(files.map((file) => [file, 'made'])),
  });
});

test('a history that an agent has begun of its own does not fit: it is told, and stays on its branch', async () => {
  const { root, ground, before } = await busyGround();
  const place = await ground.place('build');
  shell(place.path, 'checkout', '--quiet', '--orphan', 'of-my-own');
  const made = commit(place.path, { 'made.txt': 'made' });
  const found = await ground.integrate('build', place);
  expect(found).toMatchObject({ type: 'conflict', report: expect.stringMatching(/unrelated|in common/) });
  expect(ground.made()).not.toHaveProperty('made.txt');
  expect(shell(root, 'merge-base', place.branch!, made)).toBe(made);
  expect(seenBy(root)).toEqual(before);
});

test('what an agent leaves in the stash is no result, but is kept when its place goes', async () => {
  const { root, ground } = await busyGround();
  const life = await ground.live('build', (place) => {
    write(place, { 'made.txt': 'made', 'README.md': 'stashed\n' });
    shell(place, 'add', 'made.txt');
    shell(place, 'stash', '--quiet', '--', 'README.md');
  });
  expect(life).toMatchObject({ integration: { type: 'integrated' }, cleaned: { how: 'archived' } });
  expect(ground.made()).toMatchObject({ 'made.txt': 'made', 'README.md': 'Hello' });
  expect(shell(root, 'show', 'stash@{0}:README.md')).toBe('stashed');
});

test('a rebase that an agent has not brought to its end is told, and nothing of it is disturbed', async () => {
  const { ground } = await busyGround();
  const place = await ground.place('build');
  commit(place.path, { 'src/a.txt': 'one way\n' });
  shell(place.path, 'branch', 'other', 'HEAD~1');
  shell(place.path, 'checkout', '--quiet', '--detach', 'other');
  commit(place.path, { 'src/a.txt': 'another way\n' });
  expect(() => shell(place.path, 'rebase', place.branch!)).toThrow('could not apply');
  const before = fingerprint(place.path);
  const found = await ground.integrate('build', place);
  expect(found).toMatchObject({ type: 'conflict', files: ['src/a.txt'] });
  expect(found).toHaveProperty('report', expect.stringContaining('rebase was begun'));
  expect(fingerprint(place.path)).toBe(before);
});

test('settings and hooks of the repository that an agent has changed are told, and start nothing', async () => {
  const { root, ground } = await busyGround();
  const evidence = join(ground.worktrees, 'hooked');
  const life = await ground.live('build', (place) => {
    write(place, { 'made.txt': 'made' });
    const hook = `#!/bin/sh\ntouch ${evidence}\nexit 1\n`;
    for (const name of ['reference-transaction', 'post-checkout'])
      writeFileSync(join(root, '.git/hooks', name), hook, { mode: 0o755 });
    const settings = { 'core.bare': 'true', 'core.fsmonitor': 'false-program', 'commit.gpgsign': 'true' };
    for (const [name, value] of Object.entries(settings)) shell(place, 'config', name, value);
  });
  const changes = ['core.fsmonitor', 'hooks/post-checkout', 'hooks/reference-transaction'];
  expect(life).toMatchObject({
    integration: { type: 'refs', changes: changes.map((key) => ({ ref: `config ${key}` })) },
  });
  expect((await ground.place('next')).path).not.toBe('');
  expect(ground.made()).toMatchObject({ 'first.txt': 'first' });
  expect(existsSync(evidence)).toBe(false);
});
