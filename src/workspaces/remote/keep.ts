import { effect, PitonError } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import { oneLine, placeName, readRef, savedRef, snapshotRef, trailerLines, type Git } from '../git/index.ts';
import { Answers } from './answers.ts';
import { markOf, thereOf, type RemotePlace } from './layout.ts';
import { addressOf } from './machine.ts';
import { keepPlace } from './place-programs.ts';
import { callMachine, type Line } from './ssh.ts';
import { transfer } from './transfer.ts';

export interface Keeping {
  readonly git: Git;
  readonly line: Line;
  readonly repository: Pick<RepositoryOrigin, 'commonDir'>;
  readonly place: RemotePlace;
  readonly run: string;
  readonly task: string;
  readonly generation: number;
  readonly attempt: string;
  readonly seq: number;
  readonly at: number;
  readonly label: string;
}

/** The files of a place as they were, brought home. */
export interface Kept {
  /** A commit whose parent is HEAD, and whose tree all files that git does not ignore. */
  readonly commit: string;
  readonly head: string;
  readonly tree: string;
  /** The tree of ignored files, if these were wanted; a commit with it is kept here. */
  readonly rest?: string;
  /** What could not be taken: repositories inside of the tree, files that cannot be read. */
  readonly left: readonly string[];
  /** A merge or rebase that is under way there. */
  readonly operation?: string;
  readonly unmerged: readonly string[];
}

export interface IgnoredFiles {
  /** Folders by name that hold nothing but what can be got again. */
  readonly caches: readonly string[];
  /** Hash and path of files that were brought there: as long as they are the same they are not taken. */
  readonly brought: readonly (readonly [string, string])[];
}

/** Makes a commit of all files there, and fetches it. Undefined: the place is gone. Throws `WORKSPACE_DRIFTED`, `REMOTE_FAILED`. */
export async function bringHome(keeping: Keeping, ignored?: IgnoredFiles): Promise<Kept | undefined> {
  const answers = await effect('remote.kept', () => keepThere(keeping, ignored));
  if (answers.has('gone')) return undefined;
  const commit = answers.one('commit');
  if (commit === undefined) throw notOurs(keeping, answers);
  await fetchKept(keeping, { commit, whole: answers.one('whole') });
  const [rest, operation] = [answers.one('rest'), answers.one('operation')];
  return {
    commit,
    head: answers.one('head')!,
    tree: answers.one('tree')!,
    left: answers.all('left'),
    unmerged: answers.all('unmerged'),
    ...(rest !== undefined && { rest }),
    ...(operation !== undefined && { operation: operationNames[operation] ?? operation }),
  };
}

const operationNames: Readonly<Record<string, string>> = {
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
};

/** What is there now, for comparing: nothing is fetched. Undefined: it is gone, or not ours. */
export async function seenThere(
  keeping: Keeping,
  ignored: IgnoredFiles,
): Promise<(Pick<Kept, 'head' | 'tree'> & { readonly rest: string | undefined }) | undefined> {
  const answers = await keepThere(keeping, ignored);
  const [head, tree] = [answers.one('head'), answers.one('tree')];
  return head === undefined || tree === undefined ? undefined : { head, tree, rest: answers.one('rest') };
}

async function keepThere(keeping: Keeping, ignored: IgnoredFiles | undefined): Promise<Answers> {
  const { git, line, place, at } = keeping;
  const previous = (await readRef(git, keeping.repository, homeRef(keeping))) ?? '';
  const { repository } = thereOf(place);
  const date = `@${Math.floor(at / 1000)} +0000`;
  const rest = ignored === undefined ? [] : ignoredArguments(ignored);
  const own = [repository, place.path, markOf(place), previous, messageOf(keeping), date];
  const args = [...own, ignored === undefined ? '' : 'all', ...rest];
  return new Answers(await callMachine(line, { program: keepPlace, args }));
}

function ignoredArguments({ caches, brought }: IgnoredFiles): string[] {
  return [...caches.map((name) => `:(exclude,glob)**/${name}/**`), '--', ...brought.flat()];
}

function messageOf(keeping: Keeping): string {
  return `Snapshot: ${oneLine(keeping.label)}\n\n${trailerLines(keeping)}`;
}

type Named = Pick<Keeping, 'run' | 'task' | 'generation' | 'place'>;

/** The ref here that keeps what was last brought home: the same that keeps what is saved of a worktree here. */
function homeRef({ place }: Pick<Named, 'place'>): string {
  return savedRef(place.branch);
}

const numbers = { whole: 0, same: 1, coming: 2 } as const;

/** Refs here of this one place: of all that was in it; of what was last the same in both; of what is just being laid out here. */
export function ownRef(named: Named, what: keyof typeof numbers): string {
  const { run, place } = named;
  return snapshotRef({ run, task: placeName(named), attempt: place.token, number: numbers[what] });
}

async function fetchKept(
  keeping: Keeping,
  { commit, whole }: { readonly commit: string; readonly whole: string | undefined },
): Promise<void> {
  const { git, line, repository, place } = keeping;
  const mark = markOf(place);
  const wanted = [
    { there: `refs/piton/saved/${mark}`, here: homeRef(keeping), commit },
    ...(whole === undefined
      ? []
      : [{ there: `refs/piton/whole/${mark}`, here: ownRef(keeping, 'whole'), commit: whole }]),
  ];
  const specs: string[] = [];
  for (const { there, here, commit: expected } of wanted) {
    if ((await readRef(git, repository, here)) !== expected) specs.push(`+${there}:${here}`);
  }
  if (specs.length === 0) return;
  const from = addressOf(line.machine, thereOf(place).repository);
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', from];
  const { commonDir } = repository;
  await transfer(git, line, { args: [...args, ...specs], commonDir, effect: 'remote-fetched' });
}

function notOurs({ place, task }: Keeping, answers: Answers): PitonError {
  const why = answers.has('headless')
    ? 'has no commit at its HEAD'
    : 'is not the one any more in which it worked';
  return new PitonError(
    'WORKSPACE_DRIFTED',
    `The place of ${task} ${why}: ${place.path} on ${place.remote}.`,
    {
      path: place.path,
      remote: place.remote,
      remedy: 'Look at it there; put it back and `piton retry`, or begin again with `piton retry --fresh`.',
    },
  );
}
