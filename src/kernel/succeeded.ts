import type { Json } from '../base/index.ts';
import type { EventOf } from '../model/index.ts';

/** What a task that has succeeded gives. */
export interface Success {
  readonly output?: Json;
  readonly update?: unknown;
  readonly integrated?: EventOf<'workspace.integrated'>['data'];
  readonly proposed?: EventOf<'merge.proposed'>['data'];
  readonly artifacts?: EventOf<'artifacts.kept'>['data'];
  readonly delivered?: EventOf<'run.delivered'>['data'];
}
