import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode } from '../../base/index.ts';
import { areContained, independentCommits } from './ancestry.ts';
import type { Git } from './git.ts';
import { keptRef } from './names.ts';
import { inRepository, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { moveRef, readRef } from './refs.ts';

/** Files in which git notes a commit that nothing else may lead to: of a merge, a rebase, a bisection under way. */
const noted = [
  'HEAD',
  'ORIG_HEAD',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'FETCH_HEAD',
  'MERGE_AUTOSTASH',
  'rebase-merge/orig-head',
  'rebase-merge/onto',
  'rebase-merge/autostash',
  'rebase-apply/orig-head',
  'rebase-apply/autostash',
];

/** Every commit that a worktree's HEAD has been at, and those that its own refs and unfinished operations name. */
export async function commitsOfWorktree(git: Git, place: WorktreePlace): Promise<readonly string[]> {
  return independentCommits(git, place, await namedCommits(place));
}

/** The same without asking git: some may be long gone, or contained in others. */
export async function namedCommits(place: WorktreePlace): Promise<readonly string[]> {
  const texts = [await readUnlessAbsent(join(place.gitDir, 'logs/HEAD'), firstTwoWords)];
  for (const file of noted) texts.push(await readUnlessAbsent(join(place.gitDir, file)));
  texts.push(await readTree(join(place.gitDir, 'refs')), await readTree(join(place.gitDir, 'logs/refs')));
  const named = texts.join('\n').match(/\b([0-9a-f]{64}|[0-9a-f]{40})\b/g) ?? [];
  return [...new Set(named)].filter((commit) => !/^0+$/.test(commit));
}

/** Makes a worktree forget where it has been: whoever works in it next has not been there. All of it must be kept before. */
export async function forgetCommits({ gitDir }: WorktreePlace): Promise<void> {
  const files = noted.filter((file) => file !== 'HEAD' && !file.includes('/'));
  const operations = ['rebase-merge', 'rebase-apply', 'sequencer', 'MERGE_MSG', 'MERGE_MODE', 'BISECT_LOG'];
  const own = ['piton-layout.json', 'piton-restored'];
  await effect('git.commits-forgotten', async () => {
    for (const name of ['logs', 'refs', ...files, ...operations, ...own]) {
      await rm(join(gitDir, name), { recursive: true, force: true });
    }
  });
}

/** A reflog's messages may quote anything: only its columns of commits count. */
function firstTwoWords(text: string): string {
  return text.replaceAll(/^(\S+ \S+).*$/gm, '$1');
}

async function readTree(folder: string): Promise<string> {
  const texts: string[] = [];
  for (const entry of await entriesOf(folder)) {
    // Those that Piton has made to keep something would be found as if they were something to be kept.
    if (entry.isDirectory() && entry.name === 'piton') continue;
    const path = join(folder, entry.name);
    texts.push(entry.isDirectory() ? await readTree(path) : await readUnlessAbsent(path, firstTwoWords));
  }
  return texts.join('\n');
}

async function entriesOf(folder: string): Promise<{ name: string; isDirectory(): boolean }[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

async function readUnlessAbsent(file: string, cut = (text: string): string => text): Promise<string> {
  try {
    return cut(await readFile(file, 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].some((code) => hasCode(error, code))) return '';
    throw error;
  }
}

/** Gives a ref to every commit of a worktree that would be out of reach without its record. */
export async function keepReachable(
  git: Git,
  place: WorktreePlace,
  owner: { readonly run: string; readonly task: string; readonly base: string; readonly branch: string },
): Promise<readonly string[]> {
  const tips = await commitsOfWorktree(git, place);
  const branch = await readRef(git, place, owner.branch);
  const holders = branch === undefined ? [owner.base] : [owner.base, branch];
  const kept: string[] = [];
  for (const commit of tips) {
    if (await areContained(git, place, { commits: [commit], holders })) continue;
    await keepCommit(git, place, { ...owner, commit });
    kept.push(commit);
  }
  return kept;
}

export async function keepCommit(
  git: Git,
  repository: RepositoryPlace,
  { run, task, commit }: { readonly run: string; readonly task: string; readonly commit: string },
): Promise<string> {
  const ref = keptRef(run, task, commit);
  await moveRef(git, repository, { ref, to: commit, from: undefined });
  return ref;
}

/** The stash is one list for the whole repository. Only read. */
export async function listStashes(git: Git, repository: RepositoryPlace): Promise<readonly string[]> {
  const stash = await git.ask(['rev-parse', '--quiet', '--verify', 'refs/stash'], inRepository(repository));
  if (stash === undefined) return [];
  const args = ['log', '--walk-reflogs', '--format=%H', 'refs/stash', '--'];
  const { stdout } = await git.run(args, inRepository(repository));
  return stdout.split('\n').filter((line) => line !== '');
}

/** One move of a ref, as git has written it down. */
export interface LogEntry {
  readonly to: string;
  /** In seconds. */
  readonly at: number;
  readonly text: string;
  /** All of it, as it was written. */
  readonly line: string;
}

export async function readRefLog({ commonDir }: RepositoryPlace, ref: string): Promise<readonly LogEntry[]> {
  return entriesIn(await readUnlessAbsent(join(commonDir, 'logs', ref)));
}

/** Where the HEAD of this worktree has been, and those of all other checkouts of the repository. */
export async function readCheckoutLogs({
  commonDir,
  gitDir,
}: WorktreePlace): Promise<{ readonly own: readonly LogEntry[]; readonly others: readonly LogEntry[] }> {
  const records = join(commonDir, 'worktrees');
  const folders = (await entriesOf(records)).map(({ name }) => join(records, name));
  const others: LogEntry[] = [];
  for (const folder of [commonDir, ...folders]) {
    if (folder !== gitDir) others.push(...entriesIn(await readUnlessAbsent(join(folder, 'logs/HEAD'))));
  }
  return { own: entriesIn(await readUnlessAbsent(join(gitDir, 'logs/HEAD'))), others };
}

function entriesIn(log: string): LogEntry[] {
  const lines = log.matchAll(/^[0-9a-f]+ ([0-9a-f]+) [^\t\n]*> (\d+) [-+]\d+(?:\t(.*))?$/gm);
  return [...lines].map(([line, to, at, text = '']) => ({ to: to!, at: Number(at), text, line }));
}
