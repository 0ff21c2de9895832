import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Git, GitRun } from './git.ts';
import { readObjects } from './objects.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

/**
 * Lends a folder that holds the `.gitattributes` of a commit and nothing else. Git takes attributes from the files around
 * it: in the user's checkout a merge would depend on what the user happens to have there, and in no checkout there are none.
 */
export async function withAttributes<T>(
  git: Git,
  { repository, commit }: { readonly repository: RepositoryPlace; readonly commit: string },
  use: (setting: Pick<GitRun, 'cwd' | 'env'>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'piton-attributes-'));
  try {
    const { env } = inRepository(repository);
    const files = await attributeFiles(git, repository, commit);
    const blobs = await readObjects(git, repository, [...files.values()]);
    for (const [index, path] of [...files.keys()].entries()) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), blobs[index]!.content);
    }
    return await use({ cwd: folder, env: { ...env, GIT_WORK_TREE: folder } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Their paths, and the objects that hold them. */
async function attributeFiles(
  git: Git,
  repository: RepositoryPlace,
  commit: string,
): Promise<ReadonlyMap<string, string>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', commit];
  const { stdout } = await git.run(args, inRepository(repository));
  const lines = splitAtZeros(stdout).filter((line) => /^100\d+ .*[\t/]\.gitattributes$/s.test(line));
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2]!]));
}
