import { hasCode, PitonError } from '../base/index.ts';
import type { RunFilter, RunRecord } from '../store/index.ts';
import {
  inboxItemOf,
  inboxItemOfRun,
  inboxItemOfStatus,
  shownStatus,
  type InboxItem,
  type QueuedDecision,
} from '../views/index.ts';
import { drivingOf, lostEndOf, problemOf, queuedIn, type Looking } from './circumstances.ts';
import { unfinished } from './list-runs.ts';
import { Run } from './run.ts';

const unreadable: ReadonlySet<string> = new Set(['RUN_DAMAGED', 'RUN_TOO_NEW', 'RUN_UNREADABLE']);

/** All that waits for a person, in all runs that have not ended: tasks, and runs that should go on and do not. */
export async function readInbox(
  looking: Looking,
  { onDamaged }: Pick<RunFilter, 'onDamaged'>,
): Promise<readonly InboxItem[]> {
  const open = await looking.ports.store.listRuns({ status: unfinished, ...(onDamaged && { onDamaged }) });
  const runs = open.map(({ run }) => run);
  const driving = await drivingOf(looking, runs, onDamaged);
  const queued = await queuedIn(looking.ports, runs);
  const items: InboxItem[] = [];
  for (const record of open) {
    // Where that is damaged, it was told: nobody knows that it was interrupted.
    const isDriven = driving.get(record.run)?.isDriven ?? true;
    const around = { isDriven, queued: queued.get(record.run) ?? [] };
    items.push(...(await waitingIn(looking, record, around)));
  }
  return items;
}

/** What waits for a person in one run. A journal that cannot be read must not hide what waits in the others: it waits itself. */
async function waitingIn(
  { engine, ports }: Looking,
  record: RunRecord,
  { isDriven, queued }: { readonly isDriven: boolean; readonly queued: readonly QueuedDecision[] },
): Promise<readonly InboxItem[]> {
  const { run, workflow, updatedAt: since } = record;
  const of = { run, workflow, since };
  try {
    const lost = await lostEndOf(ports, record);
    if (lost !== undefined) return [inboxItemOfRun(of, problemOf(lost))];
    // Read after the leases: whoever lets go of a run has written its end before.
    const checkpoint = await new Run(run, { engine, ports }).checkpoint();
    const { tasks, version } = checkpoint;
    const isStalled = engine.stalledBecause(run) !== undefined;
    const ofRun = inboxItemOfStatus(of, shownStatus(checkpoint, { isDriven, isStalled }));
    const ofTask = { ...of, version, queued };
    const ofTasks = Object.entries(tasks).flatMap(([task, view]) => inboxItemOf(ofTask, task, view) ?? []);
    return ofRun === undefined ? ofTasks : [ofRun, ...ofTasks];
  } catch (thrown) {
    // Removed meanwhile: nothing waits in it any more.
    if (hasCode(thrown, 'RUN_NOT_FOUND')) return [];
    if (!(thrown instanceof PitonError) || !unreadable.has(thrown.code)) throw thrown;
    return [inboxItemOfRun(of, problemOf(thrown))];
  }
}
