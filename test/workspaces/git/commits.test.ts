import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { areContained, writeCommit } from '../../../src/workspaces/git/index.ts';
import { at, plainEnvironment, trailers } from '../../support/git-orders.ts';
import { commit, playground, shell, testGit, write } from '../../support/git-playground.ts';

const messages = ['plain', 'of two\n\nparagraphs\n\n', 'Größe — 大きさ', '', ' \ttree 000\nparent 000'];

const identities = [
  {},
  { GIT_AUTHOR_NAME: 'Ada <ä>', GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_EMAIL: 'b@example.org' },
];

describe('a commit', () => {
  test.each(identities)('is the same whether it is the first or a later one (%o)', async (identity) => {
    const { repository, root, base } = playground();
    shell(root, 'config', 'user.name', 'Bob');
    const other = commit(root, { 'other.txt': 'other' });
    const environment = plainEnvironment(identity);
    const staying = testGit({ environment });
    const tree = shell(root, 'rev-parse', 'HEAD^{tree}');
    for (const message of messages) {
      const order = { tree, parents: [base, other, base], message, trailers, at };
      const first = await writeCommit(testGit({ environment }), repository, order);
      expect(await writeCommit(staying, repository, order)).toBe(first);
    }
    expect(shell(root, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  test('is made also where there is no temporary folder', async () => {
    const { git, repository, root, base } = playground();
    const tree = shell(root, 'rev-parse', 'HEAD^{tree}');
    const order = { tree, parents: [base], message: 'first', trailers, at };
    await writeCommit(git, repository, order);
    vi.stubEnv('TMPDIR', join(root, 'gone'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const made = await writeCommit(git, repository, { ...order, message: 'second' });
    expect(shell(root, 'log', '-1', '--format=%s', made)).toBe('second');
  });

  test('of what is not there is refused, also if it is not the first', async () => {
    const { git, repository, base } = playground();
    const nothing = 'f'.repeat(40);
    const order = { tree: `${base}^{tree}`, parents: [], message: 'first', trailers, at };
    await writeCommit(git, repository, order);
    const refused = { code: 'GIT_FAILED' };
    const missing = [{ tree: nothing }, { parents: [nothing] }, { tree: base }, { message: 'a\0b' }];
    for (const more of missing)
      await expect(writeCommit(git, repository, { ...order, ...more })).rejects.toMatchObject(refused);
  });
});

describe('what a commit contains', () => {
  test('is what git says, where history was cut off', async () => {
    const { git, repository, root, base } = playground();
    const holders = [commit(root, { 'a.txt': 'a' })];
    expect(await areContained(git, repository, { commits: [base], holders })).toBe(true);
    write(repository.commonDir, { shallow: `${holders[0]}\n` });
    expect(await areContained(git, repository, { commits: [base], holders })).toBe(false);
  });
});
