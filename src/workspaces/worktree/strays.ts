import { join } from 'node:path';
import type { RepositoryOrigin } from '../contract.ts';
import type { Recorded, Stray } from '../upkeep-contract.ts';
import { findEntry, namesIn } from '../files.ts';
import {
  encodeName,
  listRefs,
  listWorktrees,
  tidyRecord,
  realPlace,
  type WorktreeEntry,
} from '../git/index.ts';
import type { WorktreeOptions } from './options.ts';

/** Worktrees, folders and branches of ours that no recorded place explains. */
export async function findStrays(
  { git, folder }: WorktreeOptions,
  repository: RepositoryOrigin | undefined,
  recorded: Recorded,
): Promise<readonly Stray[]> {
  const top = await realPlace(folder);
  const paths = new Set(await Promise.all(recorded.places.map(({ path }) => pathIfLocal(path))));
  const entries = repository === undefined ? [] : await listWorktrees(git, repository);
  const ours = entries.filter(({ path, gitDir }) => gitDir !== undefined && path.startsWith(`${top}/`));
  const worktrees = await Promise.all(
    ours.filter(({ path }) => !paths.has(path)).map((entry) => strayWorktree(entry)),
  );
  const explained = new Set([...paths, ...ours.map(({ path }) => path)]);
  const folders = await strayFolders(top, { explained, runs: recorded.runs });
  if (repository === undefined) return folders;
  const refs = [...(await listRefs(git, repository, 'refs/heads/')).keys()];
  return [...worktrees, ...folders, ...strayBranches(refs, { recorded, entries, top })];
}

/** That of a place on another machine is none here. */
async function pathIfLocal(path: string): Promise<string> {
  return realPlace(path).catch(() => path);
}

async function strayWorktree({ path, gitDir, prunable }: WorktreeEntry): Promise<Stray> {
  const marker = await tidyRecord(gitDir!);
  const owner = marker === undefined ? {} : { run: marker.run, task: marker.task };
  const whose = marker === undefined ? 'without a mark' : `of ${marker.task} of run ${marker.run}`;
  const state = prunable === undefined ? '' : ', whose folder is gone';
  return {
    kind: 'worktree',
    name: path,
    ...owner,
    text: `a worktree ${whose}${state}, that is not recorded`,
  };
}

interface Explained {
  readonly explained: ReadonlySet<string>;
  readonly runs: readonly string[];
}

async function strayFolders(top: string, { explained, runs }: Explained): Promise<readonly Stray[]> {
  const names = new Map(runs.map((run) => [encodeName(run), run]));
  const strays: Stray[] = [];
  for (const group of await namesIn(top)) {
    const run = names.get(group);
    if ((await findEntry(join(top, group)))?.isDirectory() !== true) continue;
    for (const name of await namesIn(join(top, group))) {
      const path = join(top, group, name);
      if (explained.has(path)) continue;
      strays.push({ kind: 'folder', name: path, ...(run !== undefined && { run }), text: textFor(name) });
    }
  }
  return strays;
}

function textFor(name: string): string {
  if (name.includes('.removed-')) return 'the rest of a worktree whose removal was cut off';
  if (name.includes('.set-aside-'))
    return 'what was in the place of a worktree, and was moved out of its way';
  return 'a folder that is no worktree, and that is not recorded';
}

interface Branches {
  readonly recorded: Recorded;
  readonly entries: readonly WorktreeEntry[];
  readonly top: string;
}

function strayBranches(refs: readonly string[], { recorded, entries, top }: Branches): readonly Stray[] {
  const runs = new Map(recorded.runs.map((run) => [encodeName(run), run]));
  const explained = new Set(recorded.places.map(({ branch }) => branch));
  // Somebody works with it, outside of our folder: an archive that was restored, say.
  for (const { path, branch, prunable } of entries)
    if (prunable === undefined && !path.startsWith(`${top}/`)) explained.add(branch);
  return refs.flatMap((ref): Stray[] => {
    const [, kind, run = ''] = /^refs\/heads\/(piton|piton-tasks)\/([^/]+)(\/|$)/.exec(ref) ?? [];
    const known = runs.get(run);
    if (kind === undefined || explained.has(ref) || (kind === 'piton' && known !== undefined)) return [];
    if (known === undefined)
      return [{ kind: 'branch', name: ref, text: 'of a run that this store does not know' }];
    return [{ kind: 'branch', name: ref, run: known, text: 'of a place that is not recorded' }];
  });
}
