export type {
  AppendRequest,
  Blob,
  ChangesPage,
  CreateRunRequest,
  OpenStoreOptions,
  Pruned,
  PruneRequest,
  QuarantineRequest,
  RunChange,
  RunFilter,
  RunRecord,
  Snapshot,
  Store,
  StoreOpener,
  TakeLeaseRequest,
} from './contract.ts';
export { findLease } from './find-lease.ts';
export { openStore, registerStore } from './registry.ts';
