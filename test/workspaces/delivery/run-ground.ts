/** A user's checkout beside the branch of a run that has ended, for what hands it over. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryOrigin, RunAccount, RunMerge } from '../../../src/workspaces/index.ts';
import { runBranch } from '../../../src/workspaces/git/index.ts';
import { commit, playground, shell, testGit, type Playground } from '../../support/git-playground.ts';
import { plainEnvironment } from '../../support/git-orders.ts';

export const account: RunAccount = {
  run: 'r1',
  workflow: 'ship',
  tasks: [
    { task: 'plan', status: 'succeeded', text: { summary: 'Planned.' }, hasChanged: false },
    {
      task: 'build[ui]',
      status: 'succeeded',
      text: { summary: 'Built the interface.' },
      hasChanged: true,
      check: 'npm test',
    },
  ],
  usage: '$0.12',
};

export const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

export interface RunGround extends Playground {
  readonly repository: RepositoryOrigin;
  /** What the branch of the run is at. */
  readonly tip: string;
  merging(more?: Partial<RunMerge>): RunMerge;
}

/** The run changes `src/a.txt`, deletes `src/b.txt` and adds `new.txt`, unless told otherwise. */
export function runGround(files: Readonly<Record<string, string>> = {}): RunGround {
  const ground = playground();
  const tip = commitToRun(ground, files, (folder) => rmSync(join(folder, 'src/b.txt')));
  const { root, base } = ground;
  const repository = { ...ground.repository, root, base, prefix: '' };
  return {
    ...ground,
    git: testGit({ environment: plainEnvironment(identity) }),
    repository,
    tip,
    merging: (more = {}) => ({ repository, account, strategy: 'auto', isDryRun: false, ...more }),
  };
}

/** In a worktree of its own, as Piton does it. */
export function commitToRun(
  { root, folder }: Pick<Playground, 'root' | 'folder'>,
  files: Readonly<Record<string, string>>,
  also: (folder: string) => void = () => {},
): string {
  const branch = runBranch(account.run).replace('refs/heads/', '');
  const place = join(folder, 'run');
  const isThere = shell(root, 'branch', '--list', branch) !== '';
  shell(
    root,
    'worktree',
    'add',
    '--quiet',
    ...(isThere ? [] : ['-b', branch]),
    place,
    isThere ? branch : 'HEAD',
  );
  also(place);
  const tip = commit(place, { 'src/a.txt': 'one\nTWO\nthree\n', 'new.txt': 'new\n', ...files }, 'by the run');
  shell(root, 'worktree', 'remove', '--force', place);
  return tip;
}
