import { expect, test } from 'vitest';
import type { TaskDraft } from '../../src/definition/index.ts';
import type { Json } from '../../src/base/index.ts';
import { messages, refusal, task, workflow } from './support.ts';

const giving = (name: string, given: Json, rest: Partial<TaskDraft> = {}): TaskDraft =>
  task(name, { work: { type: 'function', function: 'f', with: given }, ...rest });

const readsOf = (draft: TaskDraft, others: readonly TaskDraft[]) =>
  workflow([...others, draft]).tasks.find(({ name }) => name === draft.name)!.reads;

test('what the expressions of a task mention is what it reads', () => {
  const others = [task('a'), task('b'), task('c'), task('d'), task('e'), task('never')];
  const draft = giving(
    'z',
    { x: ['${{ tasks.a.output }}', 'and ${{ tasks["b"].output }}'], text: 'tasks.never.output' },
    {
      needs: ['a', 'b', 'c', 'd', 'e', 'never'],
      if: 'needs.c.status == "tasks.never"',
      forEach: { in: '${{ tasks.d.outputs }}', key: '${{ tasks.e.status + item }}' },
    },
  );
  expect(readsOf(draft, others)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a task may read what it needs through others', () => {
  const others = [task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] })];
  expect(readsOf(giving('d', '${{ tasks.a.output }}', { needs: ['c'] }), others)).toEqual(['a']);
});

test('reading a task without needing it is refused, and the need suggested', () => {
  const problems = refusal(() => workflow([task('a'), giving('b', { x: '${{ tasks.a.output }}' })]));
  expect(problems).toMatchObject([{ path: 'tasks.b.with.x', remedy: "Add `needs: ['a']` to `b`." }]);
});

test('reading a task that comes later is refused', () => {
  const problems = refusal(() =>
    workflow([giving('a', '${{ tasks.b.output }}'), task('b', { needs: ['a'] })]),
  );
  expect(messages(problems)).toEqual(['`a` reads `b` without needing it. It may not have run yet.']);
});

test('a task cannot read itself', () => {
  expect(messages(refusal(() => workflow([giving('a', '${{ tasks.a.output }}')])))).toEqual([
    '`a` reads itself.',
  ]);
});

test('reading a task that does not exist is refused, and the nearest name suggested', () => {
  const problems = refusal(() => workflow([task('plan'), giving('b', '${{ tasks.plam.output }}')]));
  expect(problems).toMatchObject([{ message: 'There is no task `plam`.', remedy: 'Did you mean `plan`?' }]);
});

test('`needs` holds direct needs only', () => {
  const tasks = [
    task('a'),
    task('b', { needs: ['a'] }),
    giving('c', '${{ needs.a.output }}', { needs: ['b'] }),
  ];
  expect(messages(refusal(() => workflow(tasks)))).toEqual([
    '`c` reads `a` without needing it. `needs` holds only direct needs.',
  ]);
});

test('`tasks` without a name is refused, since nobody could know what has to run before', () => {
  for (const expression of ['size(tasks)', 'tasks[inputs.which].output']) {
    const problems = refusal(() => workflow([task('a'), giving('b', `\${{ ${expression} }}`)]));
    expect(messages(problems)).toEqual([expect.stringContaining('without naming a task')]);
  }
});

test('the outputs of a workflow may read every task', () => {
  const { outputs } = workflow([task('a'), task('b')], { outputs: { x: '${{ tasks.a.output }}' } });
  expect(outputs).toEqual({ x: '${{ tasks.a.output }}' });
  expect(messages(refusal(() => workflow([task('a')], { outputs: { x: '${{ tasks.b.output }}' } })))).toEqual(
    ['There is no task `b`.'],
  );
});

const group = (inner: readonly TaskDraft[], rest: Partial<TaskDraft> = {}): TaskDraft =>
  task('group', {
    work: { type: 'workflow', workflow: { name: 'group', tasks: inner }, inherits: true },
    ...rest,
  });

test('what an inline body reads around it, its task reads', () => {
  const inner = [
    task('one'),
    giving('two', '${{ tasks.a.output }} ${{ tasks.one.output }}', { needs: ['one'] }),
  ];
  const [, spec] = workflow([task('a'), group(inner, { needs: ['a'] })]).tasks;
  expect(spec!.reads).toEqual(['a']);
  expect(spec!.work).toMatchObject({ workflow: { tasks: [{ reads: [] }, { reads: ['one'] }] } });
});

test('an inline body may read only what its task needs', () => {
  const problems = refusal(() => workflow([task('a'), group([giving('one', '${{ tasks.a.output }}')])]));
  expect(problems).toMatchObject([
    { path: 'tasks.group.tasks.one.with', remedy: "Add `needs: ['a']` to `group`." },
  ]);
});

test('a workflow with inputs of its own does not see the tasks around it', () => {
  const child = { name: 'child', tasks: [giving('one', '${{ tasks.a.output }}')] };
  const user = task('b', { needs: ['a'], work: { type: 'workflow', workflow: child } });
  expect(messages(refusal(() => workflow([task('a'), user])))).toEqual(['There is no task `a`.']);
});

test('names with hyphens are names, not subtractions', () => {
  const reader = giving('z', '${{ tasks.build-api.output }}', {
    needs: ['build-api'],
    if: 'tasks.build-api.output',
  });
  const spec = workflow([task('build-api'), task('build'), reader]).tasks[2]!;
  expect(spec).toMatchObject({
    reads: ['build-api'],
    if: 'success() && (tasks["build-api"].output)',
    work: { with: '${{ tasks["build-api"].output }}' },
  });
});

test('a minus is a minus unless it is inside of a known name', () => {
  const output = { type: 'object', properties: { n: {}, 'n-1': {} } };
  const written = (text: string) => {
    const reader = giving('z', `\${{ tasks.a.output.${text} }}`, { needs: ['a'] });
    return workflow([task('a', { output }), reader]).tasks[1]!.work.with;
  };
  expect(written('n-1')).toBe('${{ tasks.a.output["n-1"] }}');
  expect(written('n - 1')).toBe('${{ tasks.a.output.n - 1 }}');
  expect(written('n-2')).toBe('${{ tasks.a.output.n-2 }}');
  expect(written('n-1-2')).toBe('${{ tasks.a.output["n-1"]-2 }}');
});

test('status functions belong into conditions', () => {
  expect(messages(refusal(() => workflow([giving('a', '${{ success() }}')])))).toEqual([
    '`success()` says something only in an `if`.',
  ]);
  expect(messages(refusal(() => workflow([task('a', { if: 'cancelled()' })])))).toEqual([
    '`cancelled()` does not exist: nothing starts in a run that has been cancelled.',
  ]);
});

test.each([
  ['${{ inputs.x', 'An expression begins here with `${{` and is never closed.'],
  ["it's ${{ 'x }}", 'An expression begins here with `${{` and is never closed.'],
  ['${{ }}', 'There is no expression here.'],
])('%s is refused', (text, message) => {
  expect(messages(refusal(() => workflow([giving('a', text)])))).toEqual([message]);
});

test('a condition is one expression', () => {
  expect(
    messages(refusal(() => workflow([task('a', { if: '${{ inputs.x }} && ${{ inputs.y }}' })]))),
  ).toEqual(['`${{ }}` stands around a part of the condition; it is one expression as a whole.']);
  expect(messages(refusal(() => workflow([task('a', { if: ' ' })])))).toEqual([
    'There is no expression here.',
  ]);
});
