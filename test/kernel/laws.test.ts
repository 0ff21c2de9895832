import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeState, encodeState, rebuildAgenda } from '../../src/kernel/index.ts';
import type { Command, Outcome, Workflow } from '../../src/model/index.ts';
import { breaches } from '../support/laws.ts';
import { miscounts } from '../support/miscounts.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { closures, nestedWorkflows } from '../support/random-workflows.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  unreachable,
  type Simulation,
} from '../support/simulate.ts';

const commands = ['pause', 'resume', 'cancel', 'retry', 'skip'] as const;
const gateCommands = ['approve', 'reject'] as const;

interface Step {
  readonly kind:
    'end' | 'wake' | 'crash' | 'reopen' | 'clock' | (typeof commands)[number] | (typeof gateCommands)[number];
  readonly pick: number;
  readonly way: 'succeed' | 'fail' | 'not reach' | 'wait' | 'be cancelled' | 'be interrupted';
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>(
      'end',
      'end',
      'end',
      'end',
      'wake',
      'crash',
      'reopen',
      'reopen',
      'clock',
      ...commands,
      ...gateCommands,
      'approve',
      'approve',
    ),
    pick: fc.nat({ max: 30 }),
    way: fc.constantFrom<Step['way'][]>(
      'succeed',
      'succeed',
      'fail',
      'not reach',
      'wait',
      'be cancelled',
      'be interrupted',
    ),
  }),
  { maxLength: 30 },
);

function take(simulation: Simulation, { kind, pick, way }: Step): void {
  const tasks = [...simulation.state.tasks.keys()];
  const task = tasks[pick % tasks.length] ?? 'none';
  if (kind === 'reopen') simulation.reopen(task);
  else if (simulation.isOver) return;
  else if (kind === 'approve' || kind === 'reject') simulation.decide(kind, task);
  else if (isCommand(kind)) simulation.command(commandOf(kind, task));
  else happen(simulation, { kind, pick, way });
}

function isCommand(kind: Step['kind']): kind is (typeof commands)[number] {
  return (commands as readonly string[]).includes(kind);
}

function happen(simulation: Simulation, { kind, pick, way }: Step): void {
  const { running, now } = simulation;
  if (kind === 'crash') simulation.crash({ snapshot: pick % 2 === 0 });
  else if (kind === 'clock') setClock(simulation, pick);
  else if (kind === 'wake') simulation.wake();
  else if (running.length > 0) simulation.end(running[pick % running.length]!, outcomeOf(way, now));
}

function setClock(simulation: Simulation, pick: number): void {
  const ms = (pick - 15) * 100;
  simulation.now += ms;
  simulation.transition(() => [{ type: 'clock.jumped', data: { ms } }]);
}

function commandOf(type: (typeof commands)[number], task: string): Command {
  if (type === 'cancel') return { type, reason: 'enough' };
  if (type === 'pause' || type === 'resume') return { type };
  return { type, task };
}

function outcomeOf(way: Step['way'], now: number): Outcome {
  if (way === 'wait') return { type: 'delayed', until: now + 500, reason: 'a limit' };
  if (way === 'be cancelled') return { type: 'cancelled', reason: 'it gave up' };
  if (way === 'be interrupted') return interrupted;
  if (way === 'not reach') return unreachable;
  return way === 'fail' ? failedWith() : done;
}

/** Each visit of a graph in a graph in a graph, of every item, may have to be approved. */
const mostRounds = 1_000;

/** Leads a run to its end: held tasks are tried again, attempts succeed. */
function finish(simulation: Simulation): void {
  simulation.command({ type: 'resume' });
  for (let rounds = 0; rounds < mostRounds && !simulation.drain().isOver; rounds++) {
    simulation.releaseHeld();
  }
}

function play(workflow: Workflow, given: readonly Step[]): Simulation {
  const simulation = simulate(workflow, { closures });
  for (const step of given) take(simulation, step);
  return simulation;
}

test('no journal of nested tasks, for-each and graphs breaks a law, and every run ends', () => {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2 }), steps, (workflow, given) => {
      const simulation = play(workflow, given);
      finish(simulation);
      expect(breaches(simulation.journal)).toEqual([]);
      expect(simulation.isOver).toBe(true);
    }),
    { numRuns: propertyRuns },
  );
});

test('the live state, its replayed journal and its snapshot are equal after every commit', () => {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2 }), steps, (workflow, given) => {
      const simulation = simulate(workflow, { closures });
      for (const step of given) {
        take(simulation, step);
        expect(encodeState(simulation.replayed())).toBe(encodeState(simulation.state));
      }
    }),
    { numRuns: propertyRuns / 2 },
  );
});

test('what is counted on the way is what a look at every task says', () => {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2 }), steps, (workflow, given) => {
      const simulation = simulate(workflow, { closures });
      for (const step of given) {
        take(simulation, step);
        expect(miscounts(simulation.state)).toEqual([]);
      }
    }),
    { numRuns: propertyRuns },
  );
});

/** Ways to forget what is not in the journal. */
const amnesias: Readonly<Record<string, (simulation: Simulation) => void>> = {
  'the agenda was rebuilt from the facts': ({ state }) => rebuildAgenda(state),
  'the state was folded anew': (simulation) => (simulation.state = simulation.replayed()),
  'the state was read from a snapshot': (simulation) =>
    (simulation.state = decodeState(encodeState(simulation.state))),
};

/** In no particular order: several that are cancelled at once may be written down in any. */
function lastDecisions({ journal }: Simulation): string[] {
  return journal
    .at(-1)!
    .events.map((event) => JSON.stringify(event))
    .sort();
}

test.for(Object.entries(amnesias))('nothing else is decided, then or later, where %s', ([, forget]) => {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2 }), steps, (workflow, given) => {
      const kept = simulate(workflow, { closures });
      const forgetful = simulate(workflow, { closures });
      for (const step of given) {
        take(kept, step);
        forget(forgetful);
        expect(forgetful.transition()).toEqual([]);
        take(forgetful, step);
        expect(lastDecisions(forgetful)).toEqual(lastDecisions(kept));
      }
    }),
    { numRuns: propertyRuns / 2 },
  );
});
