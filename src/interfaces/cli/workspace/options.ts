import { PitonError } from '../../../base/index.ts';
import type { Piton } from '../../../library/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';

export interface WorkspaceOptions {
  readonly run?: string;
  readonly all?: boolean;
  readonly size?: boolean;
  readonly dryRun?: boolean;
  readonly olderThan?: string;
  readonly strays?: boolean;
  readonly force?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly drive: boolean;
}

/** Whoever has lost the store, by a `git clean` say, still has all that git keeps: it can be seen, and restored. */
export function openAnyway(context: Context): Promise<Piton> {
  return context.config.isProject ? context.open() : context.openExisting();
}

/** The run that was named, for what is about all of them otherwise. */
export async function runGiven(piton: Piton, { run }: WorkspaceOptions): Promise<{ run?: string }> {
  return run === undefined ? {} : { run: (await piton.findRecord(run)).run };
}

export function taskGiven({ args }: Invocation<WorkspaceOptions>): string {
  const [what, task] = args;
  if (task !== undefined) return task;
  throw new PitonError('USAGE_INVALID', `piton workspace ${what} needs the name of a task.`, {
    remedy: 'See all places with piton workspace list.',
  });
}
