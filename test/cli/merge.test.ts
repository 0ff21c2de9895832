import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownIdentity, randomId, systemClock } from '../../src/base/index.ts';
import { openStore } from '../../src/store/index.ts';
import { inRepository, git, withRun } from './delivered.ts';
import { played, writeFlow } from './played.ts';

test('what a run made is brought into the branch, is journalled once, and found when asked again', async () => {
  const { piton, json, folder } = await withRun();
  const tip = git(folder, 'rev-parse', 'piton/r1');
  const dry = await piton(['merge', '--dry-run']);
  expect(dry.stdout).toBe(
    `What run r1 made would be brought into main, moved forward to it (${tip.slice(0, 7)}).\n1 file: b.txt\nNext: piton merge r1\n`,
  );
  expect(git(folder, 'rev-parse', 'main')).not.toBe(tip);
  expect((await piton(['status', 'r1'])).stdout).toMatch(/^Next: piton diff r1$/m);

  const { code, stdout } = await piton(['merge', 'r1']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^What run r1 made is in main, moved forward to it \(\w{7}\)\.\n1 file: b\.txt\nNext: git log/,
  );
  expect(git(folder, 'rev-parse', 'main')).toBe(tip);
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('two\n');

  expect(await json(['merge'])).toMatchObject({ run: 'r1', how: 'already', branch: 'main', commit: tip });
  const { stdout: history } = await piton(['history', 'r1']);
  expect(history.match(/merged into main, by \S+@\S+ \(process \d+, /g)).toHaveLength(1);
  const { stdout: timeline } = await piton(['history', 'r1', '--timeline']);
  expect(timeline).toMatch(/ the run has ended\n.* process \d+ on \S+ takes it up, and lets go\nNext: /);
  const { stdout: status } = await piton(['status', 'r1']);
  expect(status).toContain('\nits work was merged into main\n');
  expect(status).not.toContain('piton diff');
});

test('changes of the user in the way refuse it with exit code 4 and the names of the files', async () => {
  const { piton, write, folder } = await withRun();
  write('b.txt', 'mine');
  write('a.txt', 'changed\n');
  const { code, stderr } = await piton(['merge']);
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /Not merged: files that git does not have are in the way: b\.txt\.\n.*→ .*\n.*MERGE_REFUSED/,
  );
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('mine');
  const { stderr: text } = await piton(['merge', '--json']);
  expect(JSON.parse(text)).toMatchObject({
    error: { code: 'MERGE_REFUSED', details: { untracked: ['b.txt'] } },
  });
});

test('a conflict refuses it with exit code 4, and says how to solve it', async () => {
  const { piton, write, folder } = await withRun();
  write('b.txt', 'other\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'mine');
  const { code, stderr } = await piton(['merge']);
  expect(code).toBe(4);
  expect(stderr).toMatch(/piton\/r1 conflicts with main: both have changed b\.txt\. Nothing was changed\./);
  expect(stderr).toContain('git merge piton/r1');
  expect(git(folder, 'status', '--porcelain')).toBe('');
});

test('by a merge commit or as one commit, as it is asked for, but not both', async () => {
  const { piton, folder } = await withRun();
  const both = await piton(['merge', '--squash', '--no-ff']);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Only one of')]);
  const { stdout } = await piton(['merge', '--squash']);
  expect(stdout).toContain('is in main, as one commit');
  expect(git(folder, 'log', '-1', '--format=%an %s')).toBe('Ada fix: Do it');
  expect(git(folder, 'rev-list', '--count', 'main')).toBe('2');
});

test('a run that has not succeeded is merged only if what is there is wanted', async () => {
  const project = inRepository();
  const { piton, folder } = project;
  writeFlow(project, {
    fix: played([[{ edit: { file: 'b.txt', text: 'two\n' } }, { answer: 'done' }]]),
    fail: { run: 'exit 1', needs: 'fix' },
  });
  expect((await piton(['run', 'flow', '--id', 'r1'])).code).toBe(1);
  const { code, stderr } = await piton(['merge']);
  expect([code, stderr]).toEqual([4, expect.stringContaining('has not succeeded (it is failed)')]);
  expect(stderr).toContain('--partial');
  expect((await piton(['merge', '--partial'])).code).toBe(0);
  expect(git(folder, 'rev-parse', 'main')).toBe(git(folder, 'rev-parse', 'piton/r1'));
});

test('a run that worked in the folder itself has nothing to merge', async () => {
  const project = inRepository();
  writeFlow(project, { only: { run: 'true' } });
  await project.piton(['run', 'flow', '--id', 'r1']);
  const { code, stderr } = await project.piton(['merge']);
  expect([code, stderr]).toEqual([4, expect.stringContaining('has no branch of its own')]);
});

test('killed after the branch was moved and before that was written down, it is written down by the next call', async () => {
  const { piton, folder } = await withRun();
  for (const place of ['before:git.checkout-moved', 'after:git.checkout-moved', 'before:run.delivered']) {
    expect((await piton(['merge'], { env: { PITON_CRASH_AT: place } })).code).toBe(null);
  }
  const { code, stdout } = await piton(['merge']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('main has what run r1 made already')]);
  expect(git(folder, 'rev-parse', 'main')).toBe(git(folder, 'rev-parse', 'piton/r1'));
  const { stdout: history } = await piton(['history', 'r1']);
  expect(history.match(/merged into main/g)).toHaveLength(1);
});

test('while somebody else is at work on the places of the repository it is refused, and the holder named', async () => {
  const { piton, folder } = await withRun();
  const store = await openStore(`sqlite:${folder}/.piton/piton.db`, {
    durability: 'process',
    clock: systemClock,
  });
  const owner = { ...ownIdentity(), instance: 'somebody' };
  const name = `workspaces:${git(folder, 'rev-parse', '--absolute-git-dir')}`;
  const { lease } = await store.takeLease({ name, owner, token: randomId(26), leaseMs: 30_000 });
  const { code, stderr } = await piton(['merge']);
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(new RegExp(`Process ${process.pid} on [^]*LOCK_HELD`)),
  ]);
  await store.releaseLease(lease);
  await store.close();
  expect((await piton(['merge'])).code).toBe(0);
});
