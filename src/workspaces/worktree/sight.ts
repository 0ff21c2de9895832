import type { Standing, WorktreePlaceRecord, WorktreeRequest } from './standing.ts';

/** What is asked for, and what is there. */
export interface Sight {
  readonly request: WorktreeRequest;
  readonly place: WorktreePlaceRecord;
  readonly refs: ReadonlyMap<string, string>;
  /** What the branch of the run is at. */
  readonly head: string;
  readonly standing: Standing;
}
