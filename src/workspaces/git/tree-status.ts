import type { Git } from './git.ts';
import { isPresent } from './temporary-index.ts';
import { ownIndexTree } from './own-index.ts';
import { inWorktree, splitAtZeros, type WorktreePlace } from './places.ts';

export interface TreeStatus {
  readonly head: string | undefined;
  /** Its short name; undefined: detached. */
  readonly branch: string | undefined;
  /** Changed, staged and untracked files. */
  readonly changes: readonly string[];
  /** If asked for: a folder that is ignored as a whole ends with a slash. */
  readonly ignored: readonly string[];
}

const asked = [
  'status',
  '--porcelain=v2',
  '--branch',
  '-z',
  '--untracked-files=all',
  // Not what is inside of submodules: git would look there under their own configuration.
  '--ignore-submodules=dirty',
  '--no-renames',
];

/** Where HEAD is, and what differs from it. */
export async function readStatus(
  git: Git,
  place: WorktreePlace,
  { withIgnored = false }: { readonly withIgnored?: boolean } = {},
): Promise<TreeStatus> {
  const args = withIgnored ? [...asked, '--ignored=matching'] : asked;
  const lines = splitAtZeros((await git.run(args, inWorktree(place))).stdout);
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [head, branch] = [header('oid'), header('head')];
  const paths = lines.filter((line) => !line.startsWith('# '));
  return {
    head: head === '(initial)' ? undefined : head,
    branch: branch === '(detached)' ? undefined : branch,
    changes: paths.filter((line) => !line.startsWith('! ')).map((line) => pathOf(line)),
    ignored: paths.filter((line) => line.startsWith('! ')).map((line) => pathOf(line)),
  };
}

/** The fields before the path: as many as the kind of the line has. */
const fields: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1, '!': 1 };

function pathOf(line: string): string {
  return line
    .split(' ')
    .slice(fields[line[0]!] ?? 1)
    .join(' ');
}

/** Files whose changes git was told not to see, and that are there. */
export async function findHidden(git: Git, place: WorktreePlace): Promise<readonly string[]> {
  if ((await ownIndexTree(git, place)) !== undefined) return [];
  const { bytes } = await git.run(['ls-files', '-v', '-z'], inWorktree(place));
  const lines = bytes.toString('latin1').split('\0');
  const marked = lines.filter((line) => /^([a-z]|S) /.test(line)).map((line) => line.slice(2));
  const isThere = await Promise.all(marked.map((path) => isPresent(place, path)));
  return marked.filter((_, index) => isThere[index]);
}
