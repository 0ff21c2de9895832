import { isInside } from '../../base/index.ts';
/** Repositories of submodules: where the user has them, and how commits that were made in a worktree get there. */
import { readdir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findEntry, namesIn } from '../files.ts';
import type { Git, GitRun } from './git.ts';
import { moduleRef } from './names.ts';
import { findModule } from './nested-repositories.ts';
import { asBytes, quoted } from './plain-folders.ts';
import { inRepository, realPlace, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { moveRef } from './refs.ts';
import { readSmall } from './repository-parts.ts';
import { findSecrets, type SecretFound } from './scan-secrets.ts';
import { readLink } from './worktree-list.ts';

/**
 * The repository of a submodule of the user's checkout, if it lies there or in that of the checkout: whoever writes a `.git` or a
 * link could name any other.
 */
export async function findUserModule(
  { root, commonDir }: RepositoryPlace & { readonly root: string },
  path: string,
): Promise<RepositoryPlace | undefined> {
  const folder = await realFolder(join(await realPlace(root), path));
  const link = folder === undefined ? undefined : await readLink(folder);
  if (link?.type === 'repository') return soundModule(join(folder!, '.git'));
  if (link?.type !== 'linked') return undefined;
  const way = relative(await realPlace(commonDir), link.gitDir);
  return way !== '' && isInside(way) ? soundModule(link.gitDir) : undefined;
}

async function realFolder(folder: string): Promise<string | undefined> {
  return (await realpath(folder).catch(() => undefined)) === folder ? folder : undefined;
}

/** What is written to: none of it may be a link. */
async function soundModule(gitDir: string): Promise<RepositoryPlace | undefined> {
  const parts = ['', 'objects', 'objects/pack', 'refs', 'refs/piton', 'refs/piton/kept'];
  const found = await Promise.all(parts.map((part) => findEntry(join(gitDir, part))));
  const isSound = found.every((entry) => entry === undefined || entry.isDirectory());
  return isSound && found[1] !== undefined ? { commonDir: gitDir } : undefined;
}

/** The same in a worktree: it is only read. */
export async function findWorktreeModule(worktree: WorktreePlace, path: string): Promise<string | undefined> {
  const folder = await realFolder(join(worktree.path, path));
  const link = folder === undefined ? undefined : await readLink(folder);
  if (link?.type === 'linked') return findModule(worktree, path);
  const own = join(worktree.path, path, '.git');
  return link?.type === 'repository' && (await findEntry(own))?.isDirectory() === true ? own : undefined;
}

/** The objects of a repository that somebody else has written, unless they lead to those of another one. */
export async function ownObjects(gitDir: string): Promise<string | undefined> {
  const objects = join(gitDir, 'objects');
  if ((await findEntry(objects))?.isDirectory() !== true) return undefined;
  const entries = await readdir(objects, { withFileTypes: true, recursive: true });
  const isOwn = entries.every((entry) => entry.isFile() || entry.isDirectory());
  return isOwn && (await findEntry(join(objects, 'info/alternates'))) === undefined ? objects : undefined;
}

/** Git's work in a repository that can see the objects of another. Neither its configuration nor its shortcuts count. */
function lent(repository: RepositoryPlace, objects: string): Pick<GitRun, 'cwd' | 'env'> {
  const { cwd, env } = inRepository(repository);
  return { cwd, env: { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(asBytes(objects)) } };
}

const careful = ['core.commitGraph=false', 'core.multiPackIndex=false', 'pack.useBitmaps=false'].flatMap(
  (setting) => ['-c', setting],
);

export async function holdsCommit(
  git: Git,
  repository: RepositoryPlace,
  { commit, objects }: { readonly commit: string; readonly objects?: string },
): Promise<boolean> {
  const place = objects === undefined ? inRepository(repository) : lent(repository, objects);
  const args = [...careful, 'cat-file', '-e', `${commit}^{commit}`];
  return (await git.run(args, { ...place, okCodes: [0, 1, 128] })).code === 0;
}

export interface Bringing {
  /** The user's repository of the submodule. */
  readonly target: RepositoryPlace;
  /** The folder of objects that has the commit. */
  readonly objects: string;
  readonly commit: string;
}

/** Copies the commit and all that it needs. What the objects are called is not believed, but found out anew. No ref keeps them yet. */
export async function bringCommit(git: Git, { target, objects, commit }: Bringing): Promise<void> {
  const place = inRepository(target);
  const known = (await git.run(['for-each-ref', '--format=^%(objectname)'], place)).stdout;
  const pack = await git.run([...careful, 'pack-objects', '--revs', '--stdout', '--quiet'], {
    ...lent(target, objects),
    input: `${commit}\n${known}`,
  });
  const indexing = { ...place, input: pack.bytes, effect: 'module-brought' };
  await git.run(['index-pack', '--stdin', '--fix-thin'], indexing);
}

/** Under a ref of Piton's, unless one of the user's keeps it. Throws GIT_FAILED if not all is there that the commit needs. */
export async function keepInModule(git: Git, target: RepositoryPlace, commit: string): Promise<void> {
  const args = ['rev-list', '--objects', commit, '--not', '--branches', '--tags', '--remotes'];
  const { stdout } = await git.run([...careful, ...args], inRepository(target));
  if (stdout !== '') await moveRef(git, target, { ref: moduleRef(commit), to: commit, from: undefined });
}

/** In what the commit brings that the user's own branches do not have. */
export function secretsInModule(
  git: Git,
  target: RepositoryPlace,
  { commit, secrets }: { readonly commit: string; readonly secrets: Readonly<Record<string, string>> },
): Promise<readonly SecretFound[]> {
  const known = ['HEAD', '--branches', '--tags', '--remotes'] as const;
  return findSecrets(git, { repository: target, tree: `${commit}^{tree}`, head: commit, known, secrets });
}

export interface Foreign {
  /** Of the submodule in a worktree. */
  readonly gitDir: string;
  readonly objects: string;
  readonly commit: string;
}

/** Whether its branches of remote repositories have the commit: then whoever needs it can fetch it. */
export async function isUpstream(
  git: Git,
  repository: RepositoryPlace,
  { gitDir, objects, commit }: Foreign,
): Promise<boolean> {
  const tips = [...(await packedTips(gitDir)), ...(await looseTips(join(gitDir, 'refs/remotes')))];
  if (tips.length === 0) return false;
  const args = [...careful, 'rev-list', '--max-count=1', '--ignore-missing', '--stdin'];
  const input = `${[commit, ...tips.map((tip) => `^${tip}`)].join('\n')}\n`;
  const { stdout, code } = await git.run(args, { ...lent(repository, objects), input, okCodes: [0, 128] });
  return code === 0 && stdout === '';
}

async function packedTips(gitDir: string): Promise<readonly string[]> {
  const lines = (await readSmall(join(gitDir, 'packed-refs'))).matchAll(
    /^([0-9a-f]{40,64}) refs\/remotes\//gm,
  );
  return [...lines].map(([, tip]) => tip!);
}

async function looseTips(folder: string): Promise<readonly string[]> {
  if ((await findEntry(folder))?.isDirectory() !== true) return [];
  const tips: string[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const [tip] = /^[0-9a-f]{40,64}$/m.exec(await readSmall(path)) ?? [];
    tips.push(...(tip === undefined ? await looseTips(path) : [tip]));
  }
  return tips;
}
