import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadWorkflow, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';

const secret = 'hunter2';
const setup = { copy: ['.env'] };

/** A repository with an ignored `.env`, which holds a secret. */
async function openWithSecret(): Promise<RepositoryPlace & { at(name: string): string }> {
  const place = await openRepository();
  writeFileSync(join(place.repository, '.git/info/exclude'), 'dist/\n.env\n');
  writeFileSync(join(place.repository, '.env'), `TOKEN=${secret}\n`);
  return { ...place, at: (name) => join(place.root, name) };
}

/** The texts of all objects that git has, also of those that no ref leads to. */
function allOfGit(repository: string): string {
  const args = ['cat-file', '--batch-all-objects', '--batch'];
  return execFileSync('git', args, { cwd: repository, encoding: 'latin1' });
}

async function begun(run: Run): Promise<void> {
  await eventually('all have begun', async () => {
    const { tasks } = await run.checkpoint();
    return Object.values(tasks).every(({ workspace }) => workspace !== undefined);
  });
}

describe('a secret that was copied into a worktree does not come into git', () => {
  test('with ignored files that were in the way of a merge, which are kept', async () => {
    const { run, repository, at } = await openWithSecret();
    const commit = 'git -c user.name=t -c user.email=t@localhost commit -qm work';
    const started = await run({
      a: played(
        [
          [
            { run: `mkdir -p dist && echo of a > dist/x && git add -f dist/x && ${commit}` },
            { await: at('a') },
            { answer: 'a' },
          ],
        ],
        { check: 'true', setup },
      ),
      b: played(
        [
          [
            { run: 'mkdir -p dist && echo only of b > dist/x && echo b > b.txt' },
            { await: at('b') },
            { answer: 'b' },
          ],
        ],
        { check: 'true', setup },
      ),
    });
    await begun(started);
    writeFileSync(at('a'), '');
    await eventually(
      'the first is in',
      async () => (await started.checkpoint()).tasks['a']!.status === 'succeeded',
    );
    writeFileSync(at('b'), '');
    expect(await started.result()).toMatchObject({ status: 'succeeded' });
    expect(git(repository, 'show', 'piton/run:dist/x')).toBe('of a');
    const kept = git(repository, 'for-each-ref', '--format=%(refname)', 'refs/piton/run/b/kept/');
    expect(git(repository, 'show', `${kept}:dist/x`)).toBe('only of b');
    expect(allOfGit(repository)).not.toContain(secret);
  });

  test('with the archive of its place, when the user has changed theirs meanwhile', async () => {
    const { run, repository, at } = await openWithSecret();
    const started = await run({
      a: played([[{ run: 'echo a > a1.txt' }, { await: at('a') }, { answer: 'a' }]], { setup }),
    });
    await begun(started);
    writeFileSync(join(repository, '.env'), 'TOKEN=another\n');
    writeFileSync(at('a'), '');
    expect(await started.result()).toMatchObject({ status: 'succeeded' });
    expect(allOfGit(repository)).not.toContain(secret);
  });

  test('with the archive of a place that nobody has any more', async () => {
    const { run, repository, at, piton } = await openWithSecret();
    const check = { run: `test -e ${at('good')}`, revise: 0 };
    const started = await run({
      a: played([[{ run: 'echo a > a1.txt' }, { answer: 'a' }]], { setup, check }),
    });
    expect((await started.result()).status).toBe('failed');
    writeFileSync(at('good'), '');
    const definition = await loadWorkflow(join(repository, 'flow.yaml'));
    const again = await piton.resume(definition, 'run', { redo: ['a'] });
    expect((await again.result()).status).toBe('succeeded');
    const actions = await piton.reconcile({ folder: repository });
    expect(actions[0]).toMatchObject({ task: 'a', done: expect.stringContaining('archived') });
    expect(allOfGit(repository)).toContain('a1.txt');
    expect(allOfGit(repository)).not.toContain(secret);
  });
});
