import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBranch } from '../../src/workspaces/git/index.ts';
import { shell, write } from '../support/git-playground.ts';
import { contentOnBranch, integrating, remoteBench, settled } from '../support/remote-place.ts';

test('a conflict that a person has solved here is taken as well', async () => {
  const bench = await remoteBench();
  const [one, other] = [await settled(bench, 'one'), await settled(bench, 'other')];
  write(one.place.path, { 'src/b.txt': 'of one\n' });
  write(other.place.path, { 'src/b.txt': 'of the other\n' });
  await bench.places.integrate(integrating(one.work));
  expect((await bench.places.integrate(integrating(other.work))).type).toBe('conflict');
  write(join(bench.folder, 'mirrors', 'run-1', 'other'), { 'src/b.txt': 'by hand\n' });
  const solved = await bench.places.integrate(integrating({ ...other.work, attempt: 'o2', seq: 2 }));
  expect(solved.type).toBe('integrated');
  expect(contentOnBranch(bench, 'src/b.txt')).toBe('by hand');
});

test('a merge that has to be checked is laid out there, and lands when it has passed', async () => {
  const bench = await remoteBench();
  const [one, other] = [await settled(bench, 'one'), await settled(bench, 'other')];
  write(one.place.path, { 'one.txt': 'one\n' });
  write(other.place.path, { 'other.txt': 'other\n' });
  await bench.places.integrate(integrating(one.work));
  const proposed = await bench.places.integrate(integrating(other.work, { isChecked: true }));
  if (proposed.type !== 'proposed') throw new Error(`it is ${proposed.type}`);
  expect(readFileSync(join(other.place.path, 'one.txt'), 'utf8')).toBe('one\n');
  const verified = { ...proposed, members: [] };
  const landed = await bench.places.integrate(
    integrating({ ...other.work, seq: 2 }, { isChecked: true, verified }),
  );
  expect(landed).toMatchObject({ type: 'integrated', commit: proposed.commit });
  expect(shell(bench.root, 'rev-parse', runBranch('run-1'))).toBe(proposed.commit);
});
