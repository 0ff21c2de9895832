import { expect, test } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { checkDyingRuns, checkShuffledRuns } from './crash.ts';

test('whatever the order in which attempts end, a run comes to the same result', () => {
  expect(() => checkShuffledRuns(propertyRuns)).not.toThrow();
});

test('a run that dies again and again comes to the result of one that never does, and repeats nothing settled', () => {
  expect(() => checkDyingRuns(propertyRuns)).not.toThrow();
});
