import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultGround, worktreesOf, type FaultGround } from '../support/fault-ground.ts';
import { commit, fingerprint, fsck, playground, shell, userState, write } from '../support/git-playground.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function twoCommits() {
  const { root, folder } = playground();
  commit(root, { 'second.txt': 'second' });
  const ground = await faultGround(root);
  return { root, folder, ground, before: userState(root) };
}

type Deed = (place: string) => void;

/** Each ends with `made.txt` in the files of the place, one way or another. */
const deeds: Record<string, Deed> = {
  'rebases onto what was before': (place) => {
    commit(place, { 'made.txt': 'made' });
    shell(place, 'rebase', '--quiet', '--onto', 'HEAD~2', 'HEAD~1');
  },
  'stashes, and takes it out again': (place) => {
    write(place, { 'made.txt': 'made' });
    shell(place, 'stash', '--include-untracked', '--quiet');
    shell(place, 'stash', 'pop', '--quiet');
  },
  'switches to a branch of its own, and deletes its own branch': (place) => {
    const own = shell(place, 'symbolic-ref', '--short', 'HEAD');
    shell(place, 'switch', '--quiet', '-c', 'my-idea');
    commit(place, { 'made.txt': 'made' });
    shell(place, 'branch', '--quiet', '-D', own);
  },
  'collects all garbage at once': (place) => {
    commit(place, { 'made.txt': 'made' });
    shell(place, 'reflog', 'expire', '--expire=now', '--all');
    shell(place, 'gc', '--quiet', '--prune=now');
  },
  'prunes worktrees, packs refs and cleans all that git does not have': (place) => {
    write(place, { 'junk.txt': 'junk', 'dist/x': 'x' });
    shell(place, 'worktree', 'prune', '--expire=now');
    shell(place, 'pack-refs', '--all');
    shell(place, 'clean', '-xfd', '--quiet');
    write(place, { 'made.txt': 'made' });
  },
  'goes back to an older commit': (place) => {
    shell(place, 'reset', '--quiet', '--hard', 'HEAD~1');
    write(place, { 'made.txt': 'made' });
  },
  'amends the commit of the user that it began from': (place) => {
    write(place, { 'made.txt': 'made' });
    shell(place, 'add', '.');
    shell(place, 'commit', '--quiet', '--amend', '-m', 'amended');
  },
  'begins a history of its own, and commits nothing': (place) => {
    shell(place, 'checkout', '--quiet', '--orphan', 'of-my-own');
    write(place, { 'made.txt': 'made' });
  },
  'commits with hooks of its own': (place) => {
    const hooks = join(place, '.hooks');
    mkdirSync(hooks);
    writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\necho made > made.txt\ngit add made.txt\n', {
      mode: 0o755,
    });
    shell(place, '-c', `core.hooksPath=${hooks}`, 'commit', '--quiet', '--allow-empty', '-m', 'hooked');
    rmSync(hooks, { recursive: true });
  },
  'locks its worktree, and leaves locks of its index and HEAD behind': (place) => {
    write(place, { 'made.txt': 'made' });
    shell(place, 'worktree', 'lock', place);
    const gitDir = shell(place, 'rev-parse', '--absolute-git-dir');
    writeFileSync(join(gitDir, 'index.lock'), '');
    writeFileSync(join(gitDir, 'HEAD.lock'), '');
  },
  'detaches HEAD and deletes all branches that it may': (place) => {
    shell(place, 'checkout', '--quiet', '--detach');
    write(place, { 'made.txt': 'made' });
    const own = shell(place, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/piton-tasks').split(
      '\n',
    );
    shell(place, 'branch', '--quiet', '-D', ...own);
  },
};


/** What a person sees of their own: files, index, HEAD, settings, stash, and branches that are not of Piton or of an agent. */
function seenBy(root: string): string[] {
  return [
    fingerprint(root, (path) => path.startsWith('.git') && !/^\.git(ignore|\/index|\/HEAD|\/hooks.*|\/config)?$/.test(path)),
    shell(root, 'rev-parse', 'HEAD', 'main'),
    shell(root, 'stash', 'list'),
    shell(root, 'status', '--porcelain'),
  ];
}

/** One that has gone through a task already, so that there is work of others to be lost. */
async function sharedGround() {
  const { root } = playground();
  commit(root, { 'second.txt': 'second' });
  const ground = await faultGround(root);
  await ground.live('first', (place) => write(place, { 'first.txt': 'first' }));
  return { root, ground, before: seenBy(root) };
}

test('what agents make is brought in, and the user notices nothing, whatever they do to git on the way', async () => {
  const { root, ground, before } = await sharedGround();
  for (const [name, deed] of Object.entries(deeds)) {
    const { integration, cleaned } = await ground.live(name, deed);
    expect({ name, integration, cleaned }).toMatchObject({ name, integration: { type: 'integrated' } });
    const made = ground.made();
    expect({ name, made }).toMatchObject({ made: { 'first.txt': 'first', 'second.txt': 'second' } });
    expect({ name, kept: cleaned.how === 'kept', worktrees: worktreesOf(ground) }).toEqual({ name, kept: false, worktrees: [] });
    expect({ name, seen: seenBy(root), fsck: fsck(root) }).toEqual({ name, seen: before, fsck: '' });
  }
  const names = Object.keys(ground.made()).filter((file) => file.startsWith('made'));
  expect(names).toHaveLength(Object.keys(deeds).length);
});
