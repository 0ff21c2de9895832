import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeState, encodeState, rebuildAgenda } from '../../src/kernel/index.ts';
import type { Outcome, Workflow } from '../../src/model/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { closures, flatWorkflows } from '../support/random-workflows.ts';
import { ReferenceRun } from '../support/reference.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';

const kinds = ['end', 'end', 'end', 'wake', 'wake', 'skip', 'retry', 'pause', 'resume', 'cancel'] as const;
const deaths = ['crash', 'crash to a snapshot', 'forget the agenda', 'forget all but a snapshot'] as const;
type Kind = (typeof kinds)[number] | (typeof deaths)[number];
const ways = [
  'succeed',
  'succeed',
  'fail',
  'fail for good',
  'wait',
  'be cancelled',
  'be interrupted',
] as const;

interface Step {
  readonly kind: Kind;
  readonly pick: number;
  readonly way: (typeof ways)[number];
}

function stepsOf(given: readonly Kind[]): fc.Arbitrary<Step[]> {
  const step = fc.record({
    kind: fc.constantFrom(...given),
    pick: fc.nat({ max: 20 }),
    way: fc.constantFrom(...ways),
  });
  return fc.array(step, { maxLength: 25 });
}

function outcomeOf(way: Step['way'], now: number): Outcome {
  switch (way) {
    case 'succeed':
      return done;
    case 'fail':
      return failedWith();
    case 'fail for good':
      return failedWith('HOPELESS', false);
    case 'wait':
      return { type: 'delayed', until: now + 500, reason: 'a limit' };
    case 'be cancelled':
      return { type: 'cancelled', reason: 'it gave up' };
    case 'be interrupted':
      return interrupted;
  }
}

/** The kernel and the reference, led through the same events. */
function take(simulation: Simulation, reference: ReferenceRun, step: Step): void {
  const { state, running } = simulation;
  const pick = <T>(list: readonly T[]): T => list[step.pick % list.length]!;
  const name = pick([...state.tasks.keys()]);
  switch (step.kind) {
    case 'end': {
      if (running.length === 0) return;
      const ended = pick(running);
      const outcome = outcomeOf(step.way, simulation.now);
      simulation.end(ended, outcome);
      return reference.end([ended], outcome);
    }
    case 'wake':
      if (simulation.wake()) reference.passTimeTo(simulation.now);
      return;
    case 'skip':
      simulation.command({ type: 'skip', task: name });
      return reference.skip(name);
    case 'retry':
      simulation.command({ type: 'retry', task: name });
      return reference.retry(name);
    case 'pause':
    case 'resume':
      if (simulation.command({ type: step.kind }).accepted) reference.setPaused(step.kind === 'pause');
      return;
    case 'cancel':
      if (simulation.command({ type: 'cancel', reason: 'enough' }).accepted) reference.cancel();
      return;
    case 'crash':
    case 'crash to a snapshot':
      simulation.crash({ snapshot: step.kind === 'crash to a snapshot' });
      return reference.end(running, interrupted);
    case 'forget the agenda':
      return rebuildAgenda(state);
    case 'forget all but a snapshot':
      simulation.state = decodeState(encodeState(state));
  }
}

/** Leads both to the end: what is held is tried again, and every attempt succeeds. */
function finish(simulation: Simulation, reference: ReferenceRun): void {
  const last = (kind: Kind): void => {
    take(simulation, reference, { kind, pick: 0, way: 'succeed' });
    expect(simulation.statuses).toEqual(reference.statuses);
  };
  last('resume');
  for (let steps = 0; !simulation.isOver && steps < 100; steps++) {
    const held = [...simulation.state.tasks.keys()].findIndex((name) => simulation.statusOf(name) === 'held');
    if (held >= 0) take(simulation, reference, { kind: 'retry', pick: held, way: 'succeed' });
    last(simulation.running.length > 0 ? 'end' : 'wake');
  }
}

function expectAgreement(workflow: Workflow, steps: readonly Step[]): void {
  const simulation = simulate(workflow, { closures });
  const reference = new ReferenceRun(workflow, { now: simulation.now, closures });
  expect(simulation.statuses).toEqual(reference.statuses);
  for (const step of steps) {
    take(simulation, reference, step);
    expect(simulation.statuses).toEqual(reference.statuses);
  }
  finish(simulation, reference);
  expect(simulation.status).toBe(reference.status);
  expect(simulation.events.at(-1)).not.toHaveProperty('data.failure.code', 'STUCK');
}

test('after every event each task has the status that the meaning of its workflow gives it', () => {
  fc.assert(fc.property(flatWorkflows, stepsOf(kinds), expectAgreement), { numRuns: propertyRuns });
});

test('deaths, replays and snapshots at any point change nothing but the attempts they interrupt', () => {
  fc.assert(fc.property(flatWorkflows, stepsOf([...kinds, ...deaths]), expectAgreement), {
    numRuns: propertyRuns,
  });
});
