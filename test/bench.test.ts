import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the benchmark measures a load and gives its rows as a table', () => {
  const args = ['bench/run.ts', 'chain', '--quick', '--scale', '0.01'];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /chain of visits .*process[^]*\nTargets are not checked with --quick or --scale\.\n/,
  );
});
