import { statusOf } from '../../kernel/index.ts';
import { isFinal } from '../../model/index.ts';
import type { MergedBranch, RepositoryOrigin, RunTaken } from '../../workspaces/index.ts';
import type { ReadRun, Records, WorkspacePorts } from './recorded-places.ts';
import type { Step } from './workspace-actions.ts';

/**
 * The branches of runs that have ended, where a branch of the user's holds all of it, or has taken it as one commit. A run
 * that failed may be tried again, and would go on from its branch: that one stays, unless all is to go.
 */
export async function branchSteps(
  { ports }: WorkspacePorts,
  { runs }: Records,
  force: boolean,
): Promise<Step[]> {
  const ended = runs.filter((read) => !read.isDriven && mayGo(read, force));
  const steps: Step[] = [];
  for (const [repository, group] of groupsOf(ended)) {
    const merged = await ports.upkeep.mergedBranches(repository, group.map(takenOf));
    steps.push(...merged.map((branch) => branchStep(ports.upkeep, repository, branch)));
  }
  return steps;
}

function takenOf({ run, state }: ReadRun): RunTaken {
  return { run, ...(state.delivered !== undefined && { into: state.delivered.into }) };
}

/** Nobody goes on from where its branch is. */
export function mayGo({ state }: ReadRun, force: boolean): boolean {
  const status = statusOf(state);
  return status === 'succeeded' || (force && isFinal(status));
}

function groupsOf(runs: readonly ReadRun[]): [RepositoryOrigin, ReadRun[]][] {
  const inRepositories = runs.filter(({ state }) => state.origin?.repository !== undefined);
  const groups = Map.groupBy(inRepositories, ({ state }) => state.origin!.repository!.commonDir);
  return Array.from(groups.values(), (group) => [group[0]!.state.origin!.repository!, group]);
}

function branchStep(
  upkeep: WorkspacePorts['ports']['upkeep'],
  repository: RepositoryOrigin,
  merged: MergedBranch,
): Step {
  const { run, branch, into, squash } = merged;
  const holds = squash === undefined ? 'holds all of it' : 'has taken it as one commit; it is archived first';
  const reason = `its run has ended, and ${shortRef(into)} ${holds}`;
  return {
    action: { run, what: 'drop branch', name: branch, reason },
    async carryOut() {
      const isGone = await upkeep.dropBranch(repository, merged);
      return { done: isGone ? 'removed' : 'kept: it has changed meanwhile', events: [] };
    },
  };
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|remotes)\//, '');
}
