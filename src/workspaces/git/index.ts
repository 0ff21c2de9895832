/** Git as the workspaces need it: each function does one thing to a repository, and can be killed anywhere and called again. */
export { archiveBranch, archiveWorktree, type Archive } from './archive.ts';
export { surveyWorktree, type ArchiveOrder } from './archive-content.ts';
export { listArchived, type ListedArchive } from './archive-list.ts';
export {
  readManifest,
  type ArchiveManifest,
  type ArchivedTree,
  type NestedArchive,
} from './archive-manifest.ts';
export {
  hasObjects,
  isRefOfRun,
  refsOfRun,
  restoreRefs,
  unpackBundle,
  writeBundle,
  type RestoredRefs,
} from './bundles.ts';
export type { LeftOut } from './changed-paths.ts';
export { leaveConflict, unsolvedFiles, type ConflictOrder } from './conflicts.ts';
export { areContained, isAncestor, mergeBaseOf } from './ancestry.ts';
export { findCommits, oneLine, readCommit, readHead, trailerLines, type Trailers } from './commits.ts';
export { deliveredTrailer, findDelivering, listDelivered } from './delivered.ts';
export { findForeignChanges, type RefWatch } from './foreign-refs.ts';
export { Git, type GitOptions, type GitResult, type GitRun, type GitVersion } from './git.ts';
export { gitFailureReason, type GitFailureReason } from './git-failures.ts';
export { checkOut } from './checkout.ts';
export { findIgnored } from './ignored-paths.ts';
export type { LaidOut, LayoutNote } from './layout-note.ts';
export { findLayout, isUntouched, layOut, type LayoutOrder } from './layouts.ts';
export { withoutStaleLocks, type OwnLocks } from './lock-files.ts';
export {
  isSameOwner,
  tidyRecord,
  writeMarker,
  type Marker,
  type MarkerNotes,
  type MarkerOwner,
} from './marker.ts';
export type { ConflictFile, ConflictSide } from './merge-output.ts';
export {
  isAttemptIn,
  mergeInto,
  mergeTrees,
  type MergeOrder,
  type MergeResult,
  type TreeMerge,
} from './merging.ts';
export {
  archiveRef,
  archivesOf,
  archivesOfRun,
  archiveStamp,
  encodeName,
  isOwnRef,
  keptRef,
  placeName,
  placeWay,
  readKeptName,
  runBranch,
  runTipRef,
  savedRef,
  snapshotRef,
  taskBranch,
  type KeptName,
  type SnapshotName,
} from './names.ts';
export { surveyFolder, type FolderSurvey } from './nested-repositories.ts';
export { findObjects, readObjects, type GitObject } from './objects.ts';
export { findUnfinished, type Unfinished, type UnfinishedOperation } from './operations.ts';
export {
  inRepository,
  inWorktree,
  ownPlace,
  realPlace,
  splitAtZeros,
  type RepositoryPlace,
  type WorktreePlace,
} from './places.ts';
export { proveKept, type NotKept, type Proof } from './prove-kept.ts';
export { forgetCommits, keepCommit, keepReachable, listStashes, namedCommits } from './reflogs.ts';
export {
  changedRefs,
  dropRefs,
  listRefs,
  moveRef,
  readRef,
  readRefs,
  type RefChange,
  type RefMove,
  type RefMoveResult,
} from './refs.ts';
export {
  isBeingRemoved,
  removeWorktree,
  type RemovalResult,
  type WorktreeRemoval,
} from './remove-worktree.ts';
export {
  countUncommitted,
  inspectRepository,
  locateRepository,
  type GitRepository,
  type Location,
  type Repository,
} from './repository.ts';
export { layOutArchive, restoreArchive } from './restore-archive.ts';
export { changedFiles, type ChangedFile } from './changed-files.ts';
export { commitResult, type CommittedResult, type ResultOrder, type TaskResult } from './results.ts';
export { headOfRun, moveRunBranch } from './run-branch.ts';
export { readSaved, saveTree, type Saved, type SavedTree, type SavingOrder } from './saved-trees.ts';
export { snapshotTree, type Snapshot, type SnapshotOrder } from './snapshots.ts';
export { withTemporaryIndex } from './temporary-index.ts';
export { findHidden, readStatus } from './tree-status.ts';
export { usualFiles, writeTree } from './trees.ts';
export { writeCommit } from './write-commit.ts';
export { driftOf, type Drift } from './worktree-drift.ts';
export {
  checkoutsOf,
  entryAt,
  findRecord,
  findWorktree,
  leadsTo,
  listWorktrees,
  readGitDirs,
  readLink,
  recordsInside,
  type FolderLink,
  type WorktreeEntry,
  type WorktreeFolder,
} from './worktree-list.ts';
export {
  addWorktree,
  freshMarker,
  releaseIndex,
  removeRecord,
  type AddedWorktree,
  type WorktreeOrder,
} from './worktrees.ts';
export { assertFiltered } from './unfiltered.ts';
export {
  bringCommit,
  findUserModule,
  findWorktreeModule,
  holdsCommit,
  isUpstream,
  keepInModule,
  ownObjects,
  secretsInModule,
} from './modules.ts';
export { restorePlainFolder } from './restore-folder.ts';
export { keepPlain, keepPlainObjects } from './plain-record.ts';
