import { changedFiles, type ChangedFile, type Git } from '../git/index.ts';
import type { RunMerge, RunMerged } from '../delivery-contract.ts';
import { steeringPartOf } from '../../model/index.ts';
import { bringModules } from './bring-modules.ts';
import { findCheckout } from './checkout.ts';
import { findNote, removeNote, type MergeNote } from './merge-note.ts';
import { assertFree, moveCheckout, type Move } from './move-checkout.ts';
import { findDelivered, isEmptySquash, prepareMerge, type Joining, type Prepared } from './prepare-merge.ts';
import { tipOfRun } from './run-tip.ts';

/** Brings the branch of a run into the branch that is checked out: computed first, then moved by git itself. */
export async function mergeRun(git: Git, order: RunMerge): Promise<RunMerged> {
  const joining = await look(git, order);
  const { place } = joining.checkout;
  const delivered = await findDelivered(git, joining);
  if (delivered !== undefined) return conclude(joining, delivered);
  const note = await findNote(place, noteOf(joining));
  const prepared = note === undefined ? await prepareMerge(git, joining) : resumed(note);
  if (await isEmptySquash(git, joining, prepared.target)) return conclude(joining, joining.checkout.head);
  const { head: from } = joining.checkout;
  const files = await changedFiles(git, place, { from, to: prepared.target });
  const move: Move = {
    checkout: joining.checkout,
    files,
    note: { ...noteOf(joining), commit: prepared.target },
    isResumed: note !== undefined,
  };
  const remains = await assertFree(git, move);
  await bringModules(git, joining, files);
  if (!order.isDryRun) await moveCheckout(git, move, remains);
  return reportOf(joining, prepared, files);
}

async function look(git: Git, order: RunMerge): Promise<Joining> {
  const { tip, name } = await tipOfRun(git, order);
  return { order, checkout: await findCheckout(git, order.repository), tip, name };
}

function noteOf({ order, checkout, tip }: Joining): Omit<MergeNote, 'commit'> {
  const { account, strategy } = order;
  return { run: account.run, strategy, tip, head: checkout.head, branch: checkout.branch };
}

/** The commit that was made then is taken, so that the files it has left are recognised. */
function resumed({ commit, tip, strategy }: MergeNote): Prepared {
  if (commit === tip) return { how: 'fast-forward', target: commit };
  return { how: strategy === 'squash' ? 'squash' : 'merge', target: commit };
}

async function conclude({ order, checkout }: Joining, commit: string): Promise<RunMerged> {
  if (!order.isDryRun) await removeNote(checkout.place);
  const { branch, head } = checkout;
  return {
    how: 'already',
    branch: shortName(branch),
    from: head,
    commit,
    files: [],
    submodules: [],
    steering: [],
  };
}

function reportOf(
  { order, checkout }: Joining,
  { how, target }: Prepared,
  files: readonly ChangedFile[],
): RunMerged {
  const isMade = how === 'fast-forward' || !order.isDryRun;
  return {
    how,
    branch: shortName(checkout.branch),
    from: checkout.head,
    ...(isMade && { commit: target }),
    files: files.map(({ path }) => path),
    submodules: files.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path),
    steering: files.map(({ path }) => path).filter((path) => steeringPartOf(path) !== undefined),
  };
}

function shortName(ref: string): string {
  return ref.replace('refs/heads/', '');
}
