import type { RunState, TaskState } from '../../src/kernel/index.ts';

/** Counts what planning looks at: tasks that are looked up or passed by, and entries that are taken from the agenda. */
export function countWork(state: RunState): { readonly looks: number } {
  const counter = { looks: 0 };
  const look = (): void => void counter.looks++;
  Object.assign(state, { tasks: countLookups(state.tasks, look) });
  const { agenda } = state;
  for (const queue of [agenda.undecided, agenda.doomed, agenda.concluded, agenda.moving])
    countCalls(queue, 'take', look);
  for (const heap of [agenda.ready, agenda.delayed]) countCalls(heap, 'pop', look);
  return counter;
}

function countLookups(tasks: Map<string, TaskState>, look: () => void): Map<string, TaskState> {
  const counted = new Map(tasks);
  const { get, values } = counted;
  counted.get = (address) => {
    look();
    return get.call(counted, address);
  };
  counted.values = function* () {
    for (const task of values.call(counted)) {
      look();
      yield task;
    }
  } as typeof values;
  return counted;
}

function countCalls<Name extends string>(
  target: { [name in Name]: () => unknown },
  name: Name,
  look: () => void,
): void {
  const original = target[name].bind(target);
  target[name] = () => {
    look();
    return original();
  };
}
