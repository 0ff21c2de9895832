import { hasControls, visibleText } from '../../base/index.ts';
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
  const shown = [...plain, ...argumentsFor(form, order.columns)];
  const pager = await git.ask(['config', '--get', 'core.pager'], place);
  return {
    from,
    to,
    files: readNumbers(numbers.stdout),
    text: await textOf(git, order, shown),
    ...(pager !== undefined && { pager }),
  };
}

/**
 * In colours it is for people, on a terminal: what a task has written must neither talk to that nor hide a line from them. It could
 * not be told from the colours of git, so it is shown without any.
 */
async function textOf(git: Git, order: DiffOrder, args: readonly string[]): Promise<string> {
  const show = async (colours: string): Promise<string> =>
    (await git.run([...args, colours, '--'], inRepository(order.repository))).stdout;
  const plain = await show('--color=never');
  if (!order.isColoured) return plain;
  if (hasControls(plain)) return visibleText(plain);
  return (await isColourWanted(git, order)) ? show('--color=always') : plain;
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

/** As git would do it on a terminal. */
async function isColourWanted(git: Git, { repository }: DiffOrder): Promise<boolean> {
  const wish = (key: string): Promise<string | undefined> =>
    git.ask(['config', '--get', key], inRepository(repository));
  const wanted = (await wish('color.diff')) ?? (await wish('color.ui')) ?? 'auto';
  return !/^(never|false|no|off|0)$/i.test(wanted);
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
