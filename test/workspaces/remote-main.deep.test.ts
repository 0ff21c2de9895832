import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commit, fsck, shell, userState, write } from '../support/git-playground.ts';
import { contentOnBranch, integrating, remoteBench, settled } from '../support/remote-place.ts';

test('a command runs in a place on another machine, with its output, its exit code and its result', async () => {
  const bench = await remoteBench();
  const { work, place } = await settled(bench, 'build');
  const script = 'pwd; cat src/b.txt; echo oops >&2; echo "{}" >"$PITON_OUTPUT"; echo "$WORD"; exit 7';
  const started = await bench.start(work, { argv: ['sh', '-c', script], env: { WORD: "it's" } });
  expect(await started.ended).toEqual({ type: 'exited', exit: { code: 7, timedOut: false } });
  expect(started.stdout()).toBe(`${place.path}\nb\nit's\n`);
  expect(started.stderr()).toBe('oops\n');
  expect((await bench.spool.readResult(started.attempt, { maxBytes: 100 }))?.text).toBe('{}\n');
});

test('what was made there is brought to the branch of the run, and the user’s own files stay as they are', async () => {
  const bench = await remoteBench();
  const before = userState(bench.root);
  const { work, place } = await settled(bench, 'build');
  write(place.path, { 'made.txt': 'made there\n', 'dist/app.js': 'ignored' });
  commit(place.path, { 'src/b.txt': 'committed there\n' });
  write(place.path, { 'src/a.txt': 'not committed there\n' });
  const integration = await bench.places.integrate(integrating(work));
  expect(integration).toMatchObject({ type: 'integrated' });
  expect(contentOnBranch(bench, 'made.txt')).toBe('made there');
  expect(contentOnBranch(bench, 'src/b.txt')).toBe('committed there');
  expect(contentOnBranch(bench, 'src/a.txt')).toBe('not committed there');
  expect(await bench.places.integrate(integrating(work))).toEqual(integration);
  expect(userState(bench.root)).toBe(before);
  expect(fsck(bench.root)).toBe('');
});

test('both sides of a conflict are laid out there, and what the agent makes of them is taken', async () => {
  const bench = await remoteBench();
  const [one, other] = [await settled(bench, 'one'), await settled(bench, 'other')];
  write(one.place.path, { 'src/b.txt': 'of one\n' });
  write(other.place.path, { 'src/b.txt': 'of the other\n', 'more.txt': 'more\n' });
  expect((await bench.places.integrate(integrating(one.work))).type).toBe('integrated');
  const conflict = await bench.places.integrate(integrating(other.work));
  expect(conflict).toMatchObject({ type: 'conflict', files: ['src/b.txt'] });
  expect(readFileSync(join(other.place.path, 'src/b.txt'), 'utf8')).toMatch(
    /<{7}[^]*of one[^]*={7}[^]*of the other/,
  );
  expect((await bench.places.integrate(integrating({ ...other.work, attempt: 'o2', seq: 2 }))).type).toBe(
    'conflict',
  );
  write(other.place.path, { 'src/b.txt': 'of both\n' });
  const solved = await bench.places.integrate(integrating({ ...other.work, attempt: 'o3', seq: 3 }));
  expect(solved.type).toBe('integrated');
  expect(contentOnBranch(bench, 'src/b.txt')).toBe('of both');
  expect(contentOnBranch(bench, 'more.txt')).toBe('more');
});

test('a merge that the agent has left unfinished there is no result', async () => {
  const bench = await remoteBench();
  const { work, place } = await settled(bench, 'build');
  shell(place.path, 'checkout', '--quiet', '-b', 'side');
  commit(place.path, { 'src/b.txt': 'side\n' });
  shell(place.path, 'checkout', '--quiet', '-');
  commit(place.path, { 'src/b.txt': 'main\n' });
  expect(() => shell(place.path, 'merge', 'side')).toThrow('merge side');
  expect(await bench.places.integrate(integrating(work))).toMatchObject({
    type: 'conflict',
    files: ['src/b.txt'],
  });
});

test('what is saved comes home, without what nobody can take, and only when something has changed', async () => {
  const bench = await remoteBench();
  const { work, place } = await settled(bench, 'build');
  write(place.path, { 'new.txt': 'new\n', 'with\ttab and ü.txt': 'odd\n' });
  shell(place.path, 'init', '--quiet', 'nested');
  const first = (await bench.places.save({ ...work, label: 'first' }))!;
  expect(shell(bench.root, 'show', `${first}:new.txt`)).toBe('new');
  expect(shell(bench.root, 'ls-tree', '-r', '-z', '--name-only', first)).toContain('with\ttab and ü.txt');
  expect(await bench.places.save({ ...work, label: 'second', at: work.at + 5_000 })).toBe(first);
  write(place.path, { 'new.txt': 'newer\n' });
  const third = (await bench.places.save({ ...work, label: 'third' }))!;
  expect(shell(bench.root, 'rev-parse', `${third}^2`)).toBe(first);
  const clean = { ...work, hasSucceeded: true };
  const kept = await bench.places.clean(clean, 'remove-when-clean-else-archive');
  expect(kept).toMatchObject({ how: 'kept', reason: expect.stringContaining('nested') as string });
  expect(existsSync(place.path)).toBe(true);
});

test('ignored files are archived before a place is removed, and commits that no branch has', async () => {
  const bench = await remoteBench();
  const { work, place } = await settled(bench, 'build');
  write(place.path, { 'made.txt': 'made\n' });
  const integration = await bench.places.integrate(integrating(work));
  if (integration.type !== 'integrated') throw new Error(integration.type);
  const dropped = commit(place.path, { 'dropped.txt': 'dropped\n' });
  shell(place.path, 'reset', '--quiet', '--hard', 'HEAD~1');
  write(place.path, {
    'made.txt': 'made\n',
    'dist/app.js': 'built\n',
    'node_modules/x/index.js': 'got again\n',
  });
  const clean = { ...work, result: integration.result, hasSucceeded: true };
  const cleaned = await bench.places.clean(clean, 'remove-when-clean-else-archive');
  expect(cleaned).toMatchObject({ how: 'archived' });
  expect(existsSync(place.path)).toBe(false);
  const target = join(bench.folder, 'restored');
  await bench.worktrees.restore(work.repository, cleaned.ref!, target);
  expect(readFileSync(join(target, 'dist/app.js'), 'utf8')).toBe('built\n');
  expect(existsSync(join(target, 'node_modules'))).toBe(false);
  expect(shell(bench.root, 'for-each-ref', '--contains', dropped)).toContain('refs/piton/');
  expect(fsck(bench.root)).toBe('');
});

test('a place whose work is merged is removed there, with all that was made for it', async () => {
  const bench = await remoteBench();
  const { work, place } = await settled(bench, 'build');
  const started = await bench.start(work, { argv: ['sh', '-c', 'echo made >made.txt'] });
  await started.ended;
  const integration = await bench.places.integrate(integrating(work));
  if (integration.type !== 'integrated') throw new Error(integration.type);
  const clean = { ...work, result: integration.result, hasSucceeded: true };
  const cleaned = await bench.places.clean(clean, 'remove-when-clean-else-archive');
  expect(cleaned).toMatchObject({ how: 'removed' });
  expect(existsSync(place.path)).toBe(false);
  const there = join(place.path, '../../..');
  expect(existsSync(join(there, 'attempts', 'token-build'))).toBe(false);
  expect(shell(join(there, 'repository.git'), 'for-each-ref', 'refs/heads')).toBe('');
});

test('a machine that cannot be reached is named, with what ssh says and what to try', async () => {
  const bench = await remoteBench();
  const { work } = await settled(bench, 'build');
  const away = bench.open({ machines: { box: { ...bench.server.machine, host: 'nobody@127.0.0.1' } } });
  await expect(away.save({ ...work, label: 'x' })).rejects.toMatchObject({
    code: 'REMOTE_FAILED',
    message: expect.stringMatching(/box \(nobody@127\.0\.0\.1\).*Permission denied/) as string,
  });
  expect(await away.look([work])).toMatchObject([{ token: 'token-build', health: 'unknown' }]);
});

test('a machine that the configuration does not name is unknown, and wishes nobody can fulfil there are refused', async () => {
  const bench = await remoteBench();
  const mode = { mode: 'remote', remote: 'bax' } as const;
  await expect(bench.places.prepare(bench.request('build', { mode }))).rejects.toMatchObject({
    code: 'REMOTE_UNKNOWN',
    message: expect.stringContaining("Did you mean 'box'?") as string,
  });
  await expect(bench.places.prepare(bench.request('build', { ports: 1 }))).rejects.toMatchObject({
    code: 'REMOTE_UNSUPPORTED',
  });
});

test('where there is no program to pack the copies, the place is not made, and nothing else ends', async () => {
  const bench = await remoteBench();
  write(bench.root, { 'ignored.log': 'copied' });
  const path = process.env['PATH'];
  onTestFinished(() => void (process.env['PATH'] = path));
  process.env['PATH'] = '/nonexistent';
  const preparing = bench.places.prepare(bench.request('build', { copy: ['ignored.log'] }));
  await expect(preparing).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
  process.env['PATH'] = path;
  const { place } = await bench.places.prepare(bench.request('build', { copy: ['ignored.log'] }));
  expect(readFileSync(join(place.path, 'ignored.log'), 'utf8')).toBe('copied');
});
