import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { RunVerdict } from '../../src/index.ts';
import { newProject, type Project } from './command-line.ts';

interface Verified {
  readonly ok: boolean;
  readonly runs: readonly RunVerdict[];
}

async function verified({ json }: Project): Promise<Verified> {
  return (await json(['verify'])) as Verified;
}

test('verify tells of the files of an attempt under way that are gone, and not of those of one that has ended', async () => {
  const project = newProject();
  const { piton, write, folder } = project;
  write('two.yaml', 'name: two\ntasks: { a: { run: echo a }, b: { needs: a, run: echo b } }\n');
  const env = { PITON_CRASH_AT: 'after:attempt.spawned#2' };
  await piton(['run', 'two.yaml', '--id', 'r1'], { env });
  const spool = join(folder, '.piton/spool');
  const attempts = readdirSync(spool).filter((name) => !name.startsWith('.'));
  expect(attempts).toHaveLength(2);
  expect(await verified(project)).toMatchObject({ ok: true });
  for (const attempt of attempts) rmSync(join(spool, attempt), { recursive: true });

  const { stdout, code } = await piton(['verify']);
  expect(code).toBe(4);
  expect(stdout).toMatch(
    /^r1: b: the files of its attempt, .*, are gone.*: what it has done cannot be found out\. piton resume r1/m,
  );
  expect(stdout).not.toContain('r1: a:');
  expect(await verified(project)).toMatchObject({
    ok: false,
    runs: [
      {
        run: 'r1',
        ok: false,
        faults: [{ in: 'spool', consequence: 'what it has done cannot be found out' }],
      },
    ],
  });
});

test('verify tells of commits of git that a run needs and that are gone', async () => {
  const project = newProject();
  const { piton, write, folder } = project;
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'T');
  git('config', 'user.email', 't@example.com');
  write('.gitignore', '.piton\n');
  const part = '```part\n{"steps":[{"run":"echo 1 > one.txt"},{"answer":"done"}]}\n```';
  const flow = {
    name: 'flow',
    tasks: {
      make: { agent: 'scripted', permissions: 'full', prompt: part },
      ask: { needs: ['make'], approval: 'Go on?', run: 'echo' },
    },
  };
  write('flow.yaml', JSON.stringify(flow));
  git('add', '.');
  git('commit', '-qm', 'first');
  expect(await piton(['run', 'flow.yaml', '--id', 'r1'])).toMatchObject({ code: 3 });
  expect(await verified(project)).toMatchObject({ ok: true });

  for (const ref of git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/piton/',
    'refs/heads/piton/',
    'refs/heads/piton-tasks/',
  ).split('\n'))
    git('update-ref', '-d', ref);
  git('worktree', 'prune');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '-q', '--prune=now');
  const { runs } = await verified(project);
  expect(runs[0]).toMatchObject({ ok: false });
  expect(runs[0]!.faults.filter(({ in: where }) => where === 'git')).toMatchObject([
    {
      what: expect.stringContaining('the commit that holds what its tasks have made'),
      consequence: 'tasks that need it are held',
      remedy: expect.stringContaining('piton workspace list r1'),
    },
  ]);
});

test('verify mentions what repairs have moved aside, and finds nothing wrong with that', async () => {
  const project = newProject();
  const { piton, write, folder } = project;
  write('two.yaml', 'name: two\ntasks: { a: { run: echo a }, b: { needs: a, run: echo b } }\n');
  await piton(['run', 'two.yaml', '--id', 'r1']);
  {
    using database = new DatabaseSync(join(folder, '.piton/piton.db'));
    database.exec(
      `UPDATE commits SET body = replace(body, 'succeeded', 'suceceded') WHERE seq = (SELECT max(seq) FROM commits)`,
    );
  }
  expect(await piton(['verify', '--repair'])).toMatchObject({ code: 0 });
  expect(await verified(project)).toMatchObject({
    ok: true,
    runs: [{ ok: true, notes: [{ in: 'quarantine', what: '1 commit was moved aside by repairs' }] }],
  });
  expect(await project.json(['store', 'info'])).toMatchObject({ quarantined: 1 });
});
