import { PitonError } from '../base/index.ts';
import type { TaskView } from '../kernel/index.ts';
import { buildWorkflow, taskPart, type AnyWork, type TaskList } from './build-workflow.ts';
import { isDefinition, type Closure, type Definition, type StepContext } from './definition.ts';
import { standsFor } from './function-sources.ts';
import type { Predicate } from './predicates.ts';
import type { OutputOf, Refusal } from './storable.ts';

type Handler<Inputs, Output> =
  ((inputs: Inputs, context: StepContext) => Output | Promise<Output>) | Definition<Inputs, Output>;

/** One way: taken if it is the first whose `when` holds. */
export interface Route<Inputs, Output> {
  /** Of the task that takes this way; default `route-1`, `route-2`… */
  readonly name?: string;
  readonly when: Predicate<Inputs>;
  readonly run: Handler<Inputs, Output>;
}

/** Takes the first way whose predicate holds, else the default; without one it is an error if none does. */
export function route<Inputs extends object, Output>(
  name: string,
  routes: readonly Route<Inputs, Output>[] & Refusal<Inputs> & Refusal<Output>,
  otherwise?: Handler<Inputs, Output>,
): Definition<Inputs, OutputOf<Output>> {
  const chosen = (inputs: unknown): number => routes.findIndex(({ when }) => when(inputs as Inputs));
  const ways = [
    ...routes.map(({ name: way, run }, index) => ({ name: way ?? `route-${index + 1}`, run, index })),
    ...(otherwise === undefined ? [] : [{ name: 'otherwise', run: otherwise, index: -1 }]),
  ];
  let tasks: TaskList | undefined;
  for (const way of ways) {
    const options = {
      if: ({ inputs }: { inputs: unknown }) => chosen(inputs) === way.index,
      ...(isDefinition(way.run) && { with: ({ inputs }: { inputs: unknown }) => inputs }),
    };
    tasks = { task: taskPart(way.name, options, workOf(way.run)), before: tasks };
  }
  return buildWorkflow({ name, settings: {}, tasks, outputs: taken(name) });
}

function workOf<Inputs, Output>(run: Handler<Inputs, Output>): AnyWork {
  if (isDefinition(run)) return run;
  const call = ({ inputs, ...context }: StepContext & { readonly inputs: unknown }): unknown =>
    run(inputs as Inputs, context);
  return standsFor(call, run);
}

/** The output of the way that was taken. */
function taken(name: string): Closure {
  return ({ tasks }) => {
    const way = Object.values(tasks as Record<string, TaskView>).find(({ status }) => status === 'succeeded');
    if (way !== undefined) return way.output;
    throw new PitonError('NO_ROUTE', `No route of ${name} applies, and it has no default.`, {
      remedy: 'Give it a default as the last argument.',
    });
  };
}
