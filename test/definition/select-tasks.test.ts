import { describe, expect, test } from 'vitest';
import { selectTasks } from '../../src/definition/index.ts';
import type { Workflow } from '../../src/model/index.ts';
import { parsed, task, workflow } from './support.ts';

/** lint → build → test → ship, and notes beside them. */
const release = workflow([
  task('lint'),
  task('build', { needs: ['lint'] }),
  task('test', { needs: ['build'] }),
  task('ship', { needs: ['test'] }),
  task('notes'),
]);

const needs = ({ tasks }: Workflow) => Object.fromEntries(tasks.map((task) => [task.name, task.needs]));

test('without a selection, or with one of everything, the workflow is the same', () => {
  expect(selectTasks(release, {})).toBe(release);
  expect(selectTasks(release, { only: [], skip: [] })).toBe(release);
  expect(selectTasks(release, { until: ['ship', 'notes'] })).toBe(release);
});

describe('a part of a workflow', () => {
  test('is these tasks alone, with what they need counted as met', () => {
    expect(needs(selectTasks(release, { only: ['ship', 'notes'] }))).toEqual({ ship: [], notes: [] });
  });

  test('is a task and all that it needs', () => {
    expect(needs(selectTasks(release, { until: ['build'] }))).toEqual({ lint: [], build: ['lint'] });
  });

  test('is all but some, and who needed one of those needs what that one needed', () => {
    expect(needs(selectTasks(release, { skip: ['test', 'build'] }))).toEqual({
      lint: [],
      ship: ['lint'],
      notes: [],
    });
  });

  test('can be said in several ways at once', () => {
    const selected = selectTasks(release, { until: ['test'], only: ['notes'], skip: ['lint'] });
    expect(needs(selected)).toEqual({ build: [], test: ['build'], notes: [] });
  });

  test('is a definition of its own, frozen, with a hash that says so', () => {
    const selected = selectTasks(release, { only: ['lint'] });
    expect(selected.hash).not.toBe(release.hash);
    expect(selectTasks(release, { only: ['lint'] }).hash).toBe(selected.hash);
    expect(Object.isFrozen(selected.tasks[0])).toBe(true);
  });
});

test('outputs that read what is left out are left out too', async () => {
  const whole = await parsed(`
name: w
tasks: { a-b: { run: x }, c: { run: y } }
outputs: { one: '\${{ tasks.a-b.output }}', two: '\${{ tasks.c.output }}', both: ['\${{ tasks.c.output + tasks.a-b.output }}'] }
`);
  expect(selectTasks(whole, { only: ['c'] }).outputs).toEqual({ two: '${{ tasks.c.output }}' });
  expect(selectTasks(whole, { skip: ['c'] }).outputs).toEqual({ one: '${{ tasks["a-b"].output }}' });
  const closure = workflow([task('a'), task('b')], { outputs: { $function: 'outputs' } });
  expect(selectTasks(closure, { only: ['a'] })).not.toHaveProperty('outputs');
});

test('a task that reads one that is left out is refused, and both are named', async () => {
  const whole = await parsed(`
name: w
tasks:
  a: { run: x }
  b: { needs: a, run: 'echo \${{ tasks.a.output }}' }
  c: { needs: b, run: z }
`);
  expect(() => selectTasks(whole, { only: ['b'] })).toThrow(
    expect.objectContaining({
      code: 'SELECTION_INVALID',
      message: expect.stringContaining('`b` reads `a`') as string,
      remedy: 'Select a too, or leave out b as well.',
    }),
  );
  expect(needs(selectTasks(whole, { only: ['c'] }))).toEqual({ c: [] });
});

test('an unknown name is refused with the one that was meant', () => {
  expect(() => selectTasks(release, { skip: ['tests'] })).toThrow(
    expect.objectContaining({ code: 'TASK_UNKNOWN', remedy: 'Did you mean `test`?' }),
  );
});

test('of a graph no part can be selected, and nothing is no selection', () => {
  const graph = workflow([task('a', { next: [{ to: 'end' }] })], { graph: { start: 'a' } });
  expect(() => selectTasks(graph, { only: ['a'] })).toThrow(
    expect.objectContaining({ code: 'SELECTION_INVALID' }),
  );
  expect(() => selectTasks(workflow([task('a')]), { skip: ['a'] })).toThrow(
    expect.objectContaining({ code: 'SELECTION_INVALID' }),
  );
});
