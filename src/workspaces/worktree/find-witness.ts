import type { Witness } from '../contract.ts';
import { readObjects, runBranch, runTipRef, type Git, type RepositoryPlace } from '../git/index.ts';

/**
 * What the last commit that was brought in tells of the journal. It may be more than the journal has: that of a store which was
 * restored from a backup.
 */
export async function findWitness(
  git: Git,
  repository: RepositoryPlace,
  run: string,
): Promise<Witness | undefined> {
  const ref = runTipRef(run);
  const [tip] = await readObjects(git, repository, [ref]);
  const trailers = tip?.content.toString('utf8').trimEnd().split('\n\n').at(-1)?.split('\n') ?? [];
  // Where nothing was brought in yet, it is a commit of the user's, perhaps with what another run has made.
  if (!trailers.includes(`Piton-Run: ${run}`)) return undefined;
  const [, seq] =
    trailers.map((line) => /^Piton-Seq: (\d+)$/.exec(line)).find((found) => found !== null) ?? [];
  return seq === undefined
    ? undefined
    : { seq: Number(seq), branch: runBranch(run).replace('refs/heads/', ''), ref };
}
