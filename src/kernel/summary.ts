import type { RunStatus, RunSummary } from '../model/index.ts';
import { nextWake } from './plan.ts';
import type { RunState } from './run-state.ts';

/** Where the run is in its life, for people. */
export function statusOf(state: RunState): RunStatus {
  const { phase, counts } = state;
  if (phase.status !== 'active') return phase.status;
  if (counts.running > 0) return 'running';
  if (counts.held > 0) return 'held';
  return counts.delayed > 0 ? 'delayed' : 'running';
}

/** Constant in time and size, whatever the number of tasks; with agents it grows by the days that they worked. */
export function summaryOf(state: RunState): RunSummary {
  const status = statusOf(state);
  const wakeAt = status === 'delayed' || status === 'held' ? nextWake(state) : undefined;
  const reason = reasonOf(state);
  return {
    workflow: state.workflow.name,
    workflowHash: state.workflow.hash,
    status,
    settled: state.counts.settled,
    total: state.counts.total,
    ...(wakeAt !== undefined && { wakeAt }),
    ...(reason !== undefined && { reason }),
    ...(state.counts.places > 0 && { places: state.counts.places }),
    ...(Object.keys(state.spent).length > 0 && { spent: state.spent }),
    ...(state.about !== undefined && { about: state.about }),
  };
}

function reasonOf({ phase }: RunState): string | undefined {
  if (phase.status === 'failed') return phase.failure.message;
  return 'reason' in phase ? phase.reason : undefined;
}
