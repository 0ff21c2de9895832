import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { withoutStaleLocks, type OwnLocks } from './lock-files.ts';
import { isOwnRef } from './names.ts';
import type { Parsed } from './git-session.ts';
import { findObjects } from './objects.ts';
import { inRepository, type RepositoryPlace } from './places.ts';
import { assertPlainRefs } from './plain-record.ts';

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
  try {
    const refs = move.also === undefined ? [move.ref] : [move.ref, move.also];
    await update(git, repository, { refs, commands: updateCommand(move), effect: 'ref-moved' });
    return { type: 'moved' };
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
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
  try {
    const order = { refs: [...refs.keys()], commands: commands.join(''), effect: 'refs-dropped' };
    await update(git, repository, order);
    return true;
  } catch (error) {
    if (gitFailureReason(error) !== 'other') throw error;
    return false;
  }
}

function settled(actual: string | undefined, to: string | undefined): RefMoveResult {
  return actual === to ? { type: 'already' } : { type: 'conflict', actual };
}

interface Update {
  readonly refs: readonly string[];
  readonly commands: string;
  readonly effect: string;
}

/** All of it or nothing: without its last word, git takes back what it has begun, also when we die while we say it. */
async function update(git: Git, repository: RepositoryPlace, order: Update): Promise<void> {
  const { refs, commands, effect } = order;
  await assertPlainRefs(repository.commonDir, refs);
  const input = `start\0${commands}prepare\0commit\0`;
  const say = (): Promise<true> =>
    withoutStaleLocks(git, ownRefLocks(repository), () =>
      git.converse('refs', repository, { input, parse: readConsent, effect }),
    );
  try {
    await say();
  } catch (error) {
    // Mostly killed while it waited to be told: what it has done all the same is refused now, and found by looking.
    if (gitFailureReason(error) !== 'killed') throw error;
    await say();
  }
}

const consent = 'start: ok\nprepare: ok\ncommit: ok\n';

function readConsent(bytes: Buffer): Parsed<true> {
  if (bytes.length < consent.length) return { needs: consent.length };
  const said = bytes.toString('utf8');
  if (said === consent) return { answer: true, end: bytes.length };
  throw new PitonError('GIT_FAILED', `git update-ref answered ${JSON.stringify(said)}.`, { reason: 'other' });
}

/** Refused, or ended before it said whether it was done. */
function isAmbiguous(error: unknown): boolean {
  return ['other', 'killed', 'time'].includes(gitFailureReason(error) ?? '');
}

/** Each part ends with a zero, which no part holds: so none can be taken for another command. */
function updateCommand(move: RefMove): string {
  const { ref, to, from, also } = move;
  for (const commit of [to, from]) if (commit !== undefined) assertObjectName(commit);
  const along = also === undefined || to === undefined ? '' : `option no-deref\0update ${also}\0${to}\0\0`;
  const lead = `${along}option no-deref\0`;
  if (to === undefined) return `${lead}delete ${ref}\0${from}\0`;
  return from === undefined ? `${lead}create ${ref}\0${to}\0` : `${lead}update ${ref}\0${to}\0${from}\0`;
}

export async function readRef(
  git: Git,
  repository: RepositoryPlace,
  ref: string,
): Promise<string | undefined> {
  return (await readRefs(git, repository, [ref])).get(ref);
}

/** Of many refs, those that are there, with what they point to. */
export async function readRefs(
  git: Git,
  repository: RepositoryPlace,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await findObjects(git, repository, refs);
  return new Map(refs.flatMap((ref, index) => (found[index] ? [[ref, found[index].name] as const] : [])));
}

/** All refs, or those below prefixes such as `refs/heads/`, with what they point to. */
export async function listRefs(
  git: Git,
  repository: RepositoryPlace,
  ...prefixes: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes];
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

function assertObjectName(name: string): void {
  if (/^[0-9a-f]{40,64}$/.test(name)) return;
  throw new PitonError('GIT_FAILED', `${JSON.stringify(name)} is not the name of an object.`, {
    reason: 'other',
  });
}

/** Some are read from files that agents can write to. */
export function assertOwnRef(ref: string): void {
  // eslint-disable-next-line no-control-regex
  if (isOwnRef(ref) && !/[\0-\x20\x7f]/.test(ref)) return;
  throw new PitonError('REF_NOT_OURS', `${ref} is not a ref of Piton's, so it is not moved.`, {
    ref,
    remedy: 'The branches of Piton begin with piton/ or piton-tasks/.',
  });
}
