import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSandbox } from '../src/sandbox/index.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const found = await findSandbox({ ...process.env, PITON_BWRAP: undefined });

interface Report {
  readonly rows: readonly { readonly load: string; readonly durability: string; readonly ours: number }[];
}

test('the benchmark measures every load, and gives its rows as a table and as JSON', () => {
  const json = join(temporaryFolder(), 'bench.json');
  const { stdout: table } = spawnSync(
    process.execPath,
    ['bench/run.ts', '--quick', '--scale', '0.01', '--json', json],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PITON_BWRAP: undefined },
    },
  );
  expect(table).toContain('\nTargets are not checked with --quick or --scale.\n');
  const { rows } = JSON.parse(readFileSync(json, 'utf8')) as Report;
  expect(rows.map(({ load, durability }) => `${load} (${durability})`)).toEqual([
    'chain of visits (full)',
    'chain of visits (process)',
    'chain of tasks (full)',
    'chain of tasks (process)',
    'runs of 10 steps, 16 at a time (full)',
    'runs of 10 steps, 16 at a time (process)',
    'fan-out of 500 (full)',
    'fan-out of 500 (process)',
    'steps adding 2 KB each (full)',
    'steps adding 2 KB each: last 50 / first 50 (full)',
    'steps adding 2 KB each: stored (full)',
    'DAG of 10,000 tasks (full)',
    'DAG of 10,000 tasks (process)',
    'visit of a graph: 10,000th / 50th (process)',
    'task of a chain: 10,000th / 50th (process)',
    'resume at step 900 of 1,000 (full)',
    'resume at step 10,000 (full)',
    'memory at 100,000 tasks: live heap (process)',
    'memory at 100,000 tasks: peak of the process (process)',
    "import 'piton' (none)",
    'import, open, first task settled (none)',
    'piton --version: processor time (none)',
    'piton status: processor time (none)',
    'piton status, never called before: processor time (none)',
    'piton status, 1,000 runs of 100 tasks (floor: piton list --limit 1) (none)',
    'piton inbox, 1,000 runs of 100 tasks (floor: piton list --limit 1) (none)',
    'piton status, a run of 6,000 commits, 40 MB of transcript (floor: piton list --limit 1) (none)',
    'piton inbox, a run of 6,000 commits, 40 MB of transcript (floor: piton list --limit 1) (none)',
    'worktree of 500 files made and cleaned (floor: git worktree add, remove) (process)',
    'worktree of 500 files made and cleaned (floor: git worktree add, remove) (full)',
    'reconcile 100 places (process)',
    'one task in worktrees: made, saved, merged, cleaned (floor: git by hand) (process)',
    '12 tasks in worktrees: made, saved, merged, cleaned (floor: git by hand) (process)',
    'git processes started for one task in a worktree: edit, check, merge, clean (process)',
    ...(found.by === 'none' ? [] : ['an attempt in the sandbox (floor: without) (process)']),
  ]);
  for (const { load, ours } of rows) {
    expect(table).toContain(load);
    expect(ours).toBeGreaterThanOrEqual(0);
  }
});
