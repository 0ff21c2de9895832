/** Random workflows, and random outcomes for their attempts. */
import * as fc from 'fast-check';
import type { Condition, ForEachSpec, TaskSpec, Workflow } from '../../src/model/index.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from './workflows.ts';

/** `yes` and `no` are closures that simulations of these workflows must know. */
export const closures = { yes: () => true, no: () => false };

const condition: fc.Arbitrary<Condition | undefined> = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 4 },
  fc.constantFrom<Condition>('success()', 'failure()', 'always()', { $function: 'yes' }, { $function: 'no' }),
);
const attempts = fc.oneof({ arbitrary: fc.constant(1), weight: 2 }, fc.integer({ min: 2, max: 3 }));
const locks = fc.oneof(
  { arbitrary: fc.constant<string[]>([]), weight: 2 },
  fc.subarray(['x', 'y'], { minLength: 1 }),
);
const capacity = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const traits = fc.record({
  condition,
  attempts,
  locks,
  continueOnError: fc.boolean(),
  priority: fc.integer({ min: 0, max: 2 }),
  onInterrupt: fc.constantFrom<TaskSpec['onInterrupt'][]>('restart', 'restart', 'continue', 'ask'),
  asks: fc.nat({ max: 5 }).map((number) => number === 0),
  resources: fc.subarray(['api', 'disk']),
});

/** Quick to open, so that short runs see it. */
export const breakers = {
  api: { failures: 2, cooldownMs: 1_000, maxCooldownMs: 3_000 },
  disk: { failures: 1, cooldownMs: 400, maxCooldownMs: 400 },
};

function traitsOf(given: {
  condition: Condition | undefined;
  attempts: number;
  locks: string[];
  continueOnError: boolean;
  priority: number;
  onInterrupt: TaskSpec['onInterrupt'];
  asks: boolean;
  resources: string[];
}): Partial<TaskSpec> {
  const { condition, attempts, asks, ...rest } = given;
  return {
    ...rest,
    retry: tries(attempts),
    ...(condition !== undefined && { if: condition }),
    ...(asks && { approval: 'Really?' }),
  };
}

/** A workflow of up to eight tasks, listed in any order, each needing some of those that come before it. */
export const flatWorkflows: fc.Arbitrary<Workflow> = fc
  .integer({ min: 1, max: 8 })
  .chain((size) =>
    fc.record({
      tasks: fc.tuple(...Array.from({ length: size }, (_, index) => taskAfter(index))),
      order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      maxParallel: capacity,
      failFast: fc.boolean(),
    }),
  )
  .map(({ tasks, order, maxParallel, failFast }) =>
    workflow(
      order.map((index) => tasks[index]!),
      { failFast, breakers, ...(maxParallel !== undefined && { maxParallel }) },
    ),
  );

function taskAfter(index: number): fc.Arbitrary<TaskSpec> {
  const earlier = Array.from({ length: index }, (_, other) => `t${other}`);
  return fc
    .record({ needs: fc.subarray(earlier, { maxLength: Math.min(index, 3) }), traits })
    .map(({ needs, traits }) => task(`t${index}`, { needs, ...traitsOf(traits) }));
}

export interface NestedGiven {
  readonly depth: number;
  /** Nothing depends on which of two attempts ends first: no failure cancels others. */
  readonly timeless?: boolean;
}

/** Workflows within workflows: bodies, children, for-each, graphs, to the given depth. */
export function nestedWorkflows(given: NestedGiven): fc.Arbitrary<Workflow> {
  return fc.oneof({ arbitrary: nestedTasks(given), weight: 2 }, nestedGraph(given));
}

function nestedTasks(given: NestedGiven): fc.Arbitrary<Workflow> {
  return fc
    .record({
      tasks: fc.array(fc.record({ traits, work: workOf(given), needs: fc.nat({ max: 7 }) }), {
        minLength: given.depth === 0 ? 1 : 0,
        maxLength: 3,
      }),
      maxParallel: capacity,
      failFast: given.timeless === true ? fc.constant(false) : fc.boolean(),
    })
    .map(({ tasks, maxParallel, failFast }) => {
      const specs = tasks.map(({ traits, work, needs }, index) => {
        const earlier = Array.from({ length: index }, (_, other) => `t${other}`);
        const chosen = earlier.filter((_, other) => (needs >> other) % 2 === 1);
        return task(`t${index}`, { needs: chosen, ...traitsOf(traits), ...work });
      });
      return workflow(specs, { failFast, breakers, ...(maxParallel !== undefined && { maxParallel }) });
    });
}

function workOf({ depth, timeless = false }: NestedGiven): fc.Arbitrary<Partial<TaskSpec>> {
  const plain = fc.constant<Partial<TaskSpec>>({});
  const inside = { depth: depth - 1, timeless };
  const nested =
    depth === 0
      ? plain
      : fc.oneof(
          plain,
          nestedWorkflows(inside).map((inner) => ({ work: body(inner) })),
          nestedWorkflows(inside).map((inner) => ({ work: uses(inner) })),
        );
  const loops = loopsThatBear(timeless ? fc.constant(3) : fc.integer({ min: 0, max: 2 }));
  return fc.tuple(nested, fc.option(loops, { nil: undefined })).map(([work, loop]) => ({
    ...work,
    ...(loop !== undefined && { forEach: loop }),
  }));
}

function loopsThatBear(maxFailures: fc.Arbitrary<number>): fc.Arbitrary<ForEachSpec> {
  return fc
    .record({
      items: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
      maxParallel: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
      maxFailures,
    })
    .map(({ items, maxParallel, maxFailures }) =>
      forEach(items, { maxFailures, ...(maxParallel !== undefined && { maxParallel }) }),
    );
}

function nestedGraph(given: NestedGiven): fc.Arbitrary<Workflow> {
  const targets = fc.constantFrom('n0', 'n1', 'end');
  const made = fc.record({
    traits,
    work: workOf(given),
    next: targets,
    onFailure: targets,
    fails: fc.boolean(),
  });
  return fc.tuple(made, made).map((nodes) =>
    graph(
      nodes.map(({ traits, work, next, onFailure, fails }, index) => {
        const edges = [...(fails ? [{ if: 'failure()', to: onFailure }] : []), { to: next }];
        return node(`n${index}`, edges, { ...traitsOf(traits), ...work });
      }),
      { maxSteps: 4, state: { n: 0 }, breakers },
    ),
  );
}
