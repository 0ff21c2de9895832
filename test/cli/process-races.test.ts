import { expect, test } from 'vitest';
import { bothAt, countsIn, expectTold, isTaken, raceRetries } from './process-races.ts';
import { askingRun, failedRun } from './races.ts';

test.each([0, 150])('two piton retry, %d ms apart: one effect, both told', async (laterMs) => {
  expect(await raceRetries(failedRun, laterMs)).toEqual({ ran: 'aab', taken: 1 });
});

test('piton approve and piton reject at once: one of them counts, both told', async () => {
  const project = await askingRun();
  const answers = await bothAt(
    project,
    [
      ['approve', 'r', 'ship'],
      ['reject', 'r', 'ship'],
    ],
    0,
  );
  expectTold(answers);
  expect(answers.filter(isTaken)).toHaveLength(1);
  expect(countsIn(project)['s'] ?? 0).toBe(isTaken(answers[0]!) ? 1 : 0);
});
