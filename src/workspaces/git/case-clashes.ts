import type { Git } from './git.ts';
import type { ConflictFile, ConflictSide } from './merge-output.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

/** Files that the merge would add although ours has one whose name differs only in case. */
export async function findCaseClashes(
  git: Git,
  { repository, ours }: { readonly repository: RepositoryPlace; readonly ours: string },
  tree: string,
): Promise<readonly ConflictFile[]> {
  const setting = inRepository(repository);
  const added = await git.run(
    ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', ours, tree],
    setting,
  );
  const names = new Set(splitAtZeros(added.stdout));
  if (names.size === 0) return [];
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree], setting);
  const files = splitAtZeros(stdout).map((line) => readLine(line));
  const twins = Map.groupBy(files, ({ path }) => folded(path));
  return files
    .filter(({ path }) => names.has(path) && twins.get(folded(path))!.length > 1)
    .map(({ path, side }) => {
      const other = twins.get(folded(path))!.find((file) => file.path !== path)!;
      return Object.freeze({ path, ours: other.side, theirs: side, kind: 'case' });
    });
}

function readLine(line: string): { path: string; side: ConflictSide } {
  const [, mode = '', object = '', path = ''] = /^(\d+) \S+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
  return { path, side: { mode, object } };
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
