import type { Json } from '../base/index.ts';
import type { TaskStatus } from '../model/index.ts';
import type { Checkpoint } from './checkpoint.ts';

/** What is different at another checkpoint, of the same run or of another. */
export interface CheckpointDifference {
  readonly from: CheckpointPlace;
  readonly to: CheckpointPlace;
  /** By name. */
  readonly inputs: readonly ChangedValue[];
  /** Of a graph, by key. */
  readonly state: readonly ChangedValue[];
  /** Tasks whose status or output is another, in the order of the later checkpoint. */
  readonly tasks: readonly ChangedTask[];
}

/** A checkpoint, and how the run stood there. */
export interface CheckpointPlace {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly status: string;
}

/** A value that is another, or is there only once. */
export interface ChangedValue {
  readonly name: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** A task that has another status or output; absent where there is no such task. */
export interface ChangedTask {
  readonly task: string;
  readonly from?: TaskStatus;
  readonly to?: TaskStatus;
  /** Absent if it is the same. */
  readonly output?: Omit<ChangedValue, 'name'>;
}

export function compareCheckpoints(from: Checkpoint, to: Checkpoint): CheckpointDifference {
  const names = new Set([...Object.keys(to.tasks), ...Object.keys(from.tasks)]);
  return {
    from: placeOf(from),
    to: placeOf(to),
    inputs: changedValues(from.inputs, to.inputs),
    state: changedValues(valuesIn(from.state), valuesIn(to.state)),
    tasks: [...names].flatMap((task) => changedTask(task, from, to)),
  };
}

function placeOf({ run, seq, at, status }: Checkpoint): CheckpointPlace {
  return { run, seq, at, status };
}

function valuesIn(state: unknown): Readonly<Record<string, Json>> {
  return (state ?? {}) as Readonly<Record<string, Json>>;
}

function changedValues(
  from: Readonly<Record<string, Json>>,
  to: Readonly<Record<string, Json>>,
): ChangedValue[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) => {
    const change = changeOf(own(from, name), own(to, name));
    return change === undefined ? [] : [{ name, ...change }];
  });
}

/** Names are anybody's. */
function own<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function changeOf(from: Json | undefined, to: Json | undefined): Omit<ChangedValue, 'name'> | undefined {
  if (JSON.stringify(from) === JSON.stringify(to)) return undefined;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function changedTask(task: string, from: Checkpoint, to: Checkpoint): ChangedTask[] {
  const [before, after] = [own(from.tasks, task), own(to.tasks, task)];
  const output = changeOf(before?.output, after?.output);
  if (before?.status === after?.status && output === undefined) return [];
  return [
    {
      task,
      ...(before !== undefined && { from: before.status }),
      ...(after !== undefined && { to: after.status }),
      ...(output !== undefined && { output }),
    },
  ];
}
