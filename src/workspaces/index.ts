export type { CleanupPolicy, Integration, Place, PlaceRequest, Workspaces } from './contract.ts';
export { lazyWorkspaces } from './lazy.ts';
