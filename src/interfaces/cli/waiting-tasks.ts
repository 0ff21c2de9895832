import { PitonError, shellWord } from '../../base/index.ts';
import type { Piton } from '../../library/index.ts';
import type { AskedCall } from './conversation/index.ts';
import type { Damages } from './damages.ts';
import { commandsFor } from './next-step.ts';
import { actionsOf } from './progress/shell-words.ts';
import { messageOf } from './report-error.ts';
import type { RunRecord } from './runs.ts';

/** A task that waits for a person. */
export interface WaitingTask {
  readonly run: string;
  readonly workflow: string;
  /** Absent: the run as a whole, because its journal is damaged, or has lost its end. */
  readonly task?: string;
  /** When the run changed last. */
  readonly since: number;
  readonly reason: string;
  /** What an agent asks for, if that is it. */
  readonly call?: AskedCall;
  readonly actions: readonly string[];
  /** To be typed, one for each action. */
  readonly commands: readonly string[];
}

/** All that waits for a person, in all runs that have not ended. */
export async function waitingTasks(piton: Piton, { add }: Damages): Promise<WaitingTask[]> {
  const records = await piton.list({
    status: ['running', 'delayed', 'held', 'paused', 'stalled'],
    limit: Number.MAX_SAFE_INTEGER,
    onDamaged: add,
  });
  const waiting: WaitingTask[] = [];
  for (const record of records) waiting.push(...(await waitingIn(piton, record)));
  return waiting;
}

const unreadable: ReadonlySet<string> = new Set(['RUN_DAMAGED', 'RUN_TOO_NEW', 'RUN_UNREADABLE']);

async function waitingIn(piton: Piton, record: RunRecord): Promise<WaitingTask[]> {
  const { run, workflow, updatedAt: since } = record;
  const behind = await piton.findLostEnd(record);
  if (behind !== undefined) return [wholeRun(record, behind)];
  try {
    const { tasks } = await (await piton.find(run)).checkpoint();
    return Object.entries(tasks)
      .filter(([, { status }]) => status === 'held')
      .map(([task, report]) => {
        const { reason = '', actions = [], call, lent } = report;
        const asked = call === undefined ? {} : { call };
        return {
          run,
          workflow,
          task,
          since,
          reason,
          ...asked,
          actions: actionsOf({ actions, lent }),
          commands: commandsFor(run, task, report),
        };
      });
  } catch (thrown) {
    if (!(thrown instanceof PitonError) || !unreadable.has(thrown.code)) throw thrown;
    // One journal that cannot be read must not hide what waits in the others.
    return [wholeRun(record, thrown)];
  }
}

const repairable: ReadonlySet<string> = new Set(['RUN_DAMAGED', 'RUN_BEHIND']);

/** What its journal shows cannot be decided on. */
function wholeRun({ run, workflow, updatedAt: since }: RunRecord, error: PitonError): WaitingTask {
  const isRepairable = repairable.has(error.code);
  const command = `piton verify ${shellWord(run)}${isRepairable ? ' --repair' : ''}`;
  const actions = isRepairable ? ['repair'] : [];
  return { run, workflow, since, reason: messageOf(error), actions, commands: [command] };
}
