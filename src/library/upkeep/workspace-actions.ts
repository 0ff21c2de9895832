import { asError } from '../../base/index.ts';
import { cleanRequest } from '../../engine/index.ts';
import type { RunState } from '../../kernel/index.ts';
import type { CleanupPolicy, Event } from '../../model/index.ts';
import type { Cleaned, Stray } from '../../workspaces/index.ts';
import type { Leftover, Leftovers } from './find-leftovers.ts';
import type { RecordedPlace, Records, WorkspacePorts } from './recorded-places.ts';

/** What is, or would be, done about a place, and why. */
export interface WorkspaceAction {
  readonly run?: string;
  readonly task?: string;
  /** `nothing`: it is only said. */
  readonly what: 'clean' | 'hold' | 'drop archive' | 'drop branch' | 'drop ref' | 'nothing';
  /** The path, branch or ref that it is about. */
  readonly name?: string;
  readonly reason: string;
  /** What came of it. Absent where nothing was done. */
  readonly done?: string;
  /** Why it could not be done: everything is as it was. */
  readonly failed?: string;
}

/** Something to be done, and what to tell the journal when it is. */
export interface Step {
  readonly action: WorkspaceAction;
  carryOut(): Promise<{ readonly done: string; readonly events: readonly Event[] }>;
}

export function isStep(planned: Step | WorkspaceAction): planned is Step {
  return 'carryOut' in planned;
}

export interface Carried {
  readonly actions: WorkspaceAction[];
  readonly events: Event[];
}

/** One after another; what cannot be done is said, and does not keep the others from being done. */
export async function carryOut(planned: readonly (Step | WorkspaceAction)[]): Promise<Carried> {
  const carried: Carried = { actions: [], events: [] };
  for (const each of planned) {
    if (!isStep(each)) {
      carried.actions.push(each);
      continue;
    }
    try {
      const { done, events } = await each.carryOut();
      carried.actions.push({ ...each.action, done });
      carried.events.push(...events);
    } catch (thrown) {
      carried.actions.push({ ...each.action, failed: asError(thrown).message });
    }
  }
  return carried;
}

export function actionsOf(planned: readonly (Step | WorkspaceAction)[]): WorkspaceAction[] {
  return planned.map((each) => (isStep(each) ? each.action : each));
}

export interface CleanOrder {
  readonly policy: CleanupPolicy;
  readonly reason: string;
}

export function cleanStep(
  { ports }: WorkspacePorts,
  { state, task, place }: RecordedPlace,
  { policy, reason }: CleanOrder,
): Step {
  return {
    action: { run: state.run, task: task.address, what: 'clean', name: place.path, reason },
    async carryOut() {
      const cleaned = await ports.upkeep.clean(cleanRequest(state, task), policy);
      return {
        done: cleanedText(cleaned),
        events: [{ type: 'workspace.cleaned', task: task.address, data: cleaned }],
      };
    },
  };
}

export function strayStep({ ports }: WorkspacePorts, stray: Leftover<Stray>): Step {
  const { repository, run, task, name, text } = stray;
  const about = { ...(run !== undefined && { run }), ...(task !== undefined && { task }) };
  return {
    action: { ...about, what: 'clean', name, reason: text },
    carryOut: async () => ({
      done: cleanedText(await ports.upkeep.cleanStray(repository, stray)),
      events: [],
    }),
  };
}

function cleanedText({ how, reason, ref }: Cleaned): string {
  return `${how}${ref === undefined ? '' : ` in ${ref}`}: ${reason}`;
}

export function policyOf({ ports }: WorkspacePorts, state: RunState): CleanupPolicy {
  return state.workflow.cleanup ?? ports.cleanup;
}

/** What could not be looked at: nothing is done about it, and that is said. */
export function troublesIn({ troubles }: Leftovers, { unread }: Records): readonly WorkspaceAction[] {
  return [...unread, ...troubles.map((reason) => ({ reason }))].map((trouble) => ({
    ...trouble,
    what: 'nothing',
  }));
}
