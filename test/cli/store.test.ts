import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Restored } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from './command-line.ts';

const two = 'name: two\ntasks: { a: { run: echo a }, b: { needs: a, run: echo b } }\n';

test('store info tells where runs are kept, and how much that is', async () => {
  const { piton, json, write, folder } = newProject();
  expect(await piton(['store', 'info'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('piton init'),
  });
  write('two.yaml', two);
  for (const id of ['r1', 'r2'])
    expect(await piton(['run', 'two.yaml', '--id', id])).toMatchObject({ code: 0 });

  const { stdout, code } = await piton(['store', 'info']);
  expect(code).toBe(0);
  expect(stdout).toContain(join(folder, '.piton/piton.db'));
  expect(stdout).toMatch(/^runs +2 succeeded$/m);
  expect(stdout).toMatch(/^quarantined +nothing$/m);
  expect(await json(['store', 'info'])).toMatchObject({
    file: join(folder, '.piton/piton.db'),
    durability: 'process',
    format: expect.any(Number),
    bytes: expect.any(Number),
    runs: { succeeded: 2 },
    quarantined: 0,
  });
});

test('an action that piton store does not have is refused, with the nearest', async () => {
  const { piton } = newProject();
  expect(await piton(['store', 'inof'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean info?'),
  });
});

/** A workflow whose tasks write down that they ran; `wait` goes on when there is a file `go`. */
const traced = `
name: traced
tasks:
  first: { run: echo first >> ledger }
  wait: { needs: first, run: 'echo wait >> ledger; while [ ! -e go ]; do sleep 0.05; done; echo waited' }
  after: { needs: wait, run: echo after >> ledger }
  ask: { needs: after, approval: Go on?, run: echo ask >> ledger }
`;

function ledgerOf(folder: string): string[] {
  return readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n');
}

test('a restore takes up what commands have done since the backup, and repeats none of it', async () => {
  const { piton, json, write, folder } = newProject();
  write('traced.yaml', traced);
  const driving = piton(['run', 'traced.yaml', '--id', 'r1']);
  await eventually('it waits', () => existsSync(join(folder, 'ledger')) && ledgerOf(folder).includes('wait'));
  const { file } = (await json(['store', 'backup'])) as { file: string };
  write('go', '');
  await driving;
  expect(await piton(['run', 'traced.yaml', '--id', 'r2'])).toMatchObject({ code: 3 });
  const before = ledgerOf(folder);

  const refused = await piton(['store', 'restore', file]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  // Killed before the new one is in its place, the old one is as it was, with all that is known of it elsewhere.
  await piton(['store', 'restore', '--yes'], { env: { PITON_CRASH_AT: 'before:restore.replaced' } });
  expect(await json(['verify', 'r1'])).toMatchObject({ ok: true });
  const restored = (await json(['store', 'restore', '--yes'])) as Restored;
  expect(restored).toMatchObject({
    backup: file,
    changed: [{ run: 'r1', held: [], takenUp: ['after'] }],
    lost: ['r2'],
  });
  expect(statSync(restored.aside!).mode & 0o777).toBe(0o600);

  expect(await piton(['resume', 'r1'])).toMatchObject({ code: 3 });
  expect(ledgerOf(folder)).toEqual(before);
  expect(await json(['status', 'r1'])).toMatchObject({
    tasks: { first: { status: 'succeeded' }, wait: { status: 'succeeded' }, after: { status: 'succeeded' } },
  });
  expect(await piton(['approve', 'r1', 'ask'])).toMatchObject({ code: 0 });
  expect(ledgerOf(folder)).toEqual([...before, 'ask']);
  const { runs } = (await json(['verify'])) as { runs: { run: string; ok: boolean }[] };
  expect(runs.find(({ run }) => run === 'r1')).toMatchObject({ ok: true });
});
