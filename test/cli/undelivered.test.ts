import { expect, test } from 'vitest';
import { pathWithoutGh } from '../support/stand-in-gh.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { edits, git, inRepository, withRemote, type Reviewed } from './delivered.ts';
import { played } from './played.ts';

/** A run `r1` that has done its work, and whose delivery has failed. */
async function undelivered(
  deliver: unknown = 'pr',
  fail: (reviewed: Reviewed) => Readonly<Record<string, string>> = () => ({
    PATH: pathWithoutGh(temporaryFolder()),
  }),
): Promise<Reviewed & { readonly stdout: string }> {
  const reviewed = withRemote(inRepository());
  const tasks = { fix: played([edits('b.txt', 'two\n')]) };
  reviewed.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks, deliver }));
  const { code, stdout } = await reviewed.call(['run', 'flow', '--id', 'r1', '--force'], fail(reviewed));
  expect(code).toBe(1);
  return { ...reviewed, stdout };
}

const attemptsOfFix = async ({ json }: Reviewed): Promise<unknown> =>
  ((await json(['show', 'r1', 'fix'])) as { attempts: unknown }).attempts;

test('where only the delivery has failed, what to do next takes the work as it is, and says so', async () => {
  const { stdout, piton, json } = await undelivered();
  expect(stdout).toContain('its work is in the branch piton/r1\n');
  expect(stdout).toMatch(/\nNext: piton pr r1\n {2}or: piton merge r1\n$/);
  expect(await json(['show', 'r1'])).toMatchObject({ status: 'failed', undelivered: true });
  expect((await piton(['status', 'r1'])).stdout).toContain('Next: piton pr r1');
});

test('piton pr finishes the job, as the workflow wants the pull request to be, and nothing is done again', async () => {
  const reviewed = await undelivered({
    pr: { base: 'main', branch: 'work/${{ run.id }}', draft: true, title: 'Fix: ${{ tasks.fix.output }}' },
  });
  const before = await attemptsOfFix(reviewed);
  const { code, stdout } = await reviewed.call(['pr', 'r1']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('https://git.example/pull/1')]);
  expect(reviewed.gh.opened()).toEqual(['work/r1 main true Fix: done']);
  expect(await attemptsOfFix(reviewed)).toEqual(before);
  const shown = (await reviewed.json(['show', 'r1'])) as object;
  expect(shown).toMatchObject({ delivered: { how: 'pull-request' } });
  expect(shown).not.toHaveProperty('undelivered');
  const again = await reviewed.call(['retry', 'r1', 'deliver']);
  expect(again.code).toBe(0);
  expect(reviewed.gh.opened()).toHaveLength(1);
  expect(await attemptsOfFix(reviewed)).toEqual(before);
});

test('what is said on the command line counts more than what the workflow says', async () => {
  const reviewed = await undelivered({ pr: { base: 'main', draft: true, title: 'From the workflow' } });
  await reviewed.call(['pr', 'r1', '--title', 'Mine']);
  expect(reviewed.gh.opened()).toEqual(['piton/r1 main true Mine']);
});

test('piton merge takes the work of a run that could not be pushed', async () => {
  const reviewed = await undelivered('pr', ({ folder }) => {
    git(folder, 'remote', 'set-url', 'origin', '/no/such/repository');
    return {};
  });
  const { code, stdout } = await reviewed.piton(['merge', 'r1']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('What run r1 made is in main')]);
  expect(git(reviewed.folder, 'show', 'main:b.txt')).toBe('two');
});

test('when the remote is there again, a retry of the delivery alone finishes the run', async () => {
  const reviewed = await undelivered('pr', ({ folder }) => {
    git(folder, 'remote', 'remove', 'origin');
    return {};
  });
  const before = await attemptsOfFix(reviewed);
  const tip = git(reviewed.folder, 'rev-parse', 'piton/r1');
  git(reviewed.folder, 'remote', 'add', 'origin', reviewed.remote);
  expect((await reviewed.call(['retry', 'r1', 'deliver'])).code).toBe(0);
  expect(await reviewed.json(['show', 'r1'])).toMatchObject({ status: 'succeeded' });
  expect(await attemptsOfFix(reviewed)).toEqual(before);
  expect(git(reviewed.remote, 'rev-parse', 'piton/r1')).toBe(tip);
});

test('where work has failed too, the run is still not whole', async () => {
  const { write, piton, call } = withRemote(inRepository());
  const tasks = { fix: played([edits('b.txt', 'two\n')]), check: { needs: 'fix', run: 'exit 3' } };
  write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks, deliver: 'pr' }));
  expect((await call(['run', 'flow', '--id', 'r1'])).code).toBe(1);
  for (const command of ['pr', 'merge'])
    expect((await piton([command, 'r1'])).stderr).toContain('RUN_INCOMPLETE');
});
