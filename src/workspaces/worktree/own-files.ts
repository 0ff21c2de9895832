import type { WorkRequest } from '../contract.ts';
import { findLayout, layOut, readHead, type Git } from '../git/index.ts';
import { lookForWork } from './find-work.ts';
import { workIn } from './integrate-work.ts';

/**
 * Whoever goes on working does so in files of its own: a merge with what others have made was laid out only to be checked, and
 * what is done on top of it would be taken for what a check has left. It is not to be called for that check.
 */
export async function takeBackOwnFiles(git: Git, request: WorkRequest): Promise<void> {
  const work = workIn(request);
  const { worktree } = (await lookForWork(work)) ?? {};
  const note = worktree && (await findLayout(git, worktree, work.known.token));
  if (worktree === undefined || note?.what.type !== 'candidate' || note.what.members.length === 0) return;
  if ((await readHead(git, worktree)) !== note.commit) return;
  const { result: commit, resultTree: tree, tree: expected } = note;
  const what = { type: 'result', branch: work.known.branch } as const;
  await layOut(git, { ...note, worktree, commit, tree, expected, what, isWork: false });
}
