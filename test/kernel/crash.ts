/** What holds for every run that dies, or whose attempts end in another order. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { sha256 } from '../../src/base/index.ts';
import type { Commit, Event } from '../../src/model/index.ts';
import { breaches } from '../support/laws.ts';
import { closures, nestedWorkflows } from '../support/random-workflows.ts';
import { failedWith, simulate, type Script, type Simulation } from '../support/simulate.ts';

/** Fails as often as its name says, then gives what it saw: the same in every life. */
function scriptOf(failing: readonly number[]): Script {
  return ({ task, failures, variables }) => {
    const { tasks, needs, state } = variables;
    const seed = [...task].reduce((sum, character) => sum + character.charCodeAt(0), 0);
    if (failures < (failing[seed % failing.length] ?? 0)) return failedWith();
    const seen = JSON.stringify([task, tasks, needs, state], withoutErrors);
    return { type: 'succeeded', output: { seen: sha256(seen) } };
  };
}

/** Which of two failures came first, and so is named by what they both failed, is a matter of time. */
function withoutErrors(key: string, value: unknown): unknown {
  return key === 'error' ? undefined : value;
}

/** Leads a run to its end, trying again what is held. */
function finish(simulation: Simulation, choose?: (count: number) => number): Simulation {
  for (let rounds = 0; rounds < 1_000 && !simulation.drain(choose).isOver; rounds++) {
    simulation.releaseHeld();
  }
  return simulation;
}

/** All that a run has come to; not when, nor in how many attempts. */
export function resultOf(simulation: Simulation): unknown {
  const { tasks, scopes } = simulation.state;
  return {
    status: simulation.status,
    tasks: Object.fromEntries(
      [...tasks].map(([address, { life }]) => [address, [life.status, 'output' in life && life.output]]),
    ),
    states: Object.fromEntries([...scopes].map(([owner, { graph }]) => [owner, graph?.state])),
  };
}

const settling = new Set(['task.succeeded', 'task.failed', 'task.skipped', 'task.cancelled']);

function settledIn(journal: readonly Commit[]): Event[] {
  return journal.flatMap(({ events }) => events.filter(({ type }) => settling.has(type)));
}

const failing = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 });
const choices = fc.infiniteStream(fc.nat({ max: 50 }));

/** Whatever the order in which attempts end, a run comes to the same result. */
export function checkShuffledRuns(numRuns: number): void {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2, timeless: true }), failing, choices, (flow, fails, stream) => {
      const script = scriptOf(fails);
      const inOrder = finish(simulate(flow, { closures, script }));
      const shuffled = finish(simulate(flow, { closures, script }), (count) => stream.next().value % count);
      expect(resultOf(shuffled)).toEqual(resultOf(inOrder));
    }),
    { numRuns },
  );
}

const deaths = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 6 });

/** A run that dies again and again comes to the result of one that never does, and repeats nothing settled. */
export function checkDyingRuns(numRuns: number): void {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2, timeless: true }), failing, deaths, (flow, fails, points) => {
      const script = scriptOf(fails);
      const calm = finish(simulate(flow, { closures, script }));
      const restless = finish(simulate(flow, { closures, script }));
      for (const point of points) {
        const seq = 1 + (point % restless.journal.length);
        const settled = settledIn(restless.journal.slice(0, seq));
        restless.crash({ seq, snapshot: point % 2 === 0 });
        finish(restless, (count) => point % count);
        expect(settledIn(restless.journal).slice(0, settled.length)).toEqual(settled);
        expect(breaches(restless.journal)).toEqual([]);
      }
      expect(resultOf(restless)).toEqual(resultOf(calm));
    }),
    { numRuns },
  );
}
