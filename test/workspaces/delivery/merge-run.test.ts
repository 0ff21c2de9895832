import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PitonError } from '../../../src/base/index.ts';
import { mergeRun } from '../../../src/workspaces/delivery/merge-run.ts';
import type { RunMerge } from '../../../src/workspaces/index.ts';
import type { Git } from '../../../src/workspaces/git/index.ts';
import {
  commit,
  fsck,
  gitBehind,
  shell,
  testGit,
  treeOf,
  userState,
  write,
} from '../../support/git-playground.ts';
import { plainEnvironment } from '../../support/git-orders.ts';
import { commitToRun, identity, runGround, type RunGround } from './run-ground.ts';

const head = ({ root }: RunGround): string => shell(root, 'rev-parse', 'HEAD');
const status = ({ root }: RunGround): string => shell(root, 'status', '--porcelain');

/** How merging is refused, in earnest and as a dry run; not a byte of the user's is different after it. */
async function refusalOf(ground: RunGround, more: Partial<RunMerge> = {}): Promise<PitonError> {
  const before = userState(ground.root);
  const refused = async (isDryRun: boolean): Promise<PitonError> => {
    const order = ground.merging({ ...more, isDryRun });
    const error: unknown = await mergeRun(ground.git, order).catch((thrown: unknown) => thrown);
    if (!(error instanceof PitonError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
    return error;
  };
  const dry = await refused(true);
  const earnest = await refused(false);
  expect(userState(ground.root)).toBe(before);
  expect(dry.message).toBe(earnest.message);
  return earnest;
}

/** Something happens right before git moves the checkout. */
function meanwhile(script: string): Git {
  const environment = gitBehind(`case " $* " in *" merge "*) ${script};; esac\nexec "$GIT" "$@"`, identity);
  return testGit({ environment });
}

describe('a run is brought into the branch that is checked out', () => {
  test('by moving it forward, if it has nothing of its own', async () => {
    const ground = runGround();
    const { base: from, tip } = ground;
    expect(await mergeRun(ground.git, ground.merging())).toEqual({
      how: 'fast-forward',
      branch: 'main',
      from,
      commit: tip,
      files: ['new.txt', 'src/a.txt', 'src/b.txt'],
      submodules: [],
      steering: [],
    });
    expect([head(ground), status(ground)]).toEqual([tip, '']);
    expect(shell(ground.root, 'reflog', '-1', '--format=%gs')).toBe('piton merge r1: Fast-forward');
  });

  test('by a merge commit of the user, that says what was made and by which run, if it has', async () => {
    const ground = runGround();
    const own = commit(ground.root, { 'own.txt': 'mine\n' });
    const { how, commit: made } = await mergeRun(ground.git, ground.merging());
    expect([how, made, status(ground)]).toEqual(['merge', head(ground), '']);
    expect(shell(ground.root, 'log', '-1', '--format=%P%n%an <%ae>%n%cn%n%B')).toBe(
      [
        `${own} ${ground.tip}`,
        'Ada <ada@example.org>',
        'Ada',
        'Merge Built the interface',
        '',
        'Piton-Run: r1',
        `Piton-Delivered: ${ground.tip}`,
      ].join('\n'),
    );
    expect(treeOf(ground.root, 'HEAD')).toMatchObject({ 'own.txt': 'mine', 'new.txt': 'new' });
    expect(fsck(ground.root)).toBe('');
  });

  test('by a merge commit also where moving forward would do, if that is wanted', async () => {
    const ground = runGround();
    await mergeRun(ground.git, ground.merging({ strategy: 'merge' }));
    expect(shell(ground.root, 'log', '-1', '--format=%P')).toBe(`${ground.base} ${ground.tip}`);
  });

  test('by one commit without the history of the run, if that is wanted', async () => {
    const ground = runGround();
    const own = commit(ground.root, { 'own.txt': 'mine\n' });
    expect(await mergeRun(ground.git, ground.merging({ strategy: 'squash' }))).toMatchObject({
      how: 'squash',
    });
    expect(shell(ground.root, 'log', '-1', '--format=%P %s')).toBe(`${own} Built the interface`);
    expect(treeOf(ground.root, 'HEAD')).toMatchObject({ 'own.txt': 'mine', 'new.txt': 'new' });
    expect(status(ground)).toBe('');
  });

  test.for(['auto', 'merge', 'squash'] as const)(
    'and a second time (%s) it is found there',
    async (strategy) => {
      const ground = runGround();
      const { commit: made } = await mergeRun(ground.git, ground.merging({ strategy }));
      commit(ground.root, { 'own.txt': 'later\n' });
      const before = userState(ground.root);
      const again = await mergeRun(ground.git, ground.merging({ strategy }));
      expect(again).toMatchObject({ how: 'already', commit: made, files: [] });
      expect(userState(ground.root)).toBe(before);
    },
  );

  test('a squash of what the branch has by other ways makes no empty commit', async () => {
    const ground = runGround();
    rmSync(join(ground.root, 'src/b.txt'));
    const own = commit(ground.root, { 'src/a.txt': 'one\nTWO\nthree\n', 'new.txt': 'new\n' });
    expect(await mergeRun(ground.git, ground.merging({ strategy: 'squash' }))).toMatchObject({
      how: 'already',
    });
    expect(head(ground)).toBe(own);
  });

  test.for(['auto', 'squash'] as const)(
    'what a run has made since it was squashed is merged too (%s), and what was taken out since stays out',
    async (strategy) => {
      const ground = runGround();
      await mergeRun(ground.git, ground.merging({ strategy: 'squash' }));
      rmSync(join(ground.root, 'new.txt'));
      commit(ground.root, { 'own.txt': 'mine\n' });
      commitToRun(ground, { 'src/a.txt': 'one\nTWO\nTHREE\n', 'more.txt': 'more\n' });

      await mergeRun(ground.git, ground.merging({ strategy }));
      const files = treeOf(ground.root, 'HEAD');
      expect(files).toMatchObject({
        'own.txt': 'mine',
        'more.txt': 'more',
        'src/a.txt': 'one\nTWO\nTHREE',
      });
      expect(files).not.toHaveProperty(['new.txt']);
      expect(await mergeRun(ground.git, ground.merging({ strategy }))).toMatchObject({ how: 'already' });
      expect(status(ground)).toBe('');
    },
  );

  test('what a run has made since it was merged is merged too', async () => {
    const ground = runGround();
    await mergeRun(ground.git, ground.merging());
    const later = commitToRun(ground, { 'more.txt': 'more\n' });
    expect(await mergeRun(ground.git, ground.merging())).toMatchObject({
      commit: later,
      files: ['more.txt'],
    });
  });

  test('a dry run says what would be done, and does nothing', async () => {
    const ground = runGround();
    commit(ground.root, { 'own.txt': 'mine\n' });
    const before = userState(ground.root);
    const report = await mergeRun(ground.git, ground.merging({ isDryRun: true }));
    expect(report).toMatchObject({ how: 'merge', files: ['new.txt', 'src/a.txt', 'src/b.txt'] });
    expect(report).not.toHaveProperty('commit');
    expect(userState(ground.root)).toBe(before);
  });

  test('into a linked worktree, when the run was started there', async () => {
    const ground = runGround();
    const linked = join(ground.folder, 'linked');
    shell(ground.root, 'worktree', 'add', '--quiet', '-b', 'side', linked, 'main');
    const repository = { ...ground.repository, root: linked };
    expect(await mergeRun(ground.git, ground.merging({ repository }))).toMatchObject({ branch: 'side' });
    expect([shell(linked, 'rev-parse', 'HEAD'), shell(linked, 'status', '--porcelain')]).toEqual([
      ground.tip,
      '',
    ]);
    expect(head(ground)).toBe(ground.base);
  });

  test('without hooks, editor or settings that would make something else of it', async () => {
    const ground = runGround();
    const ran = join(ground.folder, 'ran');
    for (const hook of ['post-merge', 'pre-merge-commit', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(ground.root, '.git/hooks', hook), `#!/bin/sh\ntouch ${ran}\nexit 1\n`, {
        mode: 0o755,
      });
    }
    shell(ground.root, 'config', 'branch.main.mergeOptions', '--squash --no-commit');
    shell(ground.root, 'config', 'merge.ff', 'false');
    shell(ground.root, 'config', 'core.editor', `touch ${ran}`);
    await mergeRun(ground.git, ground.merging());
    expect([head(ground), status(ground), existsSync(ran)]).toEqual([ground.tip, '', false]);
  });
});

describe("what is the user's stays", () => {
  test('changes in other files, staged or not, untracked and ignored files are the same bytes after it', async () => {
    const ground = runGround();
    write(ground.root, { 'README.md': 'staged\n', 'left.txt': 'untracked', 'dist/out.js': 'ignored' });
    shell(ground.root, 'add', 'README.md');
    write(ground.root, { 'README.md': 'staged\nand more\n' });
    const before = status(ground);
    await mergeRun(ground.git, ground.merging());
    expect(head(ground)).toBe(ground.tip);
    expect(status(ground)).toBe(before);
    const texts = ['README.md', 'left.txt', 'dist/out.js'].map((name) =>
      readFileSync(join(ground.root, name), 'utf8'),
    );
    expect(texts).toEqual(['staged\nand more\n', 'untracked', 'ignored']);
    expect(shell(ground.root, 'show', ':README.md')).toBe('staged');
  });

  test('a change in a file that the merge touches refuses it, and names the file', async () => {
    const ground = runGround();
    write(ground.root, { 'src/a.txt': 'mine\n', 'README.md': 'mine too\n' });
    expect(await refusalOf(ground)).toMatchObject({
      code: 'MERGE_REFUSED',
      message: expect.stringContaining('uncommitted changes in src/a.txt.'),
      details: { uncommitted: ['src/a.txt'], untracked: [] },
    });
  });

  test('so does one that is only staged, a deletion, and a changed mode', async () => {
    const staged = runGround();
    write(staged.root, { 'src/a.txt': 'mine\n' });
    shell(staged.root, 'add', 'src/a.txt');
    write(staged.root, { 'src/a.txt': 'one\ntwo\nthree\n' });
    expect(await refusalOf(staged)).toMatchObject({ details: { uncommitted: ['src/a.txt'] } });
    const deleted = runGround();
    rmSync(join(deleted.root, 'src/a.txt'));
    expect(await refusalOf(deleted)).toMatchObject({ details: { uncommitted: ['src/a.txt'] } });
    const changed = runGround();
    chmodSync(join(changed.root, 'src/a.txt'), 0o755);
    expect(await refusalOf(changed)).toMatchObject({ details: { uncommitted: ['src/a.txt'] } });
  });

  test('a change that git was told not to look at is not overwritten either', async () => {
    for (const flag of ['--assume-unchanged', '--skip-worktree']) {
      const ground = runGround();
      shell(ground.root, 'update-index', flag, 'src/a.txt');
      write(ground.root, { 'src/a.txt': 'mine\n' });
      expect(await refusalOf(ground)).toMatchObject({
        code: 'MERGE_REFUSED',
        details: { uncommitted: ['src/a.txt'] },
      });
    }
  });

  test('untracked and ignored files in the way of new ones refuse it', async () => {
    const untracked = runGround();
    write(untracked.root, { 'new.txt': 'mine' });
    expect(await refusalOf(untracked)).toMatchObject({
      code: 'MERGE_REFUSED',
      details: { untracked: ['new.txt'], uncommitted: [] },
    });
    const ignored = runGround({ 'dist/out.js': 'theirs' });
    write(ignored.root, { 'dist/out.js': 'mine' });
    expect(await refusalOf(ignored)).toMatchObject({ details: { untracked: ['dist/out.js'] } });
    const staged = runGround();
    write(staged.root, { 'new.txt': 'mine' });
    shell(staged.root, 'add', 'new.txt');
    expect(await refusalOf(staged)).toMatchObject({ details: { uncommitted: ['new.txt'] } });
  });

  test('so do a file where a folder is needed, a folder where a file belongs, and a link', async () => {
    const file = runGround({ 'deep/er/x.txt': 'x' });
    write(file.root, { deep: 'a file' });
    expect(await refusalOf(file)).toMatchObject({ details: { untracked: ['deep'] } });
    const folder = runGround({ thing: 'a file' });
    write(folder.root, { 'thing/mine.log': 'ignored', 'thing/mine.txt': 'untracked' });
    expect(await refusalOf(folder)).toMatchObject({
      details: { untracked: ['thing/mine.log', 'thing/mine.txt'] },
    });
    const stagedBelow = runGround({ thing: 'a file' });
    write(stagedBelow.root, { 'thing/mine.txt': 'staged' });
    shell(stagedBelow.root, 'add', 'thing');
    expect(await refusalOf(stagedBelow)).toMatchObject({ details: { uncommitted: ['thing/mine.txt'] } });
    const link = runGround({ 'deep/er/x.txt': 'x' });
    symlinkSync('src', join(link.root, 'deep'));
    expect(await refusalOf(link)).toMatchObject({ details: { untracked: ['deep'] } });
  });

  test('an empty folder, and a file that becomes a folder, are in nobody’s way', async () => {
    const empty = runGround({ thing: 'a file' });
    mkdirSync(join(empty.root, 'thing'));
    await mergeRun(empty.git, empty.merging());
    expect(status(empty)).toBe('');
    const turned = runGround();
    const tip = commitToRun(turned, { 'README.md.d/x': 'x' }, (folder) => {
      rmSync(join(folder, 'README.md'));
      mkdirSync(join(folder, 'README.md'));
      writeFileSync(join(folder, 'README.md/part'), 'part');
    });
    await mergeRun(turned.git, turned.merging());
    expect([head(turned), status(turned)]).toEqual([tip, '']);
  });

  test('a file that was only touched is not a change', async () => {
    const ground = runGround();
    utimesSync(join(ground.root, 'src/a.txt'), 1_000_000_000, 1_000_000_000);
    await mergeRun(ground.git, ground.merging());
    expect([head(ground), status(ground)]).toEqual([ground.tip, '']);
  });

  test('what a sparse checkout leaves out stays left out', async () => {
    const ground = runGround();
    shell(ground.root, 'sparse-checkout', 'set', '--no-cone', '/*', '!/src/');
    await mergeRun(ground.git, ground.merging());
    expect([head(ground), status(ground)]).toEqual([ground.tip, '']);
    expect([existsSync(join(ground.root, 'new.txt')), existsSync(join(ground.root, 'src'))]).toEqual([
      true,
      false,
    ]);
  });

  test('what the user does while the merge is computed is not overwritten', async () => {
    const committed = runGround();
    const commits = `"$GIT" -C '${committed.root}' commit -q --allow-empty -m meanwhile`;
    await expect(mergeRun(meanwhile(commits), committed.merging())).rejects.toMatchObject({
      code: 'MERGE_REFUSED',
    });
    expect(shell(committed.root, 'log', '-1', '--format=%s')).toBe('meanwhile');
    expect([status(committed), existsSync(join(committed.root, '.git/piton-merge.json'))]).toEqual([
      '',
      false,
    ]);
    const written = runGround();
    const writes = `echo mine > '${written.root}/src/a.txt'`;
    await expect(mergeRun(meanwhile(writes), written.merging())).rejects.toMatchObject({
      code: 'MERGE_REFUSED',
      details: { files: ['src/a.txt'] },
    });
    expect([head(written), status(written)]).toEqual([written.base, ' M src/a.txt']);
  });

  test('names with spaces, line breaks and other scripts are named and moved like all', async () => {
    const name = 'ein Ordner/Zeile\nzwei ü.txt';
    const ground = runGround({ [name]: 'x' });
    expect(await mergeRun(ground.git, ground.merging())).toMatchObject({
      files: expect.arrayContaining([name]),
    });
    const other = runGround({ [name]: 'x' });
    write(other.root, { [name]: 'mine' });
    expect(await refusalOf(other)).toMatchObject({ details: { untracked: [name] } });
  });
});

describe('merging is refused, with the reason, and changes nothing', () => {
  test('on a detached HEAD', async () => {
    const ground = runGround();
    shell(ground.root, 'checkout', '--quiet', '--detach');
    expect(await refusalOf(ground)).toMatchObject({
      code: 'MERGE_REFUSED',
      message: expect.stringContaining('HEAD is detached'),
    });
  });

  test('on a branch of Piton itself', async () => {
    const ground = runGround();
    shell(ground.root, 'checkout', '--quiet', '-b', 'piton/other');
    expect(await refusalOf(ground)).toMatchObject({
      message: expect.stringContaining('a branch of Piton itself'),
    });
  });

  test('while a merge or a rebase is under way', async () => {
    for (const operation of ['merge', 'rebase']) {
      const ground = runGround();
      shell(ground.root, 'checkout', '--quiet', '-b', 'side');
      commit(ground.root, { 'README.md': 'side\n' });
      shell(ground.root, 'checkout', '--quiet', 'main');
      commit(ground.root, { 'README.md': 'main\n' });
      expect(() => shell(ground.root, operation, 'side')).toThrow(/Command failed/);
      const message = expect.stringContaining(`a ${operation} is under way: README.md`);
      expect(await refusalOf(ground)).toMatchObject({ code: 'MERGE_REFUSED', message });
    }
  });

  test('if both have changed the same: the files are named, and how to solve it', async () => {
    const ground = runGround();
    commit(ground.root, { 'src/a.txt': 'one\nzwei\nthree\n' });
    expect(await refusalOf(ground)).toMatchObject({
      code: 'DELIVERY_CONFLICT',
      message: expect.stringMatching(
        /^piton\/r1 conflicts with main: both have changed src\/a\.txt\. Nothing was changed\. /,
      ),
      remedy: expect.stringContaining('git merge piton/r1'),
      details: { files: ['src/a.txt'] },
    });
  });

  test('if only moving forward is allowed, and not possible', async () => {
    const ground = runGround();
    commit(ground.root, { 'own.txt': 'mine\n' });
    expect(await refusalOf(ground, { strategy: 'ff-only' })).toMatchObject({
      code: 'MERGE_REFUSED',
      remedy: expect.stringContaining('--ff-only'),
    });
  });

  test('if there is nothing: no branch of the run, or one that has changed nothing', async () => {
    const none = runGround();
    shell(none.root, 'branch', '-D', '--quiet', 'piton/r1');
    expect(await refusalOf(none)).toMatchObject({ code: 'NOTHING_TO_DELIVER' });
    shell(none.root, 'branch', 'piton/r1', 'main');
    expect(await refusalOf(none)).toMatchObject({ code: 'NOTHING_TO_DELIVER' });
  });

  test('if the folder is not that repository any more', async () => {
    const ground = runGround();
    renameSync(ground.root, `${ground.root}-moved`);
    const options = { ...ground.repository, commonDir: join(`${ground.root}-moved`, '.git') };
    await expect(mergeRun(ground.git, ground.merging({ repository: options }))).rejects.toMatchObject({
      code: 'MERGE_REFUSED',
    });
  });

  test('if the user wants signatures, with what can be done; and nothing is taken for begun', async () => {
    const ground = runGround();
    shell(ground.root, 'config', 'merge.verifySignatures', 'true');
    await expect(mergeRun(ground.git, ground.merging())).rejects.toMatchObject({
      code: 'MERGE_REFUSED',
      remedy: expect.stringContaining('merge.verifySignatures'),
    });
    expect(head(ground)).toBe(ground.base);
    expect(existsSync(join(ground.root, '.git/piton-merge.json'))).toBe(false);
  });

  test('if git does not know who the user is, and a commit is needed', async () => {
    const ground = runGround();
    commit(ground.root, { 'own.txt': 'mine\n' });
    const before = userState(ground.root);
    const nobody = testGit();
    await expect(mergeRun(nobody, ground.merging())).rejects.toMatchObject({
      code: 'IDENTITY_MISSING',
      remedy: expect.stringContaining('user.email'),
    });
    expect(userState(ground.root)).toBe(before);
  });

  test('if the user has changed what is in a submodule that the run has moved on', async () => {
    const ground = runGround();
    const inner = join(ground.folder, 'inner');
    mkdirSync(inner);
    shell(inner, 'init', '--quiet', '--initial-branch=main');
    commit(inner, { 'x.txt': 'x' });
    shell(ground.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib');
    commit(ground.root, {}, 'with a submodule');
    shell(ground.root, 'branch', '--quiet', '--force', 'piton/r1', 'main');
    const later = commit(inner, { 'x.txt': 'y' });
    commitToRun(ground, {}, (folder) => shell(folder, 'update-index', '--cacheinfo', `160000,${later},lib`));
    write(ground.root, { 'lib/x.txt': 'mine' });
    const tip = shell(ground.root, 'ls-tree', 'piton/r1', 'lib');
    if (!tip.includes(later)) throw new Error('the run did not move the submodule');
    expect(await refusalOf(ground)).toMatchObject({
      code: 'MERGE_REFUSED',
      details: { uncommitted: ['lib'] },
    });
    shell(join(ground.root, 'lib'), 'checkout', '--quiet', '.');
    expect(await mergeRun(ground.git, ground.merging())).toMatchObject({ submodules: ['lib'] });
  });
});

describe('a git that is killed while it moves the checkout', () => {
  /** Its filter kills the git that checks it out, once. */
  async function armed(): Promise<RunGround> {
    const ground = runGround({ '.gitattributes': '*.bomb filter=bomb\n' });
    const fuse = join(ground.folder, 'fuse');
    const tip = commitToRun(ground, { 'm.bomb': 'm\n', 'z.txt': 'z\n' });
    shell(
      ground.root,
      'config',
      'filter.bomb.smudge',
      `if [ -e ${fuse} ]; then rm ${fuse}; kill -9 $PPID; fi; cat`,
    );
    await ground.git.recordConfig(ground.repository, { isFirst: false });
    writeFileSync(fuse, '');
    return { ...ground, tip };
  }

  test('leaves what git leaves; called again, the rest is done, and the lock of the dead is taken away', async () => {
    const ground = await armed();
    write(ground.root, { 'README.md': 'mine\n', 'left.txt': 'mine' });
    await expect(mergeRun(ground.git, ground.merging())).rejects.toMatchObject({
      details: { reason: 'killed' },
    });
    expect(head(ground)).toBe(ground.base);
    expect(existsSync(join(ground.root, '.git/index.lock'))).toBe(true);
    expect(await mergeRun(ground.git, ground.merging())).toMatchObject({
      how: 'fast-forward',
      commit: ground.tip,
    });
    expect([head(ground), status(ground)]).toEqual([
      ground.tip,
      'M README.md\n?? left.txt'.replace(/^/, ' '),
    ]);
    expect(existsSync(join(ground.root, '.git/piton-merge.json'))).toBe(false);
    expect(fsck(ground.root)).toBe('');
  });

  test('files that it has taken away, or of which it has written only a beginning, are written anew', async () => {
    const ground = await armed();
    await expect(mergeRun(ground.git, ground.merging())).rejects.toMatchObject({
      details: { reason: 'killed' },
    });
    rmSync(join(ground.root, 'src/a.txt'));
    write(ground.root, { 'new.txt': 'ne', 'z.txt': '' });
    await mergeRun(ground.git, ground.merging());
    expect([head(ground), status(ground)]).toEqual([ground.tip, '']);
  });

  test('what the user has changed since in those files is not overwritten by that', async () => {
    const ground = await armed();
    await expect(mergeRun(ground.git, ground.merging())).rejects.toMatchObject({
      details: { reason: 'killed' },
    });
    write(ground.root, { 'src/a.txt': 'mine\n' });
    await expect(mergeRun(ground.git, ground.merging())).rejects.toMatchObject({
      code: 'MERGE_REFUSED',
      details: { uncommitted: ['src/a.txt'] },
    });
    expect(readFileSync(join(ground.root, 'src/a.txt'), 'utf8')).toBe('mine\n');
    expect(head(ground)).toBe(ground.base);
  });

  test('the lock of somebody else is named and stays', async () => {
    const ground = runGround();
    const lock = join(ground.root, '.git/index.lock');
    writeFileSync(lock, '');
    const patient = testGit({ environment: plainEnvironment(identity), staleLockMs: 0 });
    for (const _ of ['first', 'second']) {
      await expect(mergeRun(patient, ground.merging())).rejects.toMatchObject({
        code: 'GIT_FAILED',
        details: { reason: 'locked', lockFile: lock },
      });
    }
    expect([existsSync(lock), head(ground)]).toEqual([true, ground.base]);
  });
});
