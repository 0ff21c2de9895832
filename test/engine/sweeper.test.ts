import { expect, test } from 'vitest';
import { cleanRequest } from '../../src/engine/sweeper.ts';
import { done, failedWith, simulate } from '../support/simulate.ts';
import { command, task, workflow } from '../support/workflows.ts';

test('whoever cleans a place is told whether its task has succeeded: by that it may be kept', () => {
  const placed = { work: command('make'), workspace: { mode: 'directory' } } as const;
  const { state } = simulate(workflow([task('good', placed), task('bad', placed)]), {
    origin: { directory: '/project' },
    script: ({ task: name }) => (name === 'bad' ? failedWith() : done),
  }).drain();
  for (const name of ['good', 'bad']) state.tasks.get(name)!.workspace = { path: '/place', token: name };
  const succeeded = ['good', 'bad'].map((name) => cleanRequest(state, state.tasks.get(name)!).hasSucceeded);
  expect(succeeded).toEqual([true, false]);
});
