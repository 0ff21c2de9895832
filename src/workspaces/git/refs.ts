import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { withoutStaleLocks, type OwnLocks } from './lock-files.ts';
import { isOwnRef } from './names.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

export interface RefMove {
  readonly ref: string;
  /** undefined: the ref is to be deleted. */
  readonly to: string | undefined;
  /** What the ref is believed to be; undefined: it must not exist. */
  readonly from: string | undefined;
  /** Another ref of Piton's that goes along, in the same step, wherever it was. */
  readonly also?: string;
}

export type RefMoveResult =
  | { readonly type: 'moved' }
  /** It is there already: this was done before. */
  | { readonly type: 'already' }
  | { readonly type: 'conflict'; readonly actual: string | undefined };

/** Moves a ref of Piton's by compare-and-swap. Any other ref is refused: the user's branches are not ours to move. */
export async function moveRef(git: Git, repository: RepositoryPlace, move: RefMove): Promise<RefMoveResult> {
  assertOwnRef(move.ref);
  if (move.to === move.from) return settled(await readRef(git, repository, move.ref), move.to);
  const options = { ...inRepository(repository), input: updateCommand(move), effect: 'ref-moved' };
  try {
    await withoutStaleLocks(git, ownRefLocks(repository), () => git.run(['update-ref', '--stdin'], options));
    return { type: 'moved' };
  } catch (error) {
    if (gitFailureReason(error) !== 'other') throw error;
    const actual = await readRef(git, repository, move.ref);
    if (actual === move.from) throw error;
    return settled(actual, move.to);
  }
}

/** Deletes refs of Piton's, all at once, or none if one of them is not what it is believed to be. */
export async function dropRefs(
  git: Git,
  repository: RepositoryPlace,
  refs: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (refs.size === 0) return true;
  const commands = [...refs].map(([ref, from]) => {
    assertOwnRef(ref);
    return updateCommand({ ref, to: undefined, from });
  });
  const options = { ...inRepository(repository), input: commands.join(''), effect: 'refs-dropped' };
  try {
    await withoutStaleLocks(git, ownRefLocks(repository), () => git.run(['update-ref', '--stdin'], options));
    return true;
  } catch (error) {
    if (gitFailureReason(error) !== 'other') throw error;
    return false;
  }
}

function settled(actual: string | undefined, to: string | undefined): RefMoveResult {
  return actual === to ? { type: 'already' } : { type: 'conflict', actual };
}

function updateCommand({ ref, to, from, also }: RefMove): string {
  const along = also === undefined || to === undefined ? '' : `option no-deref\nupdate ${also} ${to}\n`;
  const lead = `${along}option no-deref\n`;
  if (to === undefined) return `${lead}delete ${ref} ${from}\n`;
  return from === undefined ? `${lead}create ${ref} ${to}\n` : `${lead}update ${ref} ${to} ${from}\n`;
}

export async function readRef(
  git: Git,
  repository: RepositoryPlace,
  ref: string,
): Promise<string | undefined> {
  return git.ask(['rev-parse', '--quiet', '--verify', '--end-of-options', ref], inRepository(repository));
}

/** All refs, or those below a prefix such as `refs/heads/`, with what they point to. */
export async function listRefs(
  git: Git,
  repository: RepositoryPlace,
  prefix = 'refs/',
): Promise<ReadonlyMap<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', prefix];
  const { stdout } = await git.run(args, inRepository(repository));
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => splitOnce(line)));
}

export interface RefChange {
  readonly ref: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What somebody has done to the refs meanwhile: asked before and after an attempt, to find an agent at foreign branches. */
export function changedRefs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly RefChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((ref) => before.get(ref) !== after.get(ref))
    .sort()
    .map((ref) => ({ ref, before: before.get(ref), after: after.get(ref) }));
}

function splitOnce(line: string): [string, string] {
  const space = line.indexOf(' ');
  return [line.slice(space + 1), line.slice(0, space)];
}

function ownRefLocks({ commonDir }: RepositoryPlace): OwnLocks {
  return {
    folders: [commonDir],
    isOwn: (file) => file.startsWith(join(commonDir, 'refs/')) && isOwnRef(file.slice(commonDir.length + 1)),
  };
}

export function assertOwnRef(ref: string): void {
  if (isOwnRef(ref)) return;
  throw new PitonError('REF_NOT_OURS', `${ref} is not a ref of Piton's, so it is not moved.`, {
    ref,
    remedy: 'The branches of Piton begin with piton/ or piton-tasks/.',
  });
}
