/** Git as the workspaces need it: each function does one thing to a repository, and can be killed anywhere and called again. */
export { archiveWorktree, type Archive } from './archive.ts';
export type { ArchiveOrder } from './archive-content.ts';
export type { ArchiveManifest, ArchivedTree, NestedArchive } from './archive-manifest.ts';
export type { LeftOut } from './changed-paths.ts';
export { findLeftConflict, leaveConflict, unsolvedFiles, type ConflictOrder } from './conflicts.ts';
export { isAncestor, readCommit, type Ancestry, type CommitFacts, type Trailers } from './commits.ts';
export { Git, type GitOptions, type GitResult, type GitRun, type GitVersion } from './git.ts';
export { gitFailureReason, type GitFailureReason } from './git-failures.ts';
export { findIgnored } from './ignored-paths.ts';
export { readMarker, type Marker, type MarkerOwner } from './marker.ts';
export type { ConflictFile, ConflictSide } from './merge-output.ts';
export { mergeInto, type MergeOrder, type MergeResult } from './merging.ts';
export {
  archiveRef,
  encodeName,
  isOwnRef,
  keptRef,
  runBranch,
  snapshotRef,
  taskBranch,
  type SnapshotName,
} from './names.ts';
export type { UnfinishedOperation } from './operations.ts';
export type { RepositoryPlace, WorktreePlace } from './places.ts';
export { proveKept, type NotKept, type Proof } from './prove-kept.ts';
export {
  changedRefs,
  listRefs,
  moveRef,
  readRef,
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
export { inspectRepository, type GitRepository, type Repository } from './repository.ts';
export { restoreArchive, type RestoreOrder } from './restore-archive.ts';
export { commitResult, type CommittedResult, type ResultOrder, type TaskResult } from './results.ts';
export { snapshotTree, type Snapshot, type SnapshotOrder } from './snapshots.ts';
export { lookAtWorktree, type Drift, type WorktreeHealth, type WorktreeRecord } from './worktree-health.ts';
export { findWorktree, listWorktrees, readLink, type WorktreeEntry } from './worktree-list.ts';
export { addWorktree, type AddedWorktree, type WorktreeOrder } from './worktrees.ts';
