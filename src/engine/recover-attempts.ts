import { livenessOf } from '../base/index.ts';
import { decideOutcome, type AttemptState, type TaskState, type World } from '../kernel/index.ts';
import { isProcess, type Event } from '../model/index.ts';
import type { Spool } from '../spool/index.ts';
import type { Found } from './find-attempt.ts';
import { findAttempt } from './find-attempt.ts';
import type { RunWriter } from './run-writer.ts';
import { spooledAttemptOf } from './witnesses.ts';

/** What is to be followed once its recovery is durable. */
export interface Attached {
  readonly task: TaskState;
  readonly found: Found;
}

/** What becomes of all that was under way when the last driver let go of the run, however it did. */
export async function recoverAttempts(
  writer: RunWriter,
  spool: Spool,
  world: () => World,
): Promise<Attached[]> {
  const attached: Attached[] = [];
  for (const task of attemptedTasks(writer)) {
    const found = await recoverAttempt(writer, task, { spool, world });
    if (found !== undefined) attached.push({ task, found });
  }
  return attached;
}

function attemptedTasks({ state }: RunWriter): TaskState[] {
  return [...state.tasks.values()].filter(
    ({ life }) => life.status === 'running' && life.attempt !== undefined,
  );
}

async function recoverAttempt(
  writer: RunWriter,
  task: TaskState,
  { spool, world }: { readonly spool: Spool; readonly world: () => World },
): Promise<Found | undefined> {
  const { state } = writer;
  if (task.life.status !== 'running') return undefined;
  const attempt = task.life.attempt!;
  if (!isProcess(task.spec.work) || attempt.kind === 'integrate') {
    // A function lived in the process of its driver.
    const outcome = { type: 'interrupted', reason: 'the process that ran it ended' } as const;
    return void writer.add(decideOutcome(state, task, { outcome, world: world() }));
  }
  writer.add(await placeOf(spool, task, attempt.id));
  const finding = await findAttempt(spool, attempt);
  if (finding.how === 'interrupted') {
    // Before that is written: whoever is killed in between leaves it to the next, which finds nothing begun again.
    if (finding.outcome.neverBegan === true) await tidy(spool, attempt);
    // What an agent has said may tell how far it came, or even that it was done: whoever follows it reads that first.
    const isReadable = finding.outcome.neverBegan !== true && finding.outcome.mayStillRun !== true;
    if (attempt.agent !== undefined && isReadable) return { type: 'vanished' };
    return void writer.add(decideOutcome(state, task, { outcome: finding.outcome, world: world() }));
  }
  const { how, found } = finding;
  writer.add([{ type: 'attempt.recovered', task: task.address, attempt: attempt.id, data: { how } }]);
  return found;
}

/** What cannot be removed takes room, and no more. */
async function tidy(spool: Spool, { id, driver }: AttemptState): Promise<void> {
  const isOrphan = driver !== undefined && livenessOf(driver) === 'dead';
  await spool.removeUnbegun(id, { isOrphan }).catch(() => {});
}

/** Where it works was written down when it was started, and perhaps not yet in the journal. */
async function placeOf(spool: Spool, { address, workspace }: TaskState, attempt: string): Promise<Event[]> {
  const order = workspace === undefined ? await spool.describe(attempt) : undefined;
  const prepared = order && spooledAttemptOf(order)?.prepared;
  return prepared === undefined ? [] : [{ type: 'workspace.prepared', task: address, data: prepared }];
}
