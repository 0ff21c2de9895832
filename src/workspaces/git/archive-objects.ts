import { manifestName, manifestText, nestedName, type ArchiveManifest } from './archive-manifest.ts';
import type { Git } from './git.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

/** The tree of an archive's own commit: its manifest, and what was nested in the worktree beside it. */
export async function writeListing(
  git: Git,
  repository: RepositoryPlace,
  manifest: ArchiveManifest,
): Promise<string> {
  const options = { ...inRepository(repository), input: manifestText(manifest) };
  const { stdout } = await git.run(['hash-object', '-w', '--stdin'], options);
  const lines = [`100644 blob ${stdout.trim()}\t${manifestName}`];
  const trees = manifest.nested.flatMap(({ files, module }) => (module === null ? [files] : [files, module]));
  if (trees.length > 0) {
    const nested = [...new Set(trees)].map((tree) => `040000 tree ${tree}\t${tree}`);
    lines.push(`040000 tree ${await writeFolder(git, repository, nested)}\t${nestedName}`);
  }
  return writeFolder(git, repository, lines);
}

async function writeFolder(git: Git, repository: RepositoryPlace, lines: readonly string[]): Promise<string> {
  const options = { ...inRepository(repository), input: `${lines.join('\n')}\n` };
  return (await git.run(['mktree'], options)).stdout.trim();
}
