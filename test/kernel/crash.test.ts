import { expect, test } from 'vitest';
import { breaches } from '../support/laws.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { failedWith, simulate, type Script } from '../support/simulate.ts';
import { body, forEach, task, tries, workflow } from '../support/workflows.ts';
import { checkDyingRuns, checkShuffledRuns, resultOf } from './crash.ts';

test('whatever the order in which attempts end, a run comes to the same result', () => {
  expect(() => checkShuffledRuns(propertyRuns / 5)).not.toThrow();
});

test('a run that dies again and again comes to the result of one that never does, and repeats nothing settled', () => {
  expect(() => checkDyingRuns(propertyRuns / 5)).not.toThrow();
});

const firstWriteFails: Script = ({ name, failures, task }) =>
  name === 'write' && failures === 0 ? failedWith() : { type: 'succeeded', output: task };

test('a pipeline survives a death after every single commit', () => {
  const pipeline = workflow([
    task('plan'),
    task('build', {
      needs: ['plan'],
      forEach: forEach(['ui', 'api'], { maxParallel: 1 }),
      work: body(workflow([task('write', { retry: tries(2) }), task('check', { needs: ['write'] })])),
    }),
    task('ship', { needs: ['build'] }),
  ]);
  const calm = simulate(pipeline, { script: firstWriteFails }).drain();
  for (let seq = 1; seq <= calm.journal.length; seq++) {
    const simulation = simulate(pipeline, { script: firstWriteFails }).drain().crash({ seq }).drain();
    expect(resultOf(simulation)).toEqual(resultOf(calm));
    expect(breaches(simulation.journal)).toEqual([]);
  }
});
