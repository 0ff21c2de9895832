import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IntegrateRequest, RefChange } from '../../../src/workspaces/index.ts';
import { keptRef, tidyRecord, writeMarker } from '../../../src/workspaces/git/index.ts';
import { commit, fsck, furtherTemplate, shell, write } from '../../support/git-playground.ts';
import { run, scene, type Scene, type Worker } from '../../support/integrate-scene.ts';

interface Ground extends Scene {
  readonly build: Worker;
  /** What the user's branch `other` is at: nothing else leads to it. */
  readonly other: string;
}

/** The user has `main` checked out, a branch `other` with a commit of its own, a tag, and something stashed. */
const template = furtherTemplate('integrate-refs', (root) => {
  shell(root, 'checkout', '--quiet', '--detach');
  const other = commit(root, { 'other.txt': 'other' });
  shell(root, 'branch', 'other');
  shell(root, 'tag', 'v1', other);
  shell(root, 'checkout', '--quiet', 'main');
  write(root, { 'README.md': 'stashed' });
  shell(root, 'stash', '--quiet');
});

async function ground(): Promise<Ground> {
  const found = await scene('', template);
  const other = readFileSync(join(found.repository.commonDir, 'refs/heads/other'), 'utf8').trim();
  const build = await found.worker('build');
  write(build.path, { 'new.txt': 'new' });
  return { ...found, build, other };
}

function isKept({ root }: Ground, object: string): boolean {
  return shell(root, 'for-each-ref', '--format=%(objectname)', keptRef(run, 'build', object)) === object;
}

async function changesOf(
  { build }: Ground,
  more: Partial<IntegrateRequest> = {},
): Promise<readonly RefChange[]> {
  const found = await build.integrate(more);
  if (found.type === 'refs') return found.changes;
  if (found.type === 'integrated') return [];
  throw new Error(`it is ${found.type}`);
}

type Deed = (place: Ground) => void;

const agentCommits: Deed = ({ build }) => void commit(build.path, { 'agent.txt': 'by the agent' });

describe('an agent that moves a branch of the user is found out, and what the branch was at is kept', () => {
  test.for<[string, Deed]>([
    ['git branch -f', ({ build }) => shell(build.path, 'branch', '-f', 'other', 'HEAD')],
    ['git push .', ({ build }) => shell(build.path, 'push', '--quiet', '--force', '.', 'HEAD:other')],
    ['git update-ref', ({ build }) => shell(build.path, 'update-ref', 'refs/heads/other', 'HEAD')],
    [
      'git checkout and git commit',
      ({ build }) => {
        shell(build.path, 'checkout', '--quiet', 'other');
        commit(build.path, { 'on-other.txt': 'x' });
      },
    ],
    ['back to an old commit', ({ build, base }) => shell(build.path, 'branch', '-f', 'other', base)],
    [
      'and the user has gone on from there',
      ({ build, root }) => {
        shell(build.path, 'update-ref', 'refs/heads/other', 'HEAD');
        shell(root, 'checkout', '--quiet', 'other');
        commit(root, { 'user.txt': 'by the user' });
        shell(root, 'checkout', '--quiet', 'main');
      },
    ],
  ])('%s', async ([, deed]) => {
    const place = await ground();
    agentCommits(place);
    deed(place);
    const after = shell(place.root, 'rev-parse', 'other');
    const tip = place.runTip();
    const changes = await changesOf(place);
    expect(changes).toEqual([{ ref: 'refs/heads/other', before: place.other, after }]);
    expect([isKept(place, place.other), place.runTip()]).toEqual([true, tip]);
    expect(await changesOf(place)).toEqual(changes);
    expect(await changesOf(place, { knownRefs: changes })).toEqual([]);
    expect(fsck(place.root)).toBe('');
  });

  test('even the one that the user has checked out', async () => {
    const place = await ground();
    agentCommits(place);
    shell(place.build.path, 'update-ref', 'refs/heads/main', 'HEAD');
    const after = place.build.head();
    expect(await changesOf(place)).toEqual([{ ref: 'refs/heads/main', before: place.base, after }]);
  });

  test('and is taken all the same once a person has adopted it', async () => {
    const place = await ground();
    agentCommits(place);
    shell(place.build.path, 'branch', '-f', 'other', 'HEAD');
    expect((await place.build.integrate({ isAdopted: true })).type).toBe('integrated');
  });

  test('where git keeps no logs as well', async () => {
    const place = await ground();
    shell(place.root, 'config', 'core.logAllRefUpdates', 'false');
    agentCommits(place);
    shell(place.build.path, 'branch', '-f', 'other', 'HEAD');
    rmSync(join(place.repository.commonDir, 'logs/refs/heads'), { recursive: true });
    expect(await changesOf(place)).toMatchObject([{ ref: 'refs/heads/other' }]);
  });
});

describe('what is deleted is kept, and told, since nobody can say who it was', () => {
  test.for<[string, string, string[]]>([
    ['a branch', 'refs/heads/other', ['branch', '-D', 'other']],
    ['a tag', 'refs/tags/v1', ['tag', '-d', 'v1']],
  ])('%s', async ([, ref, command]) => {
    const place = await ground();
    shell(place.build.path, ...command);
    const changes = await changesOf(place);
    expect(changes).toEqual([{ ref, before: place.other, after: undefined }]);
    expect(isKept(place, place.other)).toBe(true);
    expect(await changesOf(place, { knownRefs: changes })).toEqual([]);
  });

  test.for(['drop', 'pop'])('an entry of the stash, by git stash %s', async (way) => {
    const place = await ground();
    const entry = shell(place.root, 'rev-parse', 'stash@{0}');
    shell(place.build.path, 'stash', way, '--quiet');
    const changes = await changesOf(place);
    expect(changes).toEqual([{ ref: 'refs/stash', before: entry, after: undefined }]);
    expect(isKept(place, entry)).toBe(true);
    expect(await changesOf(place, { knownRefs: changes })).toEqual([]);
  });

  test('a tag that was moved', async () => {
    const place = await ground();
    shell(place.build.path, 'tag', '-f', 'v1', place.base);
    expect(await changesOf(place)).toEqual([{ ref: 'refs/tags/v1', before: place.other, after: place.base }]);
  });
});

describe('nobody is held for', () => {
  test.for<[string, Deed]>([
    [
      'a branch of its own that an agent makes',
      ({ build }) => {
        shell(build.path, 'checkout', '--quiet', '-b', 'feature');
        commit(build.path, { 'a.txt': 'a' });
      },
    ],
    [
      'what an agent stashes',
      ({ build }) => {
        write(build.path, { 'README.md': 'stashed by the agent' });
        shell(build.path, 'stash', '--quiet');
      },
    ],
    ['commits of the user', ({ root }) => void commit(root, { 'user.txt': 'by the user' })],
    [
      'a user who rewrites, resets and merges on a branch',
      ({ root }) => {
        shell(root, 'checkout', '--quiet', 'other');
        shell(root, 'commit', '--quiet', '--amend', '-m', 'amended');
        commit(root, { 'more.txt': 'more' });
        shell(root, 'reset', '--quiet', '--hard', 'HEAD~1');
        shell(root, 'checkout', '--quiet', 'main');
        commit(root, { 'user.txt': 'by the user' });
        shell(root, 'rebase', '--quiet', 'main', 'other');
        shell(root, 'checkout', '--quiet', 'main');
        shell(root, 'merge', '--quiet', '--no-edit', 'other');
      },
    ],
    [
      'a user who takes what the agent has committed up to now',
      ({ root, build }) => {
        agentCommits({ build } as Ground);
        shell(root, 'merge', '--quiet', '--ff-only', build.request.known.branch);
      },
    ],
    [
      'a branch that the user makes anew to check it out',
      ({ root, base }) => {
        shell(root, 'checkout', '--quiet', '-B', 'other', base);
        shell(root, 'checkout', '--quiet', 'main');
      },
    ],
    [
      'branches and tags that the user makes, and fetches',
      ({ root }) => {
        shell(root, 'branch', 'fresh');
        shell(root, 'tag', 'v2');
        shell(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
      },
    ],
    [
      'a branch that the user moves forward without having it checked out',
      ({ root }) => {
        shell(root, 'checkout', '--quiet', '--detach', 'other');
        const more = commit(root, { 'more.txt': 'more' });
        shell(root, 'checkout', '--quiet', 'main');
        shell(root, 'branch', '-f', 'other', more);
      },
    ],
  ])('%s', async ([, deed]) => {
    const place = await ground();
    deed(place);
    expect(await changesOf(place)).toEqual([]);
  });

  test('a branch of its own that another agent has made and deleted', async () => {
    const place = await ground();
    const other = await place.worker('other-task');
    shell(other.path, 'checkout', '--quiet', '-b', 'scratch');
    commit(other.path, { 'scratch.txt': 'scratch' });
    const late = await place.worker('late');
    await other.integrate();
    shell(other.path, 'checkout', '--quiet', '--detach');
    shell(other.path, 'branch', '-D', 'scratch');
    expect((await late.integrate()).type).toBe('integrated');
  });

  test('branches of remote repositories that a fetch moves or removes, unless they are at work of the agent', async () => {
    const place = await ground();
    const { root } = place;
    for (const name of ['gone', 'moved', 'pushed'])
      shell(root, 'update-ref', `refs/remotes/o/${name}`, place.other);
    const late = await place.worker('late');
    shell(root, 'update-ref', '-d', 'refs/remotes/o/gone');
    shell(root, 'update-ref', 'refs/remotes/o/moved', place.base);
    expect((await late.integrate()).type).toBe('integrated');
    const made = commit(late.path, { 'late.txt': 'late' });
    shell(late.path, 'update-ref', 'refs/remotes/o/pushed', made);
    expect(await late.integrate()).toEqual({
      type: 'refs',
      changes: [{ ref: 'refs/remotes/o/pushed', before: place.other, after: made }],
    });
  });

  test('anything, where it is not known what refs were before', async () => {
    const place = await ground();
    const gitDir = shell(place.build.path, 'rev-parse', '--absolute-git-dir');
    const { refs, ...marker } = (await tidyRecord(gitDir))!;
    expect(refs).toHaveProperty('refs/heads/other');
    await writeMarker(place.git, gitDir, marker);
    shell(place.root, 'branch', '-D', 'other');
    expect(await changesOf(place)).toEqual([]);
  });
});
