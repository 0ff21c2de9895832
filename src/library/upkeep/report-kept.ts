import { statusOf, type RunState } from '../../kernel/index.ts';
import type { KeptRef } from '../../workspaces/index.ts';
import { isOver, type Records } from './recorded-places.ts';
import type { WorkspaceReport } from './workspace-report.ts';

/** What a ref keeps, and why it is there. undefined: the run is under way, and its branch is where it should be. */
export function keptReport(
  { ref, what, run, task, at }: KeptRef,
  { runs }: Records,
): WorkspaceReport | undefined {
  const about = { run, ...(task !== undefined && { task }), health: 'unknown' } as const;
  if (what !== 'branch')
    return { ...about, kind: 'kept', status: 'archived', reason: reasons[what], ref, at };
  const state = runs.find((each) => each.run === run)?.state;
  if (state === undefined || !isOver(state)) return undefined;
  return { ...about, kind: 'branch', status: 'ready', reason: branchReason(state), branch: ref };
}

const reasons = {
  commit: 'a commit that nothing else may lead to',
  saved: 'what was last saved of a place',
  tip: 'all that the run has made; its branch is gone',
} as const;

function branchReason(state: RunState): string {
  const { run, delivered } = state;
  if (delivered !== undefined) return `${made}, and ${deliveredText(delivered)}`;
  if (statusOf(state) === 'succeeded') return `${made}; piton merge ${run} takes it`;
  return 'where its run would go on if it is tried again';
}

const made = 'what its run has made';

function deliveredText({ how, into, url }: NonNullable<RunState['delivered']>): string {
  if (how === 'merge') return `was merged into ${into}; piton workspace clean removes it`;
  const where = url === undefined ? '' : ` (${url})`;
  return `was proposed for ${into}${where}; piton workspace clean removes it once that is merged, and fetched`;
}
