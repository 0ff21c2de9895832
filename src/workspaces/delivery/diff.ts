import {
  findWorktree,
  inRepository,
  readRef,
  runBranch,
  splitAtZeros,
  usualFiles,
  writeTree,
  type Git,
} from '../git/index.ts';
import type { Diff, DiffFile, DiffForm, DiffOrder } from '../delivery-contract.ts';
import { branchMissing } from './refusals.ts';

/** What differs between a commit and what a run or a task has made. */
export async function diffOf(git: Git, order: DiffOrder): Promise<Diff> {
  const { repository, from, form } = order;
  const to = await sideOf(git, order);
  const place = inRepository(repository);
  const plain = ['diff', '--no-ext-diff', from, to];
  const numbers = await git.run([...plain, '--numstat', '-z', '--no-renames', '--'], place);
  const shown = [...plain, ...argumentsFor(form, order.columns), await colour(git, order), '--'];
  const pager = await git.ask(['config', '--get', 'core.pager'], place);
  return {
    from,
    to,
    files: readNumbers(numbers.stdout),
    text: (await git.run(shown, place)).stdout,
    ...(pager !== undefined && { pager }),
  };
}

async function sideOf(git: Git, { repository, to }: DiffOrder): Promise<string> {
  if (to.type === 'commit') return to.commit;
  if (to.type === 'place') return (await treeIn(git, repository, to.path)) ?? to.otherwise;
  const ref = runBranch(to.run);
  const tip = await readRef(git, repository, ref);
  if (tip === undefined) throw branchMissing(to.run, ref.replace('refs/heads/', ''));
  return tip;
}

/** All files there, as they are now: not committed ones and untracked ones too. Its index stays as it is. */
async function treeIn(
  git: Git,
  { commonDir }: DiffOrder['repository'],
  path: string,
): Promise<string | undefined> {
  const found = await findWorktree(git, { commonDir }, path);
  if (found?.gitDir === undefined || found.prunable !== undefined) return undefined;
  const worktree = { path, gitDir: found.gitDir, commonDir };
  return (await writeTree(git, worktree, usualFiles)).tree;
}

function argumentsFor(form: DiffForm, columns: number): string[] {
  if (form === 'stat') return [`--stat=${columns}`, '--summary'];
  return form === 'patch' ? ['--patch'] : ['--name-only'];
}

/** As git would do it on a terminal, or not. */
async function colour(git: Git, { repository, isColoured }: DiffOrder): Promise<string> {
  if (!isColoured) return '--color=never';
  const wish = (key: string): Promise<string | undefined> =>
    git.ask(['config', '--get', key], inRepository(repository));
  const wanted = (await wish('color.diff')) ?? (await wish('color.ui')) ?? 'auto';
  return /^(never|false|no|off|0)$/i.test(wanted) ? '--color=never' : '--color=always';
}

function readNumbers(text: string): DiffFile[] {
  return splitAtZeros(text).map((line) => {
    const [added, removed, ...path] = line.split('\t');
    const isBinary = added === '-';
    return {
      path: path.join('\t'),
      ...(!isBinary && { added: Number(added), removed: Number(removed) }),
    };
  });
}
