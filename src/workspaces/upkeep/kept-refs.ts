import {
  encodeName,
  inRepository,
  placeName,
  readKeptName,
  type Git,
  type KeptName,
  type RepositoryPlace,
} from '../git/index.ts';
import type { KeptRef, RecordedTasks } from '../upkeep-contract.ts';

/** All that is kept beside archives, except what a place that stands, or the branch it belongs to, explains. */
export async function findKeptRefs(
  git: Git,
  repository: RepositoryPlace,
  recorded: RecordedTasks,
): Promise<readonly KeptRef[]> {
  const refs = await listDated(git, repository);
  const found = refs.flatMap(({ ref }) => {
    const name = readKeptName(ref);
    return name === undefined ? [] : [{ ref, ...name }];
  });
  if (found.length === 0) return [];
  const explained = explainedBy(recorded, found);
  const latest = latestOf(refs);
  const nameOf = namesIn(recorded);
  return found
    .filter((one) => !explained(one))
    .map(({ ref, what, ...name }) => ({ ref, what, at: latest.get(name.run) ?? 0, ...nameOf(name) }));
}

interface DatedRef {
  readonly ref: string;
  readonly at: number;
}

async function listDated(git: Git, repository: RepositoryPlace): Promise<readonly DatedRef[]> {
  // What an agent has deleted may have been a tag, which has a date as well.
  const args = ['for-each-ref', '--format=%(refname) %(creatordate:unix)'];
  const { stdout } = await git.run([...args, ...ours], inRepository(repository));
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [ref = '', seconds = ''] = line.split(' ');
    return { ref, at: Number(seconds) * 1000 };
  });
}

const ours = ['refs/piton/', 'refs/heads/piton/', 'refs/heads/piton-tasks/'];

/** When each run was last at work. A commit that an agent left behind may be older by years: it can be anybody's. */
function latestOf(refs: readonly DatedRef[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { ref, at } of refs) {
    const run = /^refs\/(?:heads\/piton|heads\/piton-tasks|piton\/runs|piton)\/([^/]+)/.exec(ref)?.[1] ?? '';
    latest.set(run, Math.max(latest.get(run) ?? 0, at));
  }
  return latest;
}

type Found = KeptName & { readonly ref: string };

function explainedBy({ runs, places }: RecordedTasks, found: readonly Found[]): (one: Found) => boolean {
  const known = new Set(runs.map(encodeName));
  const branches = new Set(found.filter(({ what }) => what === 'branch').map(({ run }) => run));
  const standing = new Set(places.map(({ branch }) => branch?.replace('refs/heads/piton-tasks/', '')));
  return ({ what, run, task }) => {
    if (what === 'tip') return branches.has(run);
    if (what === 'saved') return standing.has(`${run}/${task}`);
    // Of a run that nobody knows it is a stray.
    return what === 'branch' && !known.has(run);
  };
}

/** From the names in refs back to those that people know. */
function namesIn({
  runs,
  tasks,
}: RecordedTasks): (name: Omit<KeptName, 'what'>) => Pick<KeptRef, 'run' | 'task'> {
  const runsByName = new Map(runs.map((run) => [encodeName(run), run]));
  const tasksByName = new Map<string, string>();
  for (const { run, task, generation: last } of tasks)
    for (let generation = 0; generation <= last; generation++)
      tasksByName.set(`${encodeName(run)}/${encodeName(placeName({ task, generation }))}`, task);
  return ({ run, task }) => ({
    run: runsByName.get(run) ?? run,
    ...(task !== undefined && { task: tasksByName.get(`${run}/${task}`) ?? task }),
  });
}
