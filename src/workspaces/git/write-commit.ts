import { rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomId, systemClock } from '../../base/index.ts';
import { commitText, type CommitOrder } from './commits.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import type { Parsed } from './git-session.ts';
import { findObjects, readObjects } from './objects.ts';
import { lookAtFile } from '../files.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

/** The first one tells who makes them; those that follow soon are written by a git that stays. */
export async function writeCommit(
  git: Git,
  repository: RepositoryPlace,
  order: CommitOrder,
): Promise<string> {
  const makers = known.get(git)?.get(repository.commonDir);
  if (makers !== undefined && (await areStill(makers, repository))) {
    const commit = await writeAgain(git, repository, { ...order, makers });
    if (commit !== undefined) return commit;
  }
  const commit = await commitTree(git, repository, order);
  await noteMakers(git, repository, commit);
  return commit;
}

async function commitTree(git: Git, repository: RepositoryPlace, order: CommitOrder): Promise<string> {
  const parents = order.parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', order.tree, ...parents, '-F', '-'];
  const { cwd, env } = inRepository(repository);
  const options = { cwd, input: commitText(order), effect: 'commit-written' };
  const dated = { ...env, ...datesOf(order) };
  try {
    const asUser = ['-c', 'user.useConfigOnly=true', ...args];
    return (await git.run(asUser, { ...options, env: dated })).stdout.trim();
  } catch (error) {
    if (gitFailureReason(error) !== 'no-identity') throw error;
    return (await git.run(args, { ...options, env: { ...dated, ...ownIdentity } })).stdout.trim();
  }
}

const ownIdentity = {
  GIT_AUTHOR_NAME: 'Piton',
  GIT_AUTHOR_EMAIL: 'piton@localhost',
  GIT_COMMITTER_NAME: 'Piton',
  GIT_COMMITTER_EMAIL: 'piton@localhost',
};

function datesOf(order: CommitOrder): Record<string, string> {
  const date = `@${secondsOf(order)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

function secondsOf({ at }: CommitOrder): number {
  return Math.floor(at / 1000);
}

/** Who makes commits here, as git writes it. */
interface Makers {
  readonly author: string;
  readonly committer: string;
  /** The settings of git that say so, as they were; there may be others, so it does not count for long. */
  readonly settings: string;
  readonly until: number;
}

const known = new WeakMap<Git, Map<string, Makers>>();
const knownMs = 60_000;

async function areStill({ until, settings }: Makers, repository: RepositoryPlace): Promise<boolean> {
  return until > systemClock.elapsed() && settings === (await lookAtSettings(repository));
}

async function lookAtSettings({ commonDir }: RepositoryPlace): Promise<string> {
  const files = [join(commonDir, 'config'), join(homedir(), '.gitconfig')];
  return (await Promise.all(files.map(lookAtFile))).join('\n');
}

async function noteMakers(git: Git, { commonDir }: RepositoryPlace, commit: string): Promise<void> {
  const [found] = await readObjects(git, { commonDir }, [commit]);
  const text = found?.content.toString('utf8') ?? '';
  const [, author] = /^author (.*) \d+ \+0000$/m.exec(text) ?? [];
  const [, committer] = /^committer (.*) \d+ \+0000$/m.exec(text) ?? [];
  if (author === undefined || committer === undefined) return;
  const makers = known.get(git) ?? new Map<string, Makers>();
  const until = systemClock.elapsed() + knownMs;
  const settings = await lookAtSettings({ commonDir });
  known.set(git, makers.set(commonDir, { author, committer, settings, until }));
}

/** The same that `commit-tree` writes. undefined: that one is to be asked, if only to say what is wrong. */
async function writeAgain(
  git: Git,
  repository: RepositoryPlace,
  order: CommitOrder & { readonly makers: Makers },
): Promise<string | undefined> {
  const text = wholeText(order);
  const file = join(tmpdir(), `piton-commit-${randomId()}`);
  if (text.includes('\0') || file.includes('\n') || !(await areThere(git, repository, order)))
    return undefined;
  try {
    // The temporary folder may be full or gone; the repository need not be.
    if (!(await isWritten(file, text))) return undefined;
    const question = { input: `${file}\n`, parse: readName, effect: 'commit-written' };
    return await git.converse('commits', repository, question);
  } catch (error) {
    if (gitFailureReason(error) === undefined) throw error;
    return undefined;
  } finally {
    await rm(file, { force: true });
  }
}

function isWritten(file: string, text: string): Promise<boolean> {
  return writeFile(file, text, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    () => false,
  );
}

function wholeText(order: CommitOrder & { readonly makers: Makers }): string {
  const { tree, parents, makers } = order;
  const date = `${secondsOf(order)} +0000`;
  const header = [
    `tree ${tree}`,
    ...new Set(parents.map((parent) => `parent ${parent}`)),
    `author ${makers.author} ${date}`,
    `committer ${makers.committer} ${date}`,
  ];
  return `${header.join('\n')}\n\n${commitText(order)}`;
}

/** Whoever only writes does not look whether what is named is there. */
async function areThere(
  git: Git,
  repository: RepositoryPlace,
  { tree, parents }: CommitOrder,
): Promise<boolean> {
  const found = await findObjects(git, repository, [tree, ...parents]);
  return found.every((one, index) => one?.type === (index === 0 ? 'tree' : 'commit'));
}

function readName(bytes: Buffer): Parsed<string> {
  const end = bytes.indexOf(0x0a) + 1;
  return end === 0 ? { needs: bytes.length + 1 } : { answer: bytes.toString('utf8', 0, end - 1), end };
}
