import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { attemptMarker } from '../../src/base/index.ts';
import type { PruneOptions, PruneReport } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from './command-line.ts';
import { git, withRun } from './delivered.ts';

const flow = (name: string, command: string): string => `name: ${name}\ntasks: { a: { run: ${command} } }\n`;

interface Pruned {
  readonly dryRun: boolean;
  readonly runs: number;
  readonly gone: readonly { readonly run: string; readonly what: string; readonly reason: string }[];
  readonly kept: readonly { readonly run: string; readonly reason: string }[];
}

/** Two of ship that succeeded, one that failed after them; one of test. */
async function projectWithRuns() {
  const project = newProject();
  project.write('ship.yaml', flow('ship', 'echo hello'));
  project.write('broken.yaml', flow('ship', 'exit 1'));
  project.write('test.yaml', flow('test', 'echo test'));
  for (const [file, id] of [
    ['ship.yaml', 's1'],
    ['ship.yaml', 's2'],
    ['broken.yaml', 'f1'],
    ['test.yaml', 't1'],
  ] as const)
    await project.piton(['run', file, '--id', id]);
  const left = async (): Promise<string[]> =>
    ((await project.json(['list'])) as { run: string }[]).map(({ run }) => run).sort();
  const pruned = async (args: readonly string[]): Promise<Pruned> =>
    (await project.json(['store', 'prune', ...args])) as Pruned;
  return { ...project, left, pruned };
}

test('a dry run tells what would go and why the rest stays; without it just that goes', async () => {
  const { piton, json, left, pruned } = await projectWithRuns();
  const args = ['store', 'prune', '--older-than', '0s'];
  const dry = await pruned(['--older-than', '0s', '--dry-run']);
  expect(dry).toMatchObject({ dryRun: true, runs: 2 });
  expect(dry.gone.map(({ run }) => run)).toEqual(['s1', 'f1']);
  expect(dry.kept).toEqual([
    { run: 's2', reason: 'it is the newest of ship that succeeded' },
    { run: 't1', reason: 'it is the newest of test that succeeded' },
  ]);
  expect(await left()).toEqual(['f1', 's1', 's2', 't1']);

  const shown = await piton([...args, '--dry-run']);
  expect(shown.stdout).toMatch(/^s1 +ship +. succeeded +\S+.* all of it +it ended/m);
  expect(shown.stdout).toContain('kept s2: it is the newest of ship that succeeded');
  expect(shown.stdout).toContain('2 runs would go: about');
  expect(shown.stdout).toContain('Next: piton store prune --older-than 0s');

  expect(await piton(args)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 runs removed') });
  expect(await left()).toEqual(['s2', 't1']);
  expect(await json(['verify'])).toMatchObject({ ok: true, store: [] });
  // Its id is free again.
  expect(await piton(['run', 'ship.yaml', '--id', 's1'])).toMatchObject({ code: 0 });
});

test('limits can be put together: workflow, status, and how many of each workflow stay', async () => {
  const { left, pruned } = await projectWithRuns();
  const gone = async (...args: string[]): Promise<string[]> =>
    (await pruned([...args, '--dry-run'])).gone.map(({ run }) => run);
  expect(await gone('--keep', '2')).toEqual(['s1']);
  expect(await gone('--keep', '0')).toEqual(['s1', 'f1']);
  expect(await gone('--keep', '0', '--status', 'failed')).toEqual(['f1']);
  expect(await gone('--keep', '0', '--status', 'failed,succeeded', '--workflow', 'test')).toEqual([]);
  // Young enough: that it is one of too many is not enough.
  expect(await gone('--keep', '0', '--older-than', '1h')).toEqual([]);
  expect(await gone('--keep', '2', '--older-than', '0s')).toEqual(['s1']);
  expect(await gone('--max-size', '1TB')).toEqual([]);
  expect(await gone('--max-size', '1kB')).toEqual(['s1', 'f1']);
  expect(await gone('--max-size', '1kB', '--keep', '2')).toEqual(['s1']);
  await pruned(['--keep', '2']);
  expect(await left()).toEqual(['f1', 's2', 't1']);
});

test('what processes of a removed run have printed goes with it', async () => {
  const { folder, pruned } = await projectWithRuns();
  const spooled = (): string[] =>
    readdirSync(join(folder, '.piton/spool')).filter((name) => !name.startsWith('.'));
  expect(spooled()).toHaveLength(4);
  await pruned(['--older-than', '0s']);
  expect(spooled()).toHaveLength(2);
});

const wrong: readonly (readonly [args: readonly string[], said: string])[] = [
  [[], 'Give --older-than, --keep or --max-size'],
  [['s1', '--keep', '0'], 'takes limits, no file and no run'],
  [['--workflow', 'ship'], 'Nothing says which runs are to go'],
  [['--payloads'], '--older-than 7d --payloads'],
  [['--payloads', '--keep', '3'], 'goes with --older-than alone'],
  [['--older-than', 'soon'], 'Write it like 30d'],
  [['--older-than', '-3d'], 'Write it like 30d'],
  [['--keep', 'all'], 'Write a whole number'],
  [['--keep', '-1'], 'Write a whole number'],
  [['--max-size', '2'], 'Write it like 500MB or 2GB'],
  [['--keep', '1', '--status', 'suceeded'], 'Did you mean succeeded?'],
  [['--keep', '1', '--status', 'running'], 'Only runs that have ended can go'],
  [['--keep', '1', '--workflow', 'shop'], 'Did you mean ship?'],
];

test('what cannot be meant is refused, and nothing goes', async () => {
  const { piton, left } = await projectWithRuns();
  for (const [args, said] of wrong) {
    const { code, stderr } = await piton(['store', 'prune', ...args]);
    expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(said)]);
  }
  expect(await piton(['store', 'info', '--keep', '1'])).toMatchObject({ code: 2 });
  expect(await left()).toEqual(['f1', 's1', 's2', 't1']);
});

test('a task may look at what would go, and remove nothing', async () => {
  const { piton, left } = await projectWithRuns();
  const env = { [`${attemptMarker}x`]: '1' };
  expect(await piton(['store', 'prune', '--keep', '0', '--dry-run'], { env })).toMatchObject({ code: 0 });
  expect(await piton(['store', 'prune', '--keep', '0'], { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('INSIDE_ATTEMPT'),
  });
  expect(await left()).toEqual(['f1', 's1', 's2', 't1']);
});

test('what the configuration says is done once a day, when a run starts, by a process that nobody waits for', async () => {
  const { piton, left, write, folder } = await projectWithRuns();
  write('.piton/config.yaml', 'retention: { keep: 1 }\n');
  await piton(['trust', '--yes']);
  onTestFinished(async () => void (await piton(['trust', 'revoke'])));
  await piton(['run', 'test.yaml', '--id', 't2']);
  const claims = (): string[] =>
    readdirSync(join(folder, '.piton')).filter((name) => name.startsWith('retention-'));
  await eventually(
    'it was carried out',
    () => claims().length === 1 && /"runs":/.test(readFileSync(join(folder, '.piton', claims()[0]!), 'utf8')),
  );
  // The run that has begun meanwhile may have ended before it was looked at, or not.
  expect((await left()).filter((run) => !['t1', 't2'].includes(run))).toEqual(['f1', 's2']);

  await piton(['run', 'ship.yaml', '--id', 's3']);
  await piton(['run', 'ship.yaml', '--id', 's4']);
  expect(await piton(['store', 'prune', '--daily'])).toMatchObject({
    stdout: expect.stringContaining('nothing to do today'),
  });
  expect(await left()).toEqual(expect.arrayContaining(['f1', 's2', 's3', 's4']));
  // Asked for, it is done again.
  expect(await piton(['store', 'prune'])).toMatchObject({ code: 0 });
  expect(await left()).toEqual(expect.arrayContaining(['s4']));
  expect(await left()).not.toContain('s3');
  expect(existsSync(join(folder, '.piton', claims()[0]!))).toBe(true);
});

test('a run stays as long as git keeps work of it that nobody has taken; a branch that was merged goes with it', async () => {
  const { piton, withStore, folder } = await withRun();
  const pruneIt = (options: PruneOptions = {}): Promise<PruneReport> =>
    withStore((library) => library.prune({ runs: ['r1'], ...options }));
  expect((await pruneIt()).kept).toEqual([
    {
      run: 'r1',
      reason: expect.stringMatching(/^git keeps piton\/r1 of it: take its work \(piton merge r1\)/),
    },
  ]);
  expect((await piton(['merge', 'r1'])).code).toBe(0);
  expect(await pruneIt({ dryRun: true })).toMatchObject({ runs: 1, kept: [] });
  expect(git(folder, 'branch', '--list', 'piton/*')).toContain('piton/r1');
  expect(await pruneIt()).toMatchObject({ runs: 1, kept: [] });
  expect(git(folder, 'for-each-ref', 'refs/piton', 'refs/heads/piton', 'refs/heads/piton-tasks')).toBe('');
});

test.each([
  { when: 'before', said: '1 run removed' },
  { when: 'after', said: 'nothing to do today' },
])(
  'whoever is killed $when the day was claimed leaves all runs, and the next one: $said',
  async ({ when, said }) => {
    const { piton, left, write } = await projectWithRuns();
    write('.piton/config.yaml', 'retention: { keep: 2 }\n');
    const env = { PITON_CRASH_AT: `${when}:retention.claimed` };
    expect((await piton(['store', 'prune', '--daily'], { env })).code).not.toBe(0);
    expect(await left()).toEqual(['f1', 's1', 's2', 't1']);
    expect((await piton(['store', 'prune', '--daily'])).stdout).toContain(said);
  },
);
