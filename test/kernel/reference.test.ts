import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeState, encodeState, rebuildAgenda } from '../../src/kernel/index.ts';
import type { Outcome, Workflow } from '../../src/model/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { closures, flatWorkflows } from '../support/random-workflows.ts';
import { ReferenceRun } from '../support/reference.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  unreachable,
  type Simulation,
} from '../support/simulate.ts';

const kinds = [
  'end',
  'end',
  'end',
  'end',
  'end',
  'wake',
  'wake',
  'skip',
  'retry',
  'retry',
  'approve',
  'approve',
  'reject',
  'reopen',
  'go on without',
  'pause',
  'resume',
  'cancel',
  'set max-parallel',
  'set max-parallel',
] as const;
const deaths = ['crash', 'crash to a snapshot', 'forget the agenda', 'forget all but a snapshot'] as const;
type Kind = (typeof kinds)[number] | (typeof deaths)[number];
const ways = [
  'succeed',
  'succeed',
  'fail',
  'fail for good',
  'not reach it',
  'not reach it',
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
    case 'not reach it':
      return unreachable;
    case 'wait':
      return { type: 'delayed', until: now + 500, reason: 'a limit' };
    case 'be cancelled':
      return { type: 'cancelled', reason: 'it gave up' };
    case 'be interrupted':
      return interrupted;
  }
}

/** The kernel and the reference, to be led through the same events. */
interface Pair {
  readonly simulation: Simulation;
  readonly reference: ReferenceRun;
}

type Take = (
  pair: Pair,
  chosen: { readonly name: string; readonly pick: number; readonly way: Step['way'] },
) => void;

function setPaused(paused: boolean): Take {
  return ({ simulation, reference }) => {
    if (simulation.command({ type: paused ? 'pause' : 'resume' }).accepted) reference.setPaused(paused);
  };
}

function crash(snapshot: boolean): Take {
  return ({ simulation, reference }) => {
    const { running } = simulation;
    simulation.crash({ snapshot });
    reference.end(running, interrupted);
  };
}

const takes: Readonly<Record<Kind, Take>> = {
  end({ simulation, reference }, { pick, way }) {
    const { running, now } = simulation;
    if (running.length === 0) return;
    const ended = running[pick % running.length]!;
    simulation.end(ended, outcomeOf(way, now));
    reference.end([ended], outcomeOf(way, now));
  },
  wake({ simulation, reference }) {
    if (simulation.wake()) reference.passTimeTo(simulation.now);
  },
  skip({ simulation, reference }, { name }) {
    simulation.command({ type: 'skip', task: name });
    reference.skip(name);
  },
  retry({ simulation, reference }, { name }) {
    simulation.command({ type: 'retry', task: name });
    reference.retry(name);
  },
  approve({ simulation, reference }, { name }) {
    simulation.decide('approve', name);
    reference.decide(name, true);
  },
  reject({ simulation, reference }, { name }) {
    simulation.decide('reject', name);
    reference.decide(name, false);
  },
  reopen({ simulation, reference }, { name }) {
    simulation.reopen(name);
    reference.reopen(name);
  },
  'go on without'({ simulation, reference }, { name }) {
    simulation.takeUp({ skipped: [name] });
    reference.goOnWithout(name);
  },
  pause: setPaused(true),
  resume: setPaused(false),
  cancel({ simulation, reference }) {
    if (simulation.command({ type: 'cancel', reason: 'enough' }).accepted) reference.cancel();
  },
  'set max-parallel'({ simulation, reference }, { pick }) {
    const to = maxParallelFrom(pick);
    const limit = { limit: 'max-parallel', ...(to !== undefined && { to }) } as const;
    simulation.command({ type: 'set', about: { name: String(pick) }, limits: [limit] });
    reference.setMaxParallel(to);
  },
  crash: crash(false),
  'crash to a snapshot': crash(true),
  'forget the agenda': ({ simulation }) => rebuildAgenda(simulation.state),
  'forget all but a snapshot'({ simulation }) {
    simulation.state = decodeState(encodeState(simulation.state));
  },
};

/** One to three, none, or what the workflow says. */
function maxParallelFrom(pick: number): number | 'none' | undefined {
  return ([1, 2, 3, 'none', undefined] as const)[pick % 5];
}

function take(pair: Pair, { kind, pick, way }: Step): void {
  const all = [...pair.simulation.state.tasks.keys()];
  takes[kind](pair, { name: all[pick % all.length]!, pick, way });
  expect(pair.simulation.statuses).toEqual(pair.reference.statuses);
}

/** Leads both to the end: what is held is tried again, and every attempt succeeds. */
function finish(pair: Pair): void {
  const { simulation } = pair;
  const last = (kind: Kind, pick = 0): void => take(pair, { kind, pick, way: 'succeed' });
  last('resume');
  for (let steps = 0; !simulation.isOver && steps < 100; steps++) {
    const held = Object.values(simulation.statuses).indexOf('held');
    if (held >= 0) last('approve', held);
    if (held >= 0) last('retry', held);
    last(simulation.running.length > 0 ? 'end' : 'wake');
  }
}

function expectAgreement(workflow: Workflow, steps: readonly Step[]): void {
  const simulation = simulate(workflow, { closures });
  const reference = new ReferenceRun(workflow, { now: simulation.now, closures });
  expect(simulation.statuses).toEqual(reference.statuses);
  for (const step of steps) take({ simulation, reference }, step);
  finish({ simulation, reference });
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
