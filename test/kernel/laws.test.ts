import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeState, encodeState, rebuildAgenda } from '../../src/kernel/index.ts';
import { breaches } from '../support/laws.ts';
import { miscounts } from '../support/miscounts.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { play, steps, take } from '../support/random-lives.ts';
import { closures, nestedWorkflows } from '../support/random-workflows.ts';
import { simulate, type Simulation } from '../support/simulate.ts';

/** Each visit of a graph in a graph in a graph, of every item, may have to be approved. */
const mostRounds = 1_000;

/** Leads a run to its end: held tasks are tried again, attempts succeed. */
function finish(simulation: Simulation): void {
  simulation.command({ type: 'resume' });
  for (let rounds = 0; rounds < mostRounds && !simulation.drain().isOver; rounds++) {
    simulation.releaseHeld();
  }
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
