import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { inRepository, inWorktree, realPlace, splitAtZeros, type WorktreePlace } from './places.ts';
import { readLink } from './worktree-list.ts';

export type Repository = { readonly type: 'none' } | GitRepository;

export interface GitRepository {
  readonly type: 'git';
  /** The top of the working tree; of a bare repository, the repository itself. */
  readonly root: string;
  /** From the top to the folder that was asked about: '' or 'packages/api'. */
  readonly subfolder: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** undefined: nothing has been committed yet. */
  readonly head: string | undefined;
  /** The full name; undefined: detached. */
  readonly branch: string | undefined;
  readonly isBare: boolean;
  readonly isCaseInsensitive: boolean;
  /** How many files are changed or untracked. */
  readonly uncommitted: number;
}

/** What kind of repository a folder is in. Only reads. */
export async function inspectRepository(git: Git, folder: string): Promise<Repository> {
  const layout = await locateRepository(git, folder);
  if (layout === undefined) return { type: 'none' };
  const { isBare } = layout;
  const place = placeOf(layout);
  const setting = isBare ? inRepository(place) : inWorktree(place);
  return Object.freeze({
    type: 'git',
    ...layout,
    head: await git.ask(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], setting),
    branch: await git.ask(['symbolic-ref', '--quiet', 'HEAD'], setting),
    isCaseInsensitive:
      (await git.ask(['config', '--type=bool', '--get', 'core.ignoreCase'], setting)) === 'true',
    uncommitted: isBare ? 0 : await countUncommitted(git, place),
  });
}

function placeOf({ root: path, gitDir, commonDir }: Location): WorktreePlace {
  return { path, gitDir, commonDir };
}

/** Where a repository is, and where in it a folder is. */
export type Location = Pick<GitRepository, 'root' | 'subfolder' | 'gitDir' | 'commonDir' | 'isBare'>;

const questions = [
  '--is-bare-repository',
  '--is-inside-work-tree',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-cdup',
  '--show-prefix',
];

/** undefined: in none. */
export async function locateRepository(git: Git, folder: string): Promise<Location | undefined> {
  await assertFolder(folder);
  const cwd = await realPlace(folder);
  const answer = await unlessNoRepository(git.run(['rev-parse', ...questions], { cwd }));
  if (answer === undefined) return undefined;
  const [isBare, isInside, own = '', common = '', up = '', prefix = ''] = answer.stdout.split('\n');
  const commonDir = await realPlace(resolve(cwd, common));
  const gitDir = await realPlace(own);
  if (isBare === 'true') return { gitDir, commonDir, root: commonDir, subfolder: '', isBare: true };
  const inside = { root: resolve(cwd, up), subfolder: prefix.replace(/\/$/, '') };
  const found = isInside === 'true' ? inside : await findTree(git, dirname(gitDir));
  await assertCheckout(found.root, gitDir);
  return { gitDir, commonDir, ...found, isBare: false };
}

/** The configuration of a repository may say that its files are somewhere else, and whoever has worked in it may have written it. */
async function assertCheckout(root: string, gitDir: string): Promise<void> {
  const link = await readLink(root);
  const own = link.type === 'linked' ? link.gitDir : await realPlace(join(root, '.git'));
  if (own === gitDir) return;
  throw new PitonError(
    'GIT_FAILED',
    `${gitDir} says that its files are in ${root}, which is not its checkout.`,
    {
      reason: 'other',
      root,
      gitDir,
      remedy: 'If nobody wanted that: git config --unset core.worktree.',
    },
  );
}

async function findTree(git: Git, cwd: string): Promise<Pick<Location, 'root' | 'subfolder'>> {
  const { stdout } = await git.run(['rev-parse', '--show-toplevel', '--show-prefix'], { cwd });
  const [root = '', prefix = ''] = stdout.split('\n');
  return { root, subfolder: prefix.replace(/\/$/, '') };
}

async function assertFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new PitonError('FOLDER_MISSING', `${folder} is not a folder.`, {
    folder,
    remedy: 'If it was moved, bring it back to where it was; then try again.',
  });
}

/** Only "there is none" is an answer; a repository that git will not open for another reason must not pass for none. */
async function unlessNoRepository<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (gitFailureReason(error) === 'not-a-repository') return undefined;
    throw error;
  }
}

/** Of the files in a checkout, those that are changed or untracked. */
export async function countUncommitted(git: Git, place: WorktreePlace): Promise<number> {
  const status = [
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=dirty',
  ];
  // Workflows and settings are read where they are, not from a worktree.
  const paths = ['--', '.', ':(exclude,glob)**/.piton/**'];
  return splitAtZeros((await git.run([...status, ...paths], inWorktree(place))).stdout).length;
}
