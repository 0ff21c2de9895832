/** What runs have left in a repository, by content: times and random names differ from one time to the next. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fsck, userState } from './git-playground.ts';
import { namesBelow } from './local-places.ts';
import { git, gitLines } from './user-repository.ts';

/** All that must be the same, wherever a driver was killed. */
export function remainsOf(folder: string): object {
  return {
    user: userState(folder),
    work: workIn(folder),
    refs: refsOf(folder).sort(),
    worktrees: gitLines(folder, 'worktree', 'list').length,
    folders: namesBelow(join(folder, '.piton/worktrees'), 3),
    lost: lostIn(folder),
    fsck: fsck(folder),
    ledger: ledgerOf(folder).sort(),
  };
}

/**
 * All commits of the branch. Of a conflict as it was laid out not the files, since its marks name commits; of a subject not the
 * command, since it names the folder of the test.
 */
function workIn(folder: string): string[] {
  const commits = gitLines(folder, 'log', '--topo-order', '--format=%T %s', 'piton/run');
  return commits
    .map((line) => line.replace(/: .*/, ''))
    .map((line) => (line.includes(' Conflict of ') ? line.slice(41) : line));
}

/** A line for each time that a task began to work. */
export function ledgerOf(folder: string): string[] {
  const file = join(folder, '.piton/ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

function refsOf(folder: string): string[] {
  return gitLines(folder, 'for-each-ref', '--format=%(refname)').map((ref) => {
    if (!ref.startsWith('refs/piton/archive/')) return ref;
    const { files, commits } = JSON.parse(git(folder, 'cat-file', '-p', `${ref}:manifest.json`)) as Manifest;
    const trees = [files, ...commits].map((commit) => git(folder, 'rev-parse', `${commit}^{tree}`));
    return [ref.replace(/[^/]+$/, ''), ...new Set(trees.sort())].join(' ');
  });
}

interface Manifest {
  readonly files: string;
  readonly commits: readonly string[];
}

/** Contents of files in commits that no ref leads to any more, if no other commit has them. What an archive says of itself does not count. */
export function lostIn(folder: string): string[] {
  const commits = gitLines(folder, 'fsck', '--unreachable', '--no-reflogs', '--no-progress').flatMap(
    (line) => (line.startsWith('unreachable commit ') ? [line.split(' ')[2]!] : []),
  );
  const kept = new Set(gitLines(folder, 'rev-list', '--objects', '--no-object-names', '--all'));
  const held = commits.flatMap((commit) =>
    gitLines(folder, 'ls-tree', '-r', '--format=%(objectname) %(path)', commit),
  );
  return [...new Set(held)]
    .filter((line) => !line.endsWith(' manifest.json') && !kept.has(line.split(' ')[0]!))
    .sort();
}
