import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { dyingRuns, shuffledRuns } from './crash.ts';

test('whatever the order in which attempts end, a run comes to the same result', () => {
  expect(() => fc.assert(shuffledRuns, { numRuns: propertyRuns })).not.toThrow();
});

test('a run that dies again and again comes to the result of one that never does, and repeats nothing settled', () => {
  expect(() => fc.assert(dyingRuns, { numRuns: propertyRuns })).not.toThrow();
});
