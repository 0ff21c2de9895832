import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { realPlace, splitAtZeros } from './places.ts';

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
  /** The folder belongs to a worktree beside the main one. */
  readonly isLinkedWorktree: boolean;
  /** The repository that this one is a submodule of. */
  readonly superproject: string | undefined;
  readonly hasSubmodules: boolean;
  readonly usesLfs: boolean;
  readonly isSparse: boolean;
  readonly isShallow: boolean;
  readonly isCaseInsensitive: boolean;
  readonly version: string;
  /** How many files are changed or untracked. */
  readonly uncommitted: number;
}

/** What kind of repository a folder is in. Only reads. */
export async function inspectRepository(git: Git, folder: string): Promise<Repository> {
  const layout = await findLayout(git, folder);
  if (layout === undefined) return { type: 'none' };
  const head = await git.ask(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { cwd: layout.root });
  const repository = {
    type: 'git' as const,
    ...layout,
    head,
    branch: await git.ask(['symbolic-ref', '--quiet', 'HEAD'], { cwd: layout.root }),
    hasSubmodules: head !== undefined && (await hasPath(git, layout.root, '.gitmodules')),
    usesLfs: head !== undefined && (await usesLfs(git, layout.root)),
    isSparse: await isSet(git, layout.root, 'core.sparseCheckout'),
    isCaseInsensitive: await isSet(git, layout.root, 'core.ignoreCase'),
    version: (await git.version()).text,
    uncommitted: layout.isBare ? 0 : await countUncommitted(git, layout.root),
  };
  return Object.freeze(repository);
}

type Layout = Pick<
  GitRepository,
  'root' | 'subfolder' | 'gitDir' | 'commonDir' | 'isBare' | 'isShallow' | 'isLinkedWorktree' | 'superproject'
>;

async function findLayout(git: Git, folder: string): Promise<Layout | undefined> {
  await assertFolder(folder);
  const cwd = await realPlace(folder);
  const questions = [
    '--is-bare-repository',
    '--is-inside-work-tree',
    '--is-shallow-repository',
    '--absolute-git-dir',
    '--git-common-dir',
  ];
  const answer = await unlessNoRepository(git.run(['rev-parse', ...questions], { cwd }));
  if (answer === undefined) return undefined;
  const [isBare, isInside, isShallow, gitDir = '', common = ''] = answer.stdout.split('\n');
  const commonDir = await realPlace(resolve(cwd, common));
  const shared = { isShallow: isShallow === 'true', gitDir: await realPlace(gitDir), commonDir };
  const isLinkedWorktree = shared.gitDir !== commonDir;
  if (isBare === 'true') {
    return {
      ...shared,
      root: commonDir,
      subfolder: '',
      isBare: true,
      isLinkedWorktree,
      superproject: undefined,
    };
  }
  const tree = await findTree(git, isInside === 'true' ? cwd : dirname(shared.gitDir));
  return { ...shared, ...tree, isBare: false, isLinkedWorktree };
}

async function findTree(git: Git, cwd: string): Promise<Pick<Layout, 'root' | 'subfolder' | 'superproject'>> {
  const questions = ['--show-toplevel', '--show-prefix', '--show-superproject-working-tree'];
  const { stdout } = await git.run(['rev-parse', ...questions], { cwd });
  const [root = '', prefix = '', superproject = ''] = stdout.split('\n');
  return {
    root,
    subfolder: prefix.replace(/\/$/, ''),
    superproject: superproject === '' ? undefined : superproject,
  };
}

async function assertFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new PitonError('FOLDER_MISSING', `${folder} is not a folder.`, { folder });
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

async function hasPath(git: Git, cwd: string, path: string): Promise<boolean> {
  const { stdout } = await git.run(['ls-tree', '--full-tree', 'HEAD', '--', path], { cwd });
  return stdout !== '';
}

async function usesLfs(git: Git, cwd: string): Promise<boolean> {
  const attributes = [':(top,glob).gitattributes', ':(top,glob)**/.gitattributes'];
  const args = [
    'grep',
    '--quiet',
    '-E',
    '(^|[[:space:]])filter=lfs([[:space:]]|$)',
    'HEAD',
    '--',
    ...attributes,
  ];
  return (await git.ask(args, { cwd })) !== undefined;
}

async function isSet(git: Git, cwd: string, setting: string): Promise<boolean> {
  return (await git.ask(['config', '--type=bool', '--get', setting], { cwd })) === 'true';
}

async function countUncommitted(git: Git, cwd: string): Promise<number> {
  const status = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'];
  // Workflows and settings are read where they are, not from a worktree.
  const paths = ['--', '.', ':(exclude,glob)**/.piton/**'];
  return splitAtZeros((await git.run([...status, ...paths], { cwd })).stdout).length;
}
