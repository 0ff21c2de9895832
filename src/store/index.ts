export type {
  AppendRequest,
  Blob,
  CreateRunRequest,
  OpenStoreOptions,
  Pruned,
  PruneRequest,
  QuarantineRequest,
  RunFilter,
  RunRecord,
  Snapshot,
  Store,
  StoreOpener,
  TakeLeaseRequest,
} from './contract.ts';
export { openStore, registerStore } from './registry.ts';
