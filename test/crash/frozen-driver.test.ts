import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadWorkflow } from '../../src/index.ts';
import { binary } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import { edit, git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { played, writeFlow } from '../support/scripted-place.ts';

/** A driver that was stopped right before an effect, its run taken over by another, is let go on while an agent of that one works. */
async function overtaken(
  { root, repository, piton }: RepositoryPlace,
  file: string,
  { at, redo }: { readonly at: string; readonly redo: readonly string[] },
): Promise<unknown> {
  const args = [binary, 'run', file, '--store', `sqlite:${join(root, 'piton.db')}`, '--id', 'run'];
  const env = { ...process.env, PITON_STOP_AT: `before:${at}` };
  const driver = spawn(process.execPath, args, { cwd: repository, stdio: 'ignore', env });
  onTestFinished(() => void driver.kill('SIGKILL'));
  await eventually(
    'it sleeps',
    async () => (await piton.driver('run').catch(() => undefined))?.stopped === true,
  );

  const again = redo.length === 0 ? {} : { redo, inSession: true };
  const run = await piton.resume(await loadWorkflow(file), 'run', { ...again, takeover: true });
  await eventually('the agent is at work again', () => existsSync(join(root, 'begun')));
  driver.kill('SIGCONT');
  await once(driver, 'exit');
  writeFileSync(join(root, 'go'), '');
  return run.result();
}

function filesOf(repository: string): string[] {
  return git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n');
}

test('a driver that was asleep while it removed a place does not remove it from those who work there by now', async () => {
  const place = await openRepository();
  const at = (name: string): string => join(place.root, name);
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
  const file = writeFlow(
    place.repository,
    { a: played(turns, { check }) },
    { cleanup: 'archive-on-failure' },
  );

  const result = await overtaken(place, file, { at: 'git.worktree-set-aside', redo: ['a'] });
  expect(result).toMatchObject({ status: 'succeeded', outputs: { a: 'done' } });
  expect(filesOf(place.repository)).toEqual(['a.txt', 'one.txt', 'three.txt', 'two.txt']);
});

test.each(['git.slot-checked-out', 'git.slot-cleaned'])(
  'a driver that was asleep before %s while it handed a place on does not wipe what another makes there by now',
  async (effect) => {
    const place = await openRepository();
    const at = (name: string): string => join(place.root, name);
    const second = `echo changed > a.txt; touch "${at('begun')}"; while [ ! -e "${at('go')}" ]; do sleep 0.02; done`;
    const file = writeFlow(
      place.repository,
      {
        each: {
          'for-each': { in: ['first', 'second'] },
          pool: 1,
          run: `echo 1 > \${{ item }}.txt; if [ -e second.txt ]; then ${second}; fi`,
        },
      },
      { workspace: 'worktree' },
    );

    const result = await overtaken(place, file, { at: effect, redo: [] });
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(filesOf(place.repository)).toEqual(['a.txt', 'first.txt', 'second.txt']);
    expect(git(place.repository, 'show', 'piton/run:a.txt')).toBe('changed');
  },
);
