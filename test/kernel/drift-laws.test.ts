/** Runs that go on with another definition somewhere in the middle, whatever that is. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeState,
  encodeState,
  isSettled,
  taskAt,
  viewDrift,
  type TaskState,
} from '../../src/kernel/index.ts';
import type { Event, TaskSpec, Workflow } from '../../src/model/index.ts';
import { miscounts } from '../support/miscounts.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { play, steps } from '../support/random-lives.ts';
import { nestedWorkflows } from '../support/random-workflows.ts';
import { type Simulation } from '../support/simulate.ts';
import { command, task, tries, workflow } from '../support/workflows.ts';

/** One change of one task, here or inside of another. */
const edits = fc.array(
  fc.record({
    at: fc.nat({ max: 7 }),
    inside: fc.boolean(),
    what: fc.constantFrom(
      'retry',
      'timeout',
      'work',
      'needs',
      'remove',
      'add',
      'if',
      'locks',
      'continue',
      'approval',
    ),
  }),
  { minLength: 1, maxLength: 4 },
);
type Edit = typeof edits extends fc.Arbitrary<(infer One)[]> ? One : never;

function changedBy(flow: Workflow, given: readonly Edit[]): Workflow {
  return given.reduce(edited, flow);
}

function edited(flow: Workflow, { at, inside, what }: Edit): Workflow {
  if (flow.tasks.length === 0) return again(flow, [task(`new${at}`)]);
  const index = at % flow.tasks.length;
  const spec = flow.tasks[index]!;
  const putting = (now: TaskSpec): Workflow => again(flow, flow.tasks.with(index, now));
  if (inside && spec.work.type === 'workflow')
    return putting({
      ...spec,
      work: { ...spec.work, workflow: edited(spec.work.workflow, { at, inside: true, what }) },
    });
  switch (what) {
    case 'remove':
      return flow.form === 'graph' || flow.tasks.length === 1 ? flow : without(flow, spec.name);
    case 'add':
      return again(flow, [
        ...flow.tasks,
        task(`new${at}`, { needs: flow.form === 'graph' ? [] : [spec.name] }),
      ]);
    case 'needs':
      return putting({ ...spec, needs: spec.needs.slice(1) });
    default:
      return putting(withField(spec, what));
  }
}

function withField(spec: TaskSpec, what: Edit['what']): TaskSpec {
  if (what === 'if') return { ...spec, if: 'always()' };
  if (what === 'approval') return { ...spec, approval: 'Sure?' };
  if (what === 'retry') return { ...spec, retry: tries(4) };
  if (what === 'timeout') return { ...spec, timeoutMs: 5 };
  if (what === 'locks') return { ...spec, locks: ['z'] };
  if (what === 'continue') return { ...spec, continueOnError: !spec.continueOnError };
  return spec.work.type === 'workflow' ? spec : { ...spec, work: command('changed') };
}

function without(flow: Workflow, name: string): Workflow {
  const left = flow.tasks.filter((spec) => spec.name !== name);
  return again(
    flow,
    left.map((spec) => ({
      ...spec,
      needs: spec.needs.filter((need) => need !== name),
      reads: spec.reads.filter((read) => read !== name),
    })),
  );
}

function again({ hash: _, ...flow }: Workflow, tasks: readonly TaskSpec[]): Workflow {
  return workflow(tasks, flow);
}

/** Leads a run to its end: held tasks are tried again, attempts succeed. */
function finish(simulation: Simulation): void {
  simulation.command({ type: 'resume' });
  for (let rounds = 0; rounds < 1_000 && !simulation.drain().isOver; rounds++) simulation.releaseHeld();
}

function adopt(simulation: Simulation, changed: Workflow): Event[] {
  return simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: changed } }]);
}

function settledIn({ state }: Simulation): TaskState[] {
  return [...state.tasks.values()].filter(({ life }) => isSettled(life));
}

const lives = [nestedWorkflows({ depth: 2 }), steps, edits] as const;

test('whatever is accepted in the middle of a run: it ends, nothing settled is done again, and the counts are true', () => {
  let accepted = 0;
  fc.assert(
    fc.property(...lives, (flow, given, edits) => {
      const simulation = play(flow, given);
      const changed = changedBy(flow, edits);
      if (simulation.isOver || !viewDrift(simulation.state, changed).canAccept) return;
      accepted++;
      const settled = new Map(settledIn(simulation).map(({ address, life }) => [address, life]));
      const from = simulation.journal.length;
      adopt(simulation, changed);
      expect(miscounts(simulation.state)).toEqual([]);
      finish(simulation);
      expect(simulation.isOver).toBe(true);
      const later = simulation.journal.slice(from).flatMap(({ events }) => events);
      expect(later.filter((event) => event.type === 'attempt.started' && settled.has(event.task))).toEqual(
        [],
      );
      expect(later.some((event) => event.type === 'run.failed' && event.data.failure.code === 'STUCK')).toBe(
        false,
      );
      for (const [address, life] of settled) expect(taskAt(simulation.state, address).life).toBe(life);
    }),
    { numRuns: propertyRuns },
  );
  expect(accepted).toBeGreaterThan(propertyRuns / 10);
});

test('what runs keeps the spec it was started with, and the journal and a snapshot give the same state', () => {
  fc.assert(
    fc.property(...lives, (flow, given, edits) => {
      const simulation = play(flow, given);
      const changed = changedBy(flow, edits);
      if (simulation.isOver || !viewDrift(simulation.state, changed).canAccept) return;
      const running = simulation.running.map((address) => taskAt(simulation.state, address));
      const before = running.map(({ address, spec }) => [address, JSON.stringify(spec)]);
      simulation.mayStart = false;
      adopt(simulation, changed);
      const after = running.map(({ address }) => [
        address,
        JSON.stringify(taskAt(simulation.state, address).spec),
      ]);
      expect(after).toEqual(before);
      const text = encodeState(simulation.state);
      expect(encodeState(simulation.replayed())).toBe(text);
      expect(encodeState(decodeState(text))).toBe(text);
      expect(viewDrift(simulation.state, changed).drift).toEqual([]);
      simulation.mayStart = true;
      simulation.crash({ snapshot: true });
      finish(simulation);
      expect(simulation.isOver).toBe(true);
    }),
    { numRuns: propertyRuns / 2 },
  );
});

test('if nobody has to choose, both definitions lead to the same end', () => {
  fc.assert(
    fc.property(...lives, (flow, given, edits) => {
      const changed = changedBy(flow, edits);
      const ends = [true, false].map((isAccepted) => {
        const simulation = play(flow, given);
        if (simulation.isOver || viewDrift(simulation.state, changed).mustChoose) return undefined;
        if (isAccepted) adopt(simulation, changed);
        finish(simulation);
        return simulation.statuses;
      });
      expect(ends[0]).toEqual(ends[1]);
    }),
    { numRuns: propertyRuns },
  );
});
