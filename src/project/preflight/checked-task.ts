import type { Config } from '../../config/index.ts';
import type { DeliverWork, Workflow } from '../../model/index.ts';
import type { PlannedPlace } from '../plan/plan-places.ts';
import type { Environment } from '../surroundings.ts';
import type { CommittedFiles } from './committed-files.ts';
import type { Programs } from './programs.ts';
import type { ListedTask } from './tasks-in.ts';

/** One task, and what is known of where it will run. */
export interface CheckedTask {
  readonly task: ListedTask;
  readonly config: Config;
  readonly env: Environment;
  readonly programs: Programs;
  /** The folder of the repository whose files it will see; undefined: it works in another kind of place. */
  readonly folder: string | undefined;
  /** Of a task that works in a worktree: what that will hold. Absent: it sees the files as they are. */
  readonly committed?: CommittedFiles;
  /** It has a place of its own, which is set up for it. */
  readonly hasPlace: boolean;
}

/** A workflow, and the repository that it would run in. */
export interface CheckedRepository {
  readonly workflow: Workflow;
  readonly places: readonly PlannedPlace[];
  /** Those that hand over what the run has made. */
  readonly deliveries: readonly (ListedTask & { readonly spec: { readonly work: DeliverWork } })[];
  readonly config: Config;
  readonly env: Environment;
}
