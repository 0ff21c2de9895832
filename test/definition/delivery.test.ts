import { describe, expect, test } from 'vitest';
import { createEvaluator, selectTasks } from '../../src/definition/index.ts';
import { workflow as begin } from '../../src/index.ts';
import type { DeliverWork, TaskSpec, Workflow } from '../../src/model/index.ts';
import { messages, parse, parsed, parseProblems, places, refusal, task, workflow } from './support.ts';

const flow = (head: string, tasks = '  a: { run: ls }'): string => `name: w\n${head}\ntasks:\n${tasks}`;

const delivery = ({ tasks }: Workflow): TaskSpec => tasks.find(({ work }) => work.type === 'deliver')!;
const pullRequest = (given: Workflow): DeliverWork['pr'] => (delivery(given).work as DeliverWork).pr;

describe('deliver', () => {
  test('is a task of its own, which may be done again and is not retried', async () => {
    const spec = delivery(await parsed(flow('deliver: pr')));
    expect(spec).toMatchObject({
      name: 'deliver',
      needs: ['a'],
      reads: [],
      work: { type: 'deliver', pr: { draft: false } },
      onInterrupt: 'restart',
      retry: { attempts: 1 },
    });
    for (const key of ['if', 'approval', 'workspace', 'setup', 'timeoutMs'])
      expect(spec).not.toHaveProperty(key);
  });

  test('is not given what the defaults give to tasks', async () => {
    const spec = delivery(
      await parsed(
        flow('deliver: pr\ndefaults: { retry: 5, timeout: 1s, workspace: worktree }\nsetup: make'),
      ),
    );
    expect(spec).toMatchObject({ retry: { attempts: 1 } });
    for (const key of ['workspace', 'setup', 'timeoutMs']) expect(spec).not.toHaveProperty(key);
  });

  test('comes after all that nobody needs, but does not wait for what is done only after a failure', async () => {
    const tasks = `  a: { run: ls }
  b: { run: ls, needs: a }
  c: { run: ls, needs: a }
  alarm: { run: ls, needs: c, if: failure() }
  notes: { run: ls, needs: b, if: "\${{ failure() && inputs.x }}" }
  tidy: { run: ls, needs: b, if: always() }
  maybe: { run: ls, if: failure() || inputs.x }`;
    const { needs } = delivery(await parsed(flow('deliver: pr\ninputs: { x: boolean }', tasks)));
    expect(needs).toEqual(['c', 'tidy', 'maybe']);
  });

  test('can be told what the pull request is to be, whom to ask, and when', async () => {
    const given = await parsed(
      flow(
        `inputs: { name: string }
deliver:
  approval: Open one for \${{ inputs.name }}?
  if: "!failure()"
  pr:
    base: main
    branch: work/\${{ run.id }}
    draft: true
    title: \${{ inputs.name }} after \${{ tasks.one-part.output }}
    body: \${{ tasks.a.output }}`,
        '  one-part: { run: ls }\n  a: { run: ls, needs: one-part }',
      ),
    );
    expect(pullRequest(given)).toEqual({
      base: 'main',
      branch: 'work/${{ run.id }}',
      draft: true,
      title: '${{ inputs.name }} after ${{ tasks["one-part"].output }}',
      body: '${{ tasks.a.output }}',
    });
    expect(delivery(given)).toMatchObject({
      needs: ['a'],
      reads: ['a', 'one-part'],
      if: '!failure()',
      approval: 'Open one for ${{ inputs.name }}?',
    });
  });

  test('has texts that are evaluated like all others, though there are no others', async () => {
    const given = await parsed(flow('deliver: { pr: { title: "Run ${{ run.id }}" } }'));
    const { render } = await createEvaluator(given, {});
    expect(render(pullRequest(given).title!, { run: { id: 'r1' } })).toBe('Run r1');
  });

  test('gives what the outputs of the workflow can read', async () => {
    const outputs = (field: string) => `deliver: pr\noutputs: { x: "\${{ tasks.deliver.output.${field} }}" }`;
    for (const field of ['url', 'branch', 'base', 'commit', 'existed'])
      await expect(parsed(flow(outputs(field)))).resolves.toBeDefined();
    expect(messages(await parseProblems(flow(outputs('link'))))).toEqual([expect.stringContaining('link')]);
  });

  test('is the same from a draft, and stays what it is when it is defined again', () => {
    const built = begin('w', { deliver: { pr: { title: 'Done' }, approval: 'Now?' } })
      .task('a', () => 1)
      .command('b', { needs: ['a'] }, 'ls').workflow;
    expect(delivery(built)).toMatchObject({ needs: ['b'], approval: 'Now?' });
    expect(pullRequest(built)).toEqual({ draft: false, title: 'Done' });
    const { hash: _, ...draft } = built;
    expect(begin('w', { deliver: 'pr' }).command('a', 'ls').workflow).not.toHaveProperty('deliver');
    expect(workflow(draft.tasks, draft).hash).toBe(built.hash);
  });

  test('is no draft where nothing says whether it is one', () => {
    const pr = { draft: undefined, title: 'Done', base: undefined };
    expect(pullRequest(workflow([task('a')], { deliver: { pr } }))).toStrictEqual({
      draft: false,
      title: 'Done',
    });
  });

  test('waits for tasks whose condition only a closure knows', () => {
    const tasks = [task('a', { if: { $function: 'failure()' } })];
    expect(delivery(workflow(tasks, { deliver: { pr: {} } })).needs).toEqual(['a']);
  });

  test('is told from a workflow that does not deliver', async () => {
    const hashes = await Promise.all(
      ['', 'deliver: pr', 'deliver: { pr: { draft: true } }', 'deliver: { pr: {}, approval: x }'].map(
        async (head) => (await parsed(flow(head))).hash,
      ),
    );
    expect(new Set(hashes).size).toBe(4);
    expect((await parsed(flow('deliver: { pr: {} }'))).hash).toBe(hashes[1]);
  });
});

describe('of a delivery is refused, with its place,', () => {
  test.each([
    ['deliver: merge', '2:10 Expected "pr" or a mapping, found "merge".'],
    ['deliver: {}', '2:10 `pr` is missing.'],
    ['deliver: { pr: { into: main } }', '2:18 There is no key `into` here.'],
    ['deliver: { pr: { draft: maybe } }', '2:25 Expected true or false, found "maybe".'],
    ['deliver: { pr: { base: "${{ run.id }}" } }', '2:24 `base` cannot hold `${{ }}`'],
    ['deliver: { pr: { base: -x } }', '2:24 `-x` cannot be the name of a branch.'],
    ['deliver: { pr: { branch: a b } }', '2:26 `a b` cannot be the name of a branch.'],
    ['deliver: { pr: { branch: a..b } }', '2:26 `a..b` cannot be the name of a branch.'],
    ['deliver: { pr: { branch: a.lock } }', '2:26 `a.lock` cannot be the name of a branch.'],
    ['deliver: { pr: { title: " " } }', '2:25 A pull request needs a title.'],
    ['deliver: { pr: { title: "${{ tasks.b.output }}" } }', '2:36 There is no task `b`.'],
    ['deliver: { pr: { body: "${{ inputs.x }}" } }', '2:36 `inputs` has no field `x`.'],
    ['deliver: { pr: { body: "${{ 1 + }}" } }', '2:32 It is not an expression'],
    ['deliver: { pr: {}, if: inputs }', '2:24 A condition must be true or false'],
    ['deliver:\n  pr:\n    title: fix #3', '4:12 The text is cut off before ` #`.'],
  ])('%s', async (head, expected) => {
    expect(places(await parseProblems(flow(head)))).toEqual([expect.stringContaining(expected)]);
  });

  test('a task that has its name', async () => {
    const problems = await parseProblems(flow('deliver: pr', '  deliver: { run: ls }'));
    expect(places(problems)).toEqual(['4:3 `deliver` is the name of the task that delivers.']);
    const beside = await parseProblems(flow('deliver: pr', '  a: { run: ls }\n  deliver: { run: ls }'));
    expect(places(beside)).toEqual(['5:3 `deliver` is the name of the task that delivers.']);
    expect((await parsed(flow('', '  deliver: { run: ls }'))).tasks).toHaveLength(1);
  });

  test('a graph', async () => {
    const text = 'name: w\ndeliver: pr\nstart: a\ngraph: { a: { run: ls, next: end } }';
    expect(places(await parseProblems(text))).toEqual([
      '2:1 A graph cannot deliver: nobody knows which of its nodes is the last.',
    ]);
  });

  test('a part of another workflow, in a file or in TypeScript', async () => {
    const files = { 'child.yaml': flow('deliver: pr') };
    const problems = await parseProblems(flow('', '  a: { uses: child.yaml }'), files);
    expect(places(problems)).toEqual([
      '4:14 `w` delivers by itself, and so it cannot be a part of another workflow.',
    ]);
    const child = begin('child', { deliver: 'pr' }).task('a', () => 1);
    const outer = begin('outer').task('c', {}, child);
    expect(messages(refusal(() => outer.workflow))).toEqual([
      '`child` delivers by itself, and so it cannot be a part of another workflow.',
    ]);
    const body = {
      type: 'workflow',
      inherits: true,
      workflow: { name: 'i', tasks: [task('a')], deliver: { pr: {} } },
    } as const;
    expect(messages(refusal(() => workflow([task('g', { work: body })])))).toEqual([
      '`i` delivers by itself, and so it cannot be a part of another workflow.',
    ]);
  });

  test('a key of tasks', async () => {
    expect(await parseProblems(flow('', '  a: { run: ls, deliver: pr }'))).toMatchObject([
      { remedy: 'Only a workflow as a whole delivers: put `deliver` at the top of the file.' },
    ]);
  });

  test('nothing of which all is well', async () => {
    const { suggestions } = await parse(flow('deliver: pr'));
    expect(suggestions).toEqual([]);
  });
});

describe('a part of a workflow that delivers', () => {
  const head = 'deliver: { pr: { title: "${{ tasks.a.output }}" } }';
  const tasks = '  a: { run: ls }\n  b: { run: ls, needs: a }\n  c: { run: ls }';
  const needs = (given: Workflow) => Object.fromEntries(given.tasks.map((spec) => [spec.name, spec.needs]));

  test('delivers only if that is selected, or others are left out', async () => {
    const whole = await parsed(flow(head, tasks));
    expect(needs(selectTasks(whole, { only: ['a'] }))).toEqual({ a: [] });
    expect(needs(selectTasks(whole, { until: ['b'] }))).toEqual({ a: [], b: ['a'] });
    expect(selectTasks(whole, { until: ['deliver'] })).toBe(whole);
    expect(needs(selectTasks(whole, { skip: ['b'] }))).toEqual({ a: [], c: [], deliver: ['c', 'a'] });
    expect(needs(selectTasks(whole, { skip: ['deliver'] }))).not.toHaveProperty('deliver');
  });

  test('has something to deliver, and what its texts read', async () => {
    const whole = await parsed(flow(head, tasks));
    expect(() => selectTasks(whole, { skip: ['a'] })).toThrow('`deliver` reads `a`');
    const silent = await parsed(flow('deliver: pr', tasks));
    expect(() => selectTasks(silent, { only: ['deliver'] })).toThrow(
      'With this selection nothing is made that could be delivered.',
    );
  });
});
