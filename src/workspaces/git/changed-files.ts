import type { Git } from './git.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

/** One file in which two commits differ: its path from the top of the repository. */
export interface ChangedFile {
  readonly path: string;
  readonly kind: 'added' | 'deleted' | 'changed';
  /** In the second one; all zeros if it is not there. */
  readonly mode: string;
  readonly object: string;
  readonly isSubmodule: boolean;
}

const submodule = '160000';
const kinds = { A: 'added', D: 'deleted' } as const;

export async function changedFiles(
  git: Git,
  repository: RepositoryPlace,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly ChangedFile[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to];
  const { stdout } = await git.run(args, inRepository(repository));
  const parts = splitAtZeros(stdout);
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [, before, mode = '', , object = '', letter = ''] =
      /^:(\d+) (\d+) (\S+) (\S+) (\w)/.exec(parts[index]!) ?? [];
    files.push({
      path: parts[index + 1]!,
      kind: kinds[letter as 'A' | 'D'] ?? 'changed',
      mode,
      object,
      isSubmodule: before === submodule || mode === submodule,
    });
  }
  return files;
}
