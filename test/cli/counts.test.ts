import { expect, test } from 'vitest';
import { copyRepository } from '../support/template.ts';
import { newProject } from './command-line.ts';
import { played, writeFlow } from './played.ts';
import { execFileSync } from 'node:child_process';

test('tasks are counted in one way: what consists of others is not counted beside them', async () => {
  const project = newProject();
  const { piton, json } = project;
  writeFlow(project, {
    each: { 'for-each': { in: ['a', 'b', 'c'] }, run: 'true' },
    nested: { needs: 'each', tasks: { one: { run: 'true' }, two: { run: 'true' } } },
    none: { 'for-each': { in: [] }, run: 'true' },
    last: { needs: ['nested', 'none'], run: 'true' },
  });

  const { stdout } = await piton(['run', 'flow', '--id', 'r1']);
  expect(stdout).toContain('  6 tasks: 6 succeeded\n');
  const { stdout: status } = await piton(['status', 'r1']);
  expect(status).toContain('6 of 6 tasks settled (100 %)');
  // Items and inner tasks below what they belong to.
  const rows = Array.from(status.matchAll(/^(\S+) +✓ succeeded/gm), ([, address]) => address);
  const inner = ['nested', 'nested.one', 'nested.two'];
  expect(rows).toEqual(['each', 'each[a]', 'each[b]', 'each[c]', ...inner, 'none', 'last']);
  expect((await piton(['list'])).stdout).toMatch(/ 6\/6 /);
  const all = { done: 6, total: 6, percent: 100 };
  expect(await json(['list'])).toMatchObject([{ progress: all }]);
  expect(await json(['status', 'r1'])).toMatchObject({ progress: all, counts: { succeeded: 6 } });
});

function repository(folder: string): void {
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: folder });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

test('an attempt is one execution of the work: setup, check, revision and merge belong to it', async () => {
  const project = newProject();
  copyRepository({ name: 'counted', make: repository }, project.folder);
  const { piton, json } = project;
  const fails = [{ answer: 'not yet' }];
  const turns = [fails, fails, [{ edit: { file: 'b.txt', text: 'good' } }, { answer: 'done' }]];
  const check = { run: 'test -e b.txt', revise: 1 };
  const retry = { attempts: 2, backoff: '1ms' };
  writeFlow(project, { fix: played(turns, { setup: 'true', check, retry }) });

  const { stdout } = await piton(['run', 'flow', '--id', 'r1']);
  expect(stdout).toContain('fix: attempt 1 failed');
  const { stdout: history } = await piton(['history', 'r1']);
  expect(history).toContain('fix is revised (revision 1)\n');
  expect(history).toContain('fix goes on in its session with scripted (attempt 2)\n');
  expect(stdout).toMatch(/✓ fix \(attempt 2\) /);
  expect((await piton(['status', 'r1'])).stdout).toMatch(/^fix +✓ succeeded +attempt 2 /m);
  expect(await json(['status', 'r1'])).toMatchObject({ tasks: { fix: { attempts: 2, revisions: 0 } } });
  const { attempts } = (await json(['show', 'r1', 'fix'])) as {
    attempts: { kind: string; number: number }[];
  };
  expect(attempts.map(({ kind, number }) => `${kind} ${number}`)).toEqual([
    'setup 1',
    'work 1',
    'check 1',
    'revision 1',
    'check 1',
    'revision 2',
    'check 2',
    'integrate 2',
  ]);
});
