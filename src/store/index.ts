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
  StoreAddress,
  StoreOpener,
  StoreResolver,
  TakeLeaseRequest,
} from './contract.ts';
export { findLease } from './find-lease.ts';
export { openStore, registerStore, resolveStore } from './registry.ts';
