import type { Git } from './git.ts';
import { archiveTime } from './names.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

export interface ListedArchive {
  readonly ref: string;
  readonly commit: string;
  readonly run: string;
  readonly task: string;
  /** The token of the place that it was made of. */
  readonly attempt: string;
  readonly at: number;
}

const format = '%(refname)%01%(objectname)%01%(contents:trailers:only,unfold)%02';

/** The archives below a prefix, oldest first. */
export async function listArchived(
  git: Git,
  repository: RepositoryPlace,
  prefix = 'refs/piton/archive/',
): Promise<readonly ListedArchive[]> {
  const args = ['for-each-ref', `--format=${format}`, prefix];
  const { stdout } = await git.run(args, inRepository(repository));
  const records = stdout.split('\u0002').filter((record) => record.trim() !== '');
  return records.map((record) => readArchive(record.trim())).sort((a, b) => a.at - b.at);
}

function readArchive(record: string): ListedArchive {
  const [ref = '', commit = '', trailers = ''] = record.split('\u0001');
  const valueOf = (name: string): string =>
    new RegExp(`^Piton-${name}: (.*)$`, 'm').exec(trailers)?.[1]?.trim() ?? '';
  return {
    ref,
    commit,
    run: valueOf('Run'),
    task: valueOf('Task'),
    attempt: valueOf('Attempt'),
    at: archiveTime(ref),
  };
}
