import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadWorkflow } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { edit, git, openRepository } from '../support/repository-place.ts';
import { played, writeFlow } from '../support/scripted-place.ts';

test('a driver that was asleep while it removed a place does not remove it from those who work there by now', async () => {
  const { root, repository, piton } = await openRepository();
  const at = (name: string): string => join(root, name);
  const turns = [
    [edit('one.txt', '1'), { answer: 'not yet' }],
    [
      edit('two.txt', '2'),
      { run: `touch ${at('begun')}` },
      { await: at('go') },
      edit('three.txt', '3'),
      { answer: 'done' },
    ],
  ];
  const check = { run: `test -e ${at('begun')}`, revise: 0 };
  const file = writeFlow(repository, { a: played(turns, { check }) }, { cleanup: 'archive-on-failure' });
  const command = join(import.meta.dirname, '../../bin/piton.js');
  const args = [command, 'run', file, '--store', `sqlite:${at('piton.db')}`, '--id', 'run'];
  const env = { ...process.env, PITON_STOP_AT: 'before:git.worktree-set-aside' };
  const driver = spawn(process.execPath, args, { cwd: repository, stdio: 'ignore', env });
  onTestFinished(() => void driver.kill('SIGKILL'));
  await eventually(
    'it sleeps',
    async () => (await piton.driver('run').catch(() => undefined))?.stopped === true,
    20_000,
  );

  const run = await piton.resume(await loadWorkflow(file), 'run', {
    redo: ['a'],
    inSession: true,
    takeover: true,
  });
  await eventually('the agent is at work again', () => existsSync(at('begun')), 20_000);
  driver.kill('SIGCONT');
  await once(driver, 'exit');
  writeFileSync(at('go'), '');
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { a: 'done' } });
  expect(git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n')).toEqual([
    'a.txt',
    'one.txt',
    'three.txt',
    'two.txt',
  ]);
});
