import { usageEntriesOf, type EventOf, type Used } from '../model/index.ts';
import type { RunState, TaskState } from './run-state.ts';
import { addUsed, nothingUsed, UsageMeter } from './usage-meter.ts';

/** Fold of `session.opened`. */
export function openAccount(state: RunState, { life }: TaskState, session: string): void {
  const agent = life.status === 'running' ? life.attempt?.agent : undefined;
  if (agent?.how === 'fork') meterOf(state).copy(agent.of, session);
}

function meterOf({ metered: counted, toldSoFar }: RunState): UsageMeter {
  return new UsageMeter({ counted, toldSoFar });
}

/** Fold of `transcript.added`: what an agent says it has used. */
export function countUsage(
  state: RunState,
  task: TaskState,
  { attempt, data }: EventOf<'transcript.added'>,
): void {
  const { day } = data;
  const used = meterOf(state).read({ attempt, session: task.conversation.session?.id }, usageEntriesOf(data));
  if (used === undefined) return;
  state.usage = addUsed(state.usage, used);
  task.usage = addUsed(task.usage ?? nothingUsed, used);
  const { life } = task;
  const agent = life.status === 'running' ? life.attempt?.agent?.name : undefined;
  if (day !== undefined && agent !== undefined) spend(state, { day, agent, used });
}

function spend(
  { spent }: RunState,
  { day, agent, used }: { readonly day: string; readonly agent: string; readonly used: Used },
): void {
  const ofDay = (spent[day] ??= {});
  const sum = addUsed(ofDay[agent] ?? nothingUsed, used);
  // What gets its price on this day may have been told on another, where it had none.
  ofDay[agent] = { ...sum, unpricedTokens: Math.max(sum.unpricedTokens, 0) };
}

export function spentOn({ spent }: Pick<RunState, 'spent'>, day: string): Used {
  return Object.values(spent[day] ?? {}).reduce(addUsed, nothingUsed);
}
