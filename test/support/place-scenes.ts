/** Workflows in worktrees that have all that can happen to one, in an order that does not depend on who is faster. */
import { played } from './scripted-place.ts';
import { makeUserRepository, writeWorkflow } from './user-repository.ts';

/** Shell text that waits until the run's branch has a file. */
const untilMerged = (folder: string, file: string): string =>
  `timeout 60 sh -c 'until git -C "${folder}" cat-file -e piton/run:${file} 2>/dev/null; do sleep 0.1; done'`;

/** Shell text that leaves a line wherever a task worked, so that how often can be counted. */
const counted = (folder: string): string => `echo "$PITON_TASK" >> "${folder}/.piton/ledger"`;

/** Two agents with a setup and a check, of which the second has to be checked again; and a third whose work does not fit. */
export function makeMergeScene(folder: string): void {
  makeUserRepository(folder);
  const care = {
    setup: { copy: '.env', run: 'mkdir -p dist && cp .env dist/ready' },
    check: 'test -e dist/ready && ls *.part',
  };
  const own =
    'echo left > left.part; echo left >> a.txt; git add -A; git commit -qm own; echo more >> left.part';
  const after = (file: string): string => untilMerged(folder, file);
  const tasks = {
    left: played([[{ run: `${counted(folder)}; ${own}` }, { answer: 'l' }]], care),
    right: played(
      [[{ run: `${counted(folder)}; echo right > right.part; ${after('left.part')}` }, { answer: 'r' }]],
      care,
    ),
    clash: { run: `${counted(folder)}; echo clash >> a.txt; ${after('right.part')}` },
  };
  writeWorkflow(folder, { workspace: 'worktree', tasks });
}

/** Items that take one place in turn, and each leaves a commit and a file that only an archive keeps. */
export function makePoolScene(folder: string): void {
  makeUserRepository(folder);
  const lost =
    'echo draft of ${{ item }} > draft.txt; git add -A; git commit -qm draft; git reset -q --hard HEAD~1';
  const each = {
    'for-each': { in: ['x', 'y', 'z'] },
    pool: 1,
    setup: 'mkdir -p dist',
    run: `${counted(folder)}; ${lost}; echo \${{ item }} > \${{ item }}.txt; echo \${{ item }} >> dist/all`,
    artifacts: 'dist/all',
  };
  const last = {
    needs: 'each',
    run: `${counted(folder)}; cat dist/all > last.txt; echo kept > dist/kept`,
  };
  writeWorkflow(folder, { workspace: 'worktree', tasks: { each, last } });
}
