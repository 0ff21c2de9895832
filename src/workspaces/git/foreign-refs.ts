import { listStashes, readCheckoutLogs, readRefLog, type LogEntry } from './reflogs.ts';
import { isAncestor } from './ancestry.ts';
import type { Git } from './git.ts';
import { isOwnRef } from './names.ts';
import { inRepository, type WorktreePlace } from './places.ts';
import { changedRefs, type RefChange } from './refs.ts';

/** What refs were when a place was made, and what they are now. */
export interface RefWatch {
  readonly worktree: WorktreePlace;
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
  /** Entries of the stash that were there before. */
  readonly stashes: readonly string[];
  /** What the run began from. */
  readonly origin: string;
  /** What this place began from, and what others have made: commits of it were not made here. */
  readonly holders: readonly string[];
}

/**
 * Changes of refs that are not Piton's, and that are, or may be, the doing of whoever worked in this place. Users and other
 * runs move their own branches all the time, so a change counts only if
 *
 * - a branch was moved by this place's HEAD, or to a commit that was made here, and no other checkout's HEAD moved with it;
 * - a branch lost commits, or a tag was moved, and no checkout's HEAD moved with it; or a branch or a tag was deleted, or an
 *   entry of the stash dropped: who did that cannot be told, and commits may be out of reach. A branch that held nothing but
 *   the work of tasks is left out: agents delete the branches they have made.
 *
 * What was created never counts, nor does what a fetch does to the branches of remote repositories.
 */
export async function findForeignChanges(git: Git, watch: RefWatch): Promise<readonly RefChange[]> {
  const changes = changedRefs(watch.before, watch.after).filter(({ ref }) => isWatched(ref));
  const counted: RefChange[] = [];
  const moved = changes.filter(({ before, after }) => before !== undefined && after !== undefined);
  const judge = moved.length === 0 ? undefined : await openCase(git, watch);
  for (const change of moved) if (await judge!(change)) counted.push(change);
  for (const change of changes) if (await isLostBranch(git, watch, change)) counted.push(change);
  return [...counted, ...(await droppedStashes(git, watch))];
}

const stash = 'refs/stash';

/** Those of a bisection or rebase belong to one checkout each. */
function isWatched(ref: string): boolean {
  return !isOwnRef(ref) && ref !== stash && !/^refs\/(bisect|worktree|rewritten)\//.test(ref);
}

type Judge = (change: RefChange) => Promise<boolean>;

async function openCase(git: Git, watch: RefWatch): Promise<Judge> {
  const { worktree } = watch;
  const { own, others } = await readCheckoutLogs(worktree);
  const madeHere = await commitsMadeHere(git, watch, own);
  return async ({ ref, before, after }) => {
    const entries = await entriesSince(worktree, { ref, before: before!, after: after! });
    const isIn = (log: readonly LogEntry[], entry: LogEntry): boolean =>
      log.some((one) => isSameMove(ref, entry, one));
    const unexplained = entries.filter((entry) => !isIn(others, entry));
    if (unexplained.some((entry) => isIn(own, entry) || madeHere.has(entry.to))) return true;
    if (unexplained.length === 0) return false;
    if (ref.startsWith('refs/tags/')) return true;
    if (!ref.startsWith('refs/heads/')) return false;
    return !(await isAncestor(git, worktree, { ancestor: before!, of: after! }));
  };
}

/**
 * Git writes down a move of a branch that is checked out for the HEAD of that checkout as well, in the same words; only at the
 * end of a rebase, and when a branch is made anew to be checked out, in others.
 */
function isSameMove(ref: string, entry: LogEntry, ofHead: LogEntry): boolean {
  if (entry.line === ofHead.line) return true;
  if (entry.to !== ofHead.to || Math.abs(entry.at - ofHead.at) > 1) return false;
  const isEnd = /\(finish\)/;
  if (isEnd.test(entry.text)) return isEnd.test(ofHead.text);
  const branch = ref.replace('refs/heads/', '');
  return entry.text.startsWith('branch: Reset to ') && ofHead.text.endsWith(` to ${branch}`);
}

/** How a ref came from one commit to another; where git keeps no log of it, in one step. */
async function entriesSince(
  worktree: WorktreePlace,
  { ref, before, after }: { readonly ref: string; readonly before: string; readonly after: string },
): Promise<readonly LogEntry[]> {
  const log = await readRefLog(worktree, ref);
  const entries = log.slice(log.findLastIndex(({ to }) => to === before) + 1);
  return entries.at(-1)?.to === after ? entries : [...entries, unlogged(after)];
}

function unlogged(to: string): LogEntry {
  return { to, at: Number.NaN, text: '', line: '' };
}

async function commitsMadeHere(
  git: Git,
  { worktree, before, holders }: RefWatch,
  log: readonly LogEntry[],
): Promise<ReadonlySet<string>> {
  const tips = new Set(log.map(({ to }) => to));
  const known = new Set([...holders, ...before.values()].map((commit) => `^${commit}`));
  const options = { ...inRepository(worktree), input: `${[...tips, ...known].join('\n')}\n` };
  const { stdout } = await git.run(['rev-list', '--ignore-missing', '--stdin'], options);
  return new Set(stdout.split('\n'));
}

async function isLostBranch(
  git: Git,
  { worktree, after: present, origin }: RefWatch,
  { ref, before, after }: RefChange,
): Promise<boolean> {
  if (before === undefined || after !== undefined || !/^refs\/(heads|tags)\//.test(ref)) return false;
  if (ref.startsWith('refs/tags/')) return true;
  const place = inRepository(worktree);
  const own = ['refs/heads/piton/', 'refs/heads/piton-tasks/', 'refs/piton/'];
  const kept = await git.run(['for-each-ref', '--count=1', `--contains=${before}`, ...own], place);
  if (kept.stdout === '') return true;
  const foreign = [...present].filter(([name]) => isWatched(name)).map(([, commit]) => `^${commit}`);
  const lines = [before, `^${origin}`, ...foreign];
  const options = { ...place, input: `${lines.join('\n')}\n` };
  const { stdout } = await git.run(['rev-list', '--ignore-missing', '-1', '--stdin'], options);
  return stdout === '';
}

async function droppedStashes(
  git: Git,
  { worktree, after, stashes }: RefWatch,
): Promise<readonly RefChange[]> {
  if (stashes.length === 0) return [];
  const present = new Set(after.has(stash) ? await listStashes(git, worktree) : []);
  const dropped = stashes.filter((entry) => !present.has(entry));
  return dropped.map((before) => ({ ref: stash, before, after: undefined }));
}
