import { PitonError } from '../../../base/index.ts';
import type { Piton } from '../../../library/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';

export interface WorkspaceOptions {
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

/** What is done with the places of all tasks of a run, or of all runs. */
export const ofAllPlaces: ReadonlySet<string> = new Set(['list', 'clean', 'reconcile']);

/** Whoever has lost the store, by a `git clean` say, still has all that git keeps: it can be seen, and restored. */
export function openAnyway(context: Context): Promise<Piton> {
  return context.config.isProject ? context.open() : context.openExisting();
}

/** The run that was named, for what is about all of them otherwise. */
export async function runGiven(
  piton: Piton,
  { args: [, run] }: Invocation<WorkspaceOptions>,
): Promise<{ run?: string }> {
  return run === undefined ? {} : { run: (await piton.findRecord(run)).run };
}

/** The run, by the beginning of its id, and the task whose place it is about. */
export function placeGiven({ args }: Invocation<WorkspaceOptions>): { prefix: string; address: string } {
  const [what, prefix, address] = args;
  if (prefix !== undefined && address !== undefined) return { prefix, address };
  throw new PitonError('USAGE_INVALID', `piton workspace ${what} needs a run and a task of it.`, {
    remedy: `Write piton workspace ${what} <run> <task>. See all places with piton workspace list.`,
  });
}
