import type { Git } from './git.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

/** The trailer by which a later call sees that a branch was brought in, even if it was squashed. */
export const deliveredTrailer = 'Piton-Delivered';

/** The commit that says it has brought in what `tip` holds. `among`: where it is looked for, in words of `git log`. */
export async function findDelivering(
  git: Git,
  repository: RepositoryPlace,
  { tip, among }: { readonly tip: string; readonly among: readonly string[] },
): Promise<string | undefined> {
  const found = await findDeliveries(git, repository, { grep: `${deliveredTrailer}: ${tip}`, among });
  return found.find(({ tips }) => tips.includes(tip))?.commit;
}

/** What commits say they have brought in, those of branches moved on since included; the newest first. */
export async function listDelivered(
  git: Git,
  repository: RepositoryPlace,
  among: readonly string[],
): Promise<readonly string[]> {
  const found = await findDeliveries(git, repository, { grep: `${deliveredTrailer}: `, among });
  return found.flatMap(({ tips }) => tips);
}

interface DeliveringCommit {
  readonly commit: string;
  readonly tips: readonly string[];
}

async function findDeliveries(
  git: Git,
  repository: RepositoryPlace,
  { grep, among }: { readonly grep: string; readonly among: readonly string[] },
): Promise<readonly DeliveringCommit[]> {
  const format = `--format=%H%n%(trailers:key=${deliveredTrailer},valueonly,only)%x00`;
  const search = ['log', '-z', '--fixed-strings', `--grep=${grep}`, format, ...among, '--'];
  const { stdout } = await git.run(search, inRepository(repository));
  return splitAtZeros(stdout).map((text) => {
    const [commit = '', ...tips] = text.trim().split('\n');
    return { commit, tips: tips.map((tip) => tip.trim()) };
  });
}
