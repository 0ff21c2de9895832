import type { TaskSpec, Workflow } from '../../model/index.ts';
import { mayBring, type Wanted } from './may-bring.ts';

/** A task of a workflow, or of one in it. What is asked about those before it is worked out only then: there may be many. */
export interface ListedTask {
  /** The names of the tasks that lead to it. */
  readonly path: readonly string[];
  readonly spec: TaskSpec;
  /** Whether one of the tasks that it needs, directly or not, may bring something that it lacks. In a graph it may be any. */
  mayBeBrought(wanted: Wanted): boolean;
  /** Whether it may never begin, or may fail without harm: then what it lacks does not stop a run. */
  isOptional(): boolean;
}

type Around = Omit<ListedTask, 'spec'>;

const top: Around = { path: [], mayBeBrought: () => false, isOptional: () => false };

/** All tasks but those that consist of others, which are listed instead. */
export function listTasks(workflow: Workflow, around: Around = top): ListedTask[] {
  const { tasks, form } = workflow;
  const isGraph = form === 'graph';
  const needsOptional = someBefore(workflow, mayBeLeftOut);
  const bringing = new Map<string, (spec: TaskSpec) => boolean>();
  const needsBringing = (spec: TaskSpec, wanted: Wanted): boolean => {
    const key = wanted === 'file' ? '' : wanted.program;
    const find = bringing.get(key) ?? someBefore(workflow, (need) => mayBring(need, wanted));
    bringing.set(key, find);
    return find(spec);
  };
  return tasks.flatMap((spec) => {
    const listed: Around = {
      path: [...around.path, spec.name],
      mayBeBrought: (wanted) =>
        around.mayBeBrought(wanted) ||
        (isGraph ? tasks.some((one) => one !== spec && mayBring(one, wanted)) : needsBringing(spec, wanted)),
      isOptional: () => around.isOptional() || isGraph || mayBeLeftOut(spec) || needsOptional(spec),
    };
    return spec.work.type === 'workflow' ? listTasks(spec.work.workflow, listed) : [{ ...listed, spec }];
  });
}

function mayBeLeftOut({ if: condition, forEach, continueOnError }: TaskSpec): boolean {
  return condition !== undefined || forEach !== undefined || continueOnError;
}

/** Whether one of those that a task needs, directly or not, is such a one. Each is asked once; without recursion, as chains may be long. */
function someBefore({ tasks }: Workflow, isSuch: (spec: TaskSpec) => boolean): (spec: TaskSpec) => boolean {
  const named = new Map(tasks.map((spec) => [spec.name, spec]));
  const known = new Map<TaskSpec, boolean>();
  return (asked) => {
    const open = [asked];
    for (let spec = open.at(-1); spec !== undefined; spec = open.at(-1)) {
      const needs = spec.needs.flatMap((name) => named.get(name) ?? []);
      const unknown = needs.filter((need) => !known.has(need));
      if (unknown.length > 0) open.push(...unknown);
      else
        known.set(
          open.pop()!,
          needs.some((need) => known.get(need) === true || isSuch(need)),
        );
    }
    return known.get(asked)!;
  };
}
