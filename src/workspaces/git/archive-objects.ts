import { bundlesName, manifestName, manifestText, type ArchiveManifest } from './archive-manifest.ts';
import type { Git } from './git.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

/** The file as it is, without any filter. */
export async function writeBlob(git: Git, repository: RepositoryPlace, file: string): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--', file];
  const { stdout } = await git.run(args, { ...inRepository(repository), effect: 'blob-written' });
  return stdout.trim();
}

/** The tree of an archive's own commit: its manifest, and the bundles beside it. */
export async function writeListing(
  git: Git,
  repository: RepositoryPlace,
  content: { readonly manifest: ArchiveManifest; readonly bundles: ReadonlyMap<string, string> },
): Promise<string> {
  const options = { ...inRepository(repository), input: manifestText(content.manifest) };
  const { stdout } = await git.run(['hash-object', '-w', '--stdin'], options);
  const lines = [`100644 blob ${stdout.trim()}\t${manifestName}`];
  if (content.bundles.size > 0) {
    const bundles = [...content.bundles].map(([name, blob]) => `100644 blob ${blob}\t${name}`);
    lines.push(`040000 tree ${await writeFolder(git, repository, bundles)}\t${bundlesName}`);
  }
  return writeFolder(git, repository, lines);
}

async function writeFolder(git: Git, repository: RepositoryPlace, lines: readonly string[]): Promise<string> {
  const options = { ...inRepository(repository), input: `${lines.join('\n')}\n` };
  return (await git.run(['mktree'], options)).stdout.trim();
}
