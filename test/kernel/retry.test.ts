import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { taskAt } from '../../src/kernel/index.ts';
import type { Outcome, RetryPolicy } from '../../src/model/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { done, failedWith, simulate } from '../support/simulate.ts';
import { task, tries, workflow } from '../support/workflows.ts';

const alwaysFail = (): Outcome => failedWith();

/** The waits between the tries of a task that always fails. */
function waits(policy: RetryPolicy, { chance = 0 } = {}): number[] {
  const simulation = simulate(workflow([task('a', { retry: policy })]), {
    chance: () => chance,
    script: alwaysFail,
  }).drain();
  expect(simulation.statusOf('a')).toBe('failed');
  return simulation.journal.flatMap(({ at, events }) =>
    events.flatMap((event) => (event.type === 'task.delayed' ? [event.data.until - at] : [])),
  );
}

describe('waiting', () => {
  test('each wait is longer by the factor, up to the longest allowed', () => {
    const policy = tries(6, { backoffMs: 100, factor: 3, maxBackoffMs: 2_000 });
    expect(waits(policy)).toEqual([100, 300, 900, 2_000, 2_000]);
  });

  test('a task with one try has no wait, and one with three has two', () => {
    expect(waits(tries(1))).toEqual([]);
    expect(waits(tries(3))).toHaveLength(2);
  });

  test('jitter takes away at most its share of the wait and never adds to it', () => {
    const numbers = fc.record({
      backoffMs: fc.integer({ min: 0, max: 10_000 }),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
      maxBackoffMs: fc.integer({ min: 0, max: 100_000 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(numbers, ({ chance, jitter, ...policy }) => {
        const full = waits(tries(4, policy));
        const jittered = waits(tries(4, { ...policy, jitter }), { chance });
        jittered.forEach((wait, index) => {
          expect(wait).toBeLessThanOrEqual(full[index]!);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(full[index]! * (1 - jitter)) - 1);
        });
      }),
      { numRuns: propertyRuns },
    );
  });

  test('a thousand tries without a wait between them stay without one', () => {
    expect(new Set(waits(tries(1_200, { backoffMs: 0 })))).toEqual(new Set([0]));
  });
});

describe('what is retried', () => {
  test.for<[string, Partial<RetryPolicy>, boolean]>([
    ['everything, if nothing is said', {}, true],
    ['a code that is listed', { on: ['BROKEN'] }, true],
    ['no code that is not listed', { on: ['OTHER'] }, false],
    ['no part of a code', { on: ['BROKE'] }, false],
    ['no code that is excluded', { notOn: ['BROKEN'] }, false],
    ['nothing that is both listed and excluded', { on: ['BROKEN'], notOn: ['BROKEN'] }, false],
    ['a message that fits a pattern', { on: ['/is brok/'] }, true],
    ['a pattern with flags', { on: ['/IS BROK/i'] }, true],
    ['no message that an excluding pattern fits', { notOn: ['/broken$/'] }, false],
    ['no code through a pattern, which looks at messages', { on: ['/BROKEN/'] }, false],
  ])('%s', ([, given, isRetried]) => {
    expect(waits(tries(2, given))).toHaveLength(isRetried ? 1 : 0);
  });

  test('no failure that says that trying again cannot help', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(5) })]));
    simulation.end('a', failedWith('HOPELESS', false));
    expect(simulation.statusOf('a')).toBe('failed');
  });

  test('a limit that has to be waited for uses up no try', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(1) })]));
    const until = simulation.now + 3_600_000;
    simulation.end('a', { type: 'delayed', until, reason: 'usage limit' });
    expect(simulation.status).toBe('delayed');
    simulation.wake();
    expect(simulation.now).toBe(until);
    simulation.end('a', done);
    expect(simulation.status).toBe('succeeded');
    expect(taskAt(simulation.state, 'a').tally.failures).toBe(0);
  });
});
