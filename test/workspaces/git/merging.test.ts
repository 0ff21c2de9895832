import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergeInto, type MergeOrder, type MergeResult } from '../../../src/workspaces/git/index.ts';
import { at, trailers } from '../../support/git-orders.ts';
import {
  commit,
  fsck,
  gitBehind,
  ownRefs,
  playground,
  shell,
  testGit,
  treeOf,
  userState,
  write,
  type Playground,
} from '../../support/git-playground.ts';

type Change = (root: string) => void;

/** Two commits on the same base, made by the two changes; the user's checkout is back at main afterwards. */
function forked(
  ours: Change,
  theirs: Change,
  before: Change = () => undefined,
): Playground & { ours: string; theirs: string } {
  const ground = playground();
  before(ground.root);
  const base = commit(ground.root, {}, 'before');
  const side = (change: Change): string => {
    shell(ground.root, 'checkout', '--quiet', '--detach', base);
    change(ground.root);
    return commit(ground.root, {}, 'a side');
  };
  const sides = { ours: side(ours), theirs: side(theirs) };
  shell(ground.root, 'checkout', '--quiet', 'main');
  return { ...ground, base, ...sides };
}

function merge(
  ground: Playground & { ours: string; theirs: string },
  more: Partial<MergeOrder> = {},
): Promise<MergeResult> {
  const { repository, ours, theirs } = ground;
  return mergeInto(ground.git, { repository, ours, theirs, message: 'Merge build', trailers, at, ...more });
}

async function conflictOf(ours: Change, theirs: Change, before?: Change) {
  const result = await merge(forked(ours, theirs, before));
  if (result.type !== 'conflict') throw new Error(`the merge is ${result.type}`);
  return result;
}

const editing =
  (text: string): Change =>
  (root) =>
    write(root, { 'src/a.txt': text });

describe('merging', () => {
  test('two sides that do not touch each other gives one commit of both, and moves nothing', async () => {
    const ground = forked(editing('one\ntwo\nours\n'), (root) => write(root, { 'new.txt': 'theirs' }));
    const before = [userState(ground.root), ownRefs(ground.root)];
    const result = await merge(ground);
    if (result.type !== 'merged') throw new Error(result.type);
    expect(treeOf(ground.root, result.commit)).toMatchObject({
      'src/a.txt': 'one\ntwo\nours',
      'new.txt': 'theirs',
    });
    expect(shell(ground.root, 'log', '-1', '--format=%P', result.commit)).toBe(
      `${ground.ours} ${ground.theirs}`,
    );
    expect(
      shell(ground.root, 'log', '-1', '--format=%(trailers:key=Piton-Attempt)', result.commit).trim(),
    ).toBe('Piton-Attempt: a1');
    expect([userState(ground.root), ownRefs(ground.root)]).toEqual(before);
    expect(fsck(ground.root)).toBe('');
  });

  test('done again makes the same commit', async () => {
    const ground = forked(editing('ours\n'), (root) => write(root, { 'new.txt': 'theirs' }));
    expect(await merge(ground)).toEqual(await merge(ground));
  });

  test('what only has to be moved forward still gets a commit that names the attempt', async () => {
    const ground = forked(() => undefined, editing('theirs\n'));
    expect((await merge({ ...ground, ours: ground.base })).type).toBe('merged');
  });

  test('what is contained already is told: by ancestry', async () => {
    const ground = forked(editing('ours\n'), (root) => write(root, { 'new.txt': 'theirs' }));
    const first = await merge(ground);
    if (first.type !== 'merged') throw new Error(first.type);
    expect(await merge({ ...ground, ours: first.commit })).toEqual({ type: 'already' });
    expect(await merge({ ...ground, theirs: ground.base })).toEqual({ type: 'already' });
  });

  test('what is contained already is told: by the attempt that a squashed commit names', async () => {
    const ground = forked(editing('ours\n'), (root) => write(root, { 'new.txt': 'theirs' }));
    const squash = (text: string): string =>
      shell(
        ground.root,
        'commit-tree',
        '-p',
        ground.ours,
        '-m',
        'squashed',
        '-m',
        text,
        `${ground.theirs}^{tree}`,
      );
    const named = squash('Piton-Run: run-1\nPiton-Attempt: a1');
    expect(await merge({ ...ground, ours: named })).toEqual({ type: 'already' });
    for (const other of [
      'Piton-Attempt: a12',
      'Piton-Attempt: a',
      'It says Piton-Attempt: a1 in a sentence.',
    ]) {
      expect([other, (await merge({ ...ground, ours: squash(other) })).type]).not.toEqual([other, 'already']);
    }
  });

  test('the attributes of the repository count, not those of the user’s checkout', async () => {
    const union: Change = (root) => write(root, { 'src/.gitattributes': 'a.txt merge=union\n' });
    const ground = forked(editing('ours\n'), editing('theirs\n'), union);
    writeFileSync(join(ground.root, 'src/.gitattributes'), 'a.txt -merge\n');
    const result = await merge(ground);
    if (result.type !== 'merged') throw new Error(JSON.stringify(result));
    expect(treeOf(ground.root, result.commit)['src/a.txt']).toBe('ours\ntheirs');
  });

  test('an old git is refused by its version', async () => {
    const ground = forked(editing('ours\n'), editing('theirs\n'));
    const script =
      'case "$*" in *version) echo "git version 2.37.4";; *write-tree*) exit 129;; *) exec "$GIT" "$@";; esac';
    const git = testGit({ environment: gitBehind(script) });
    await expect(merge({ ...ground, git })).rejects.toMatchObject({
      code: 'GIT_TOO_OLD',
      message: expect.stringContaining('2.37.4'),
    });
  });
});

describe('a conflict', () => {
  test('of contents names the file with its three sides', async () => {
    const { files, messages } = await conflictOf(editing('ours\n'), editing('theirs\n'));
    const side = { mode: '100644', object: expect.stringMatching(/^[0-9a-f]{40}$/) as string };
    expect(files).toEqual([{ path: 'src/a.txt', base: side, ours: side, theirs: side, kind: 'contents' }]);
    expect(new Set([files[0]!.base!.object, files[0]!.ours!.object, files[0]!.theirs!.object]).size).toBe(3);
    expect(messages.join()).toContain('Merge conflict in src/a.txt');
  });

  test('leaves no trace', async () => {
    const ground = forked(editing('ours\n'), editing('theirs\n'));
    const before = [userState(ground.root), ownRefs(ground.root)];
    expect((await merge(ground)).type).toBe('conflict');
    expect([userState(ground.root), ownRefs(ground.root)]).toEqual(before);
  });

  test('of a file that one side deleted has no object there', async () => {
    const { files } = await conflictOf(editing('ours\n'), (root) => rmSync(join(root, 'src/a.txt')));
    expect(files).toMatchObject([{ path: 'src/a.txt', kind: 'modify/delete' }]);
    expect(files[0]!.theirs).toBeUndefined();
  });

  test('of a file that one side renamed and the other deleted', async () => {
    const { files } = await conflictOf(
      (root) => shell(root, 'mv', 'src/a.txt', 'src/renamed.txt'),
      (root) => rmSync(join(root, 'src/a.txt')),
    );
    expect(files).toMatchObject([{ path: 'src/renamed.txt', kind: 'rename/delete' }]);
  });

  test('of one file that was added twice, of binary files, and of modes', async () => {
    const added = await conflictOf(
      (root) => write(root, { 'ü new.txt': 'ours' }),
      (root) => write(root, { 'ü new.txt': 'theirs' }),
    );
    expect(added.files).toMatchObject([{ path: 'ü new.txt', kind: 'contents' }]);
    expect(added.files[0]!.base).toBeUndefined();
    const binary =
      (byte: string): Change =>
      (root) =>
        write(root, { 'x.bin': `\0\0${byte}` });
    expect((await conflictOf(binary('a'), binary('b'), binary('c'))).files).toMatchObject([
      { path: 'x.bin', kind: 'binary' },
    ]);
    const modes = await conflictOf(
      (root) => {
        write(root, { tool: '#!/bin/sh\n' });
        chmodSync(join(root, 'tool'), 0o755);
      },
      (root) => write(root, { tool: '#!/bin/sh\n' }),
    );
    expect(modes.files).toMatchObject([
      { path: 'tool', ours: { mode: '100755' }, theirs: { mode: '100644' } },
    ]);
  });

  test('of a file and a folder of one name', async () => {
    const { files } = await conflictOf(
      (root) => write(root, { thing: 'a file' }),
      (root) => write(root, { 'thing/inside': 'a folder' }),
    );
    expect(files.map(({ kind }) => kind)).toEqual(['file/directory']);
  });

  test('of submodules at different commits', async () => {
    const library = playground('library');
    const moved =
      (text: string): Change =>
      (root) => {
        shell(join(root, 'lib'), 'reset', '--quiet', '--hard', library.base);
        commit(join(root, 'lib'), { 'x.txt': text });
      };
    const { files } = await conflictOf(moved('ours'), moved('theirs'), (root) =>
      shell(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib'),
    );
    expect(files).toMatchObject([
      { path: 'lib', kind: expect.stringContaining('submodule'), ours: { mode: '160000' } },
    ]);
  });

  test('of names that differ only in case counts where the file system ignores case', async () => {
    const ground = forked(
      (root) => write(root, { 'docs/Guide.md': 'ours' }),
      (root) => write(root, { 'docs/guide.md': 'theirs', 'docs/other.md': 'theirs' }),
    );
    expect((await merge(ground)).type).toBe('merged');
    const result = await merge(ground, { isCaseInsensitive: true });
    expect(result).toMatchObject({ type: 'conflict', files: [{ path: 'docs/guide.md', kind: 'case' }] });
  });

  test('of histories without anything in common is told without files', async () => {
    const ground = forked(editing('ours\n'), (root) => {
      shell(root, 'checkout', '--quiet', '--orphan', 'fresh');
      write(root, { 'src/a.txt': 'theirs\n' });
    });
    expect(await merge(ground)).toMatchObject({
      type: 'conflict',
      files: [],
      messages: [expect.stringContaining('no history in common')],
    });
  });
});
