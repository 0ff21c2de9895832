import {
  archivesOf,
  checkOut,
  inRepository,
  inWorktree,
  isAncestor,
  layOutArchive,
  listArchived,
  readManifest,
  readSaved,
  type Git,
  type ListedArchive,
  type SavedTree,
  type WorktreePlace,
} from '../git/index.ts';
import { refsOf, type WorktreeRequest } from './standing.ts';

/** What a place is made from that is not there. */
export interface Source {
  readonly how: 'recreated' | 'restored';
  /** The commit. */
  readonly from: string;
  /** Where its branch is, or begins. */
  readonly start: string;
  /** Absent: the files of its branch are all there is. */
  fill?(place: WorktreePlace): Promise<void>;
}

export interface SourceOrder {
  readonly request: WorktreeRequest;
  readonly refs: ReadonlyMap<string, string>;
  /** The commit that the place began from. */
  readonly base: string;
}

/** The latest that is known of the place: its archive, what was saved of it, or what was committed there. */
export async function findSource(git: Git, order: SourceOrder): Promise<Source> {
  const archive = await archiveOf(git, order);
  const saved = await savedOf(git, order);
  // Restored from its archive once, it may have gone on since.
  if (archive !== undefined && (saved === undefined || saved.at <= archive.at))
    return sourceOfArchive(git, order, archive);
  return saved === undefined ? sourceOfBranch(order) : sourceOfSaved(git, order, saved);
}

export function sourceOfBranch({ request, refs, base }: SourceOrder): Source {
  const start = refs.get(refsOf(request).branch) ?? base;
  return { how: 'recreated', from: start, start };
}

async function archiveOf(git: Git, { request, refs }: SourceOrder): Promise<ListedArchive | undefined> {
  const { run, task, repository, known, token } = request;
  const prefix = archivesOf(run, task);
  if (![...refs.keys()].some((ref) => ref.startsWith(prefix))) return undefined;
  const archives = await listArchived(git, repository, prefix);
  return archives.findLast(({ attempt }) => attempt === (known?.token ?? token));
}

/** Of a place that a fork makes for the first time, also if it was killed while it did. */
export async function inheritedSource(git: Git, order: SourceOrder): Promise<Source | undefined> {
  const { known, inheritedBase, snapshot, repository } = order.request;
  if (known !== undefined || inheritedBase === undefined || snapshot === undefined) return undefined;
  const saved = await readSaved(git, repository, snapshot);
  return saved && sourceOfSaved(git, order, saved);
}

/**
 * The ref is the truth: it may be a step ahead of what was recorded, and it is gone if a person has discarded what was saved.
 * Where the branch is gone as well, the place was cleaned, and what is recorded is the best there is.
 */
async function savedOf(git: Git, { request, refs }: SourceOrder): Promise<SavedTree | undefined> {
  const { branch, saved } = refsOf(request);
  const commit = refs.get(saved) ?? (refs.has(branch) ? undefined : request.snapshot);
  return commit === undefined ? undefined : readSaved(git, request.repository, commit);
}

export async function sourceOfArchive(
  git: Git,
  order: SourceOrder,
  archive: { readonly commit: string },
): Promise<Source> {
  const manifest = await readManifest(git, order.request.repository, archive.commit);
  const { from: tip } = sourceOfBranch(order);
  const start = order.refs.has(refsOf(order.request).branch) ? tip : (manifest.head ?? tip);
  const fill = async (place: WorktreePlace): Promise<void> => {
    if (manifest.head !== null && manifest.head !== start) await detach(git, place, manifest.head);
    await layOutArchive(git, place, manifest);
  };
  return { how: 'restored', from: archive.commit, start, fill };
}

/** What was not committed when it was saved is not committed afterwards either. */
export async function sourceOfSaved(git: Git, order: SourceOrder, saved: SavedTree): Promise<Source> {
  const { refs, request } = order;
  const tip = refs.get(refsOf(request).branch);
  const head = saved.head ?? tip ?? order.base;
  const start = tip ?? head;
  const isGoneOn =
    start !== head && (await isAncestor(git, request.repository, { ancestor: head, of: start }));
  const tree = isGoneOn ? await joined(git, request, { tip: start, saved }) : saved.tree;
  const fill = async (place: WorktreePlace): Promise<void> => {
    if (!isGoneOn && start !== head) await detach(git, place, head);
    await checkOut(git, place, { tree, effect: 'files-restored' });
    await git.run(['read-tree', '--reset', 'HEAD'], { ...inWorktree(place), effect: 'index-restored' });
  };
  return { how: 'restored', from: saved.commit, start, fill };
}

/** Committed since it was saved: both together; if they do not fit, what was committed, for that is later. */
async function joined(
  git: Git,
  { repository }: WorktreeRequest,
  { tip, saved }: { readonly tip: string; readonly saved: SavedTree },
): Promise<string> {
  const args = ['merge-tree', '--write-tree', '--no-messages', tip, saved.commit];
  const { code, stdout } = await git.run(args, { ...inRepository(repository), okCodes: [0, 1] });
  return code === 0 ? stdout.split('\n', 1)[0]!.trim() : tip;
}

/** It was not on its branch. */
async function detach(git: Git, place: WorktreePlace, head: string): Promise<void> {
  const args = ['update-ref', '--no-deref', 'HEAD', head];
  await git.run(args, { ...inWorktree(place), effect: 'head-placed' });
}
