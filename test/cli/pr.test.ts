import { expect, test } from 'vitest';
import { pathWithoutGh } from '../support/stand-in-gh.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { edits, git, inRepository, withRemote, withRun } from './delivered.ts';
import { played } from './played.ts';

test('the branch is pushed and a pull request opened, once however often it is asked for', async () => {
  const { call, piton, folder, remote, gh } = withRemote(await withRun());
  const { code, stdout } = await call(['pr', '--draft', '--title', 'My work']);
  const tip = git(folder, 'rev-parse', 'piton/r1');
  expect(code).toBe(0);
  expect(stdout).toBe(
    `Pushed piton/r1 (${tip.slice(0, 7)}) to origin.\nOpened a pull request into main: https://git.example/pull/1\nNext: piton diff r1\n`,
  );
  expect(git(remote, 'rev-parse', 'piton/r1')).toBe(tip);
  expect(gh.opened()).toEqual(['piton/r1 main true My work']);
  expect(gh.body()).toMatch(/^fix: Do it\.\n\n<details>\n<summary>How it was made: 1 task, .*<\/summary>\n/);
  expect(gh.body()).toMatch(/^\| `fix` \| succeeded \| {2}\| `scripted`, session `\S+` \|/m);

  const again = await call(['pr', 'r1', '--json']);
  expect(JSON.parse(again.stdout)).toEqual({
    run: 'r1',
    url: 'https://git.example/pull/1',
    remote: 'origin',
    branch: 'piton/r1',
    base: 'main',
    commit: tip,
    existed: true,
    pushed: false,
  });
  expect(gh.opened()).toHaveLength(1);
  const { stdout: history } = await piton(['history', 'r1']);
  expect(history.match(/pull\/1/g)).toHaveLength(1);
});

test('without gh it says that the branch is pushed, and what to do', async () => {
  const { call, remote } = withRemote(await withRun());
  const { code, stderr } = await call(['pr'], { PATH: pathWithoutGh(temporaryFolder()) });
  expect(code).toBe(1);
  expect(stderr).toContain('piton/r1 is pushed to origin, but no pull request was opened: gh');
  expect(stderr).toMatch(/→ Install it .*delivery\.command/);
  expect(git(remote, 'branch', '--list', 'piton/r1')).not.toBe('');
});

test('the remote and the command are taken from the configuration', async () => {
  const { call, write, folder, gh } = withRemote(await withRun());
  git(folder, 'remote', 'rename', 'origin', 'hub');
  write(
    '.piton/config.yaml',
    "delivery:\n  remote: hub\n  command: '[ $PITON_PR_ACTION = find ] || echo https://review.example/9'\n",
  );
  const { stdout } = await call(['pr']);
  expect(stdout).toMatch(/to hub\.\nOpened a pull request into main: https:\/\/review\.example\/9\n/);
  expect(gh.calls()).toEqual([]);
});

test('what somebody else has pushed to that branch refuses it with exit code 4', async () => {
  const { call, folder, remote } = withRemote(await withRun());
  const other = git(folder, 'commit-tree', '-m', 'theirs', 'main^{tree}');
  git(folder, 'push', '-q', remote, `${other}:refs/heads/piton/r1`);
  const { code, stderr } = await call(['pr']);
  expect([code, stderr]).toEqual([4, expect.stringContaining('Somebody else has pushed to piton/r1')]);
  expect(git(remote, 'rev-parse', 'piton/r1')).toBe(other);
});

test('killed between any two effects, it has opened one and knows it when it is called again', async () => {
  const { call, gh, piton } = withRemote(await withRun());
  const places = [
    'after:git.branch-pushed',
    'before:pull-request.opened',
    'after:pull-request.opened',
    'before:run.delivered',
  ];
  for (const place of places) expect((await call(['pr'], { PITON_CRASH_AT: place })).code).toBe(null);
  expect((await call(['pr'])).stdout).toContain(
    'The pull request is there into main: https://git.example/pull/1',
  );
  expect(gh.opened()).toHaveLength(1);
  const { stdout: history } = await piton(['history', 'r1']);
  expect(history.match(/pull\/1/g)).toHaveLength(1);
});

test('a workflow with `deliver` opens it at its end, and says where', async () => {
  const { call, write, gh, json, remote, folder } = withRemote(inRepository());
  const tasks = { fix: played([edits('b.txt', 'two\n')]) };
  const deliver = { pr: { base: 'main', draft: true, title: 'Fix of ${{ tasks.fix.output }}' } };
  write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks, deliver }));
  const { code, stdout } = await call(['run', 'flow', '--id', 'r1']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('https://git.example/pull/1')]);
  expect(gh.opened()).toEqual([expect.stringMatching(/^piton\/r1 main true Fix of /)]);
  expect(git(remote, 'rev-parse', 'piton/r1')).toBe(git(folder, 'rev-parse', 'piton/r1'));
  expect(await json(['show', 'r1', 'deliver'])).toMatchObject({
    output: { url: 'https://git.example/pull/1', branch: 'piton/r1', base: 'main', existed: false },
  });
});

test('a workflow with `deliver` fails at once where gh is missing, and does not wait for it', async () => {
  const { call, write } = withRemote(inRepository());
  const tasks = { fix: played([edits('b.txt', 'two\n')]) };
  write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks, deliver: 'pr' }));
  const { code, stdout } = await call(['run', 'flow', '--id', 'r1', '--force'], {
    PATH: pathWithoutGh(temporaryFolder()),
  });
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('gh, the command line of GitHub, is not on the PATH'),
  ]);
});
