import { expect, test } from 'vitest';
import { remarkOf } from '../../src/interfaces/cli/conversation/index.ts';
import { rulesOf } from '../../src/project/plan/plan-rules.ts';
import { selectionOf } from '../../src/project/plan/selection.ts';
import { drawWorkflow } from '../../src/interfaces/cli/graph/draw.ts';
import { graphOf } from '../../src/project/workflows/graph.ts';
import { mermaidOf } from '../../src/interfaces/cli/graph/mermaid.ts';
import { styleFor, type Style } from '../../src/interfaces/cli/output/index.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import type { TaskSpec, WorkspaceSpec } from '../../src/model/index.ts';
import {
  agentTask,
  body,
  command,
  forEach,
  graph,
  node,
  task,
  tries,
  workflow,
} from '../support/workflows.ts';

const plain = styleFor(false);

test('a workflow is drawn level by level, with what is special about its tasks', () => {
  const inner = workflow([task('x'), task('y', { needs: ['x'] })]);
  const copied = { mode: 'directory', copyOf: 'data' } as unknown as WorkspaceSpec;
  const flow = workflow([
    task('plan'),
    task('each', { needs: ['plan'], forEach: forEach(['a']), retry: tries(3) }),
    task('grid', { needs: ['plan'], forEach: forEach(['a'], { matrix: true }), if: 'inputs.on' }),
    task('body', { needs: ['plan'], work: body(inner) }),
    task('ask', { needs: ['each', 'body'], approval: 'Really?', if: { $function: 'check' } }),
    task('own', { work: command('ls'), workspace: { mode: 'directory' } as WorkspaceSpec }),
    task('copied', { work: command('ls'), workspace: copied }),
    task('far', { work: command('ls'), workspace: { mode: 'remote', remote: 'big' } as WorkspaceSpec }),
    agentTask('pooled', ['claude'], { pool: 2, needs: ['far'] }),
    task('deliver', { needs: ['ask'], work: { type: 'deliver' } as TaskSpec['work'] }),
  ]);
  expect(drawWorkflow(graphOf(flow), plain)).toEqual([
    '┌─ plan',
    '├─ own  (own folder)',
    '├─ copied  (copy of data)',
    '└─ far  (on big)',
    '│',
    '┌─ each  (for each; 3 attempts)  after plan',
    '├─ grid  (for each of a matrix; if inputs.on)  after plan',
    '├─ body  (workflow)  after plan',
    '│     ●─ x',
    '│     │',
    '│     ▼─ y  after x',
    '└─ pooled  (pool of 2)  after far',
    '│',
    '▼─ ask  (if check(); approval)  after each, body',
    '│',
    '▼─ deliver  (pull request)  after ask',
  ]);
});

test('tasks are drawn in the order of their levels, whatever the order they are written in', () => {
  const flow = workflow([
    task('last', { needs: ['middle', 'first'] }),
    task('middle', { needs: ['first'] }),
    task('first'),
    task('also', { needs: ['unknown'] }),
  ]);
  expect(drawWorkflow(graphOf(flow), plain)).toEqual([
    '●─ first',
    '│',
    '┌─ middle  after first',
    '└─ also  after unknown',
    '│',
    '▼─ last  after middle, first',
  ]);
  expect(graphOf(flow).edges).toEqual([
    { from: 'middle', to: 'last' },
    { from: 'first', to: 'last' },
    { from: 'first', to: 'middle' },
    { from: 'unknown', to: 'also' },
  ]);
});

test('only what works by itself has a place, its own before that of its workflow', () => {
  const workspace: WorkspaceSpec = { mode: 'directory' };
  const inner = workflow([task('x', { work: command('ls') })]);
  const flow = workflow(
    [
      task('plain'),
      task('group', { work: body(inner), pool: 2 }),
      task('around', { work: command('ls') }),
      task('own', { work: command('ls'), workspace: { mode: 'worktree' } }),
      agentTask('far', ['claude'], { workspace: { mode: 'remote', remote: 'box' } as WorkspaceSpec }),
    ],
    { workspace },
  );
  expect(graphOf(flow).nodes.map(({ name, marks }) => [name, marks])).toEqual([
    ['plain', []],
    ['group', ['workflow']],
    ['around', ['own folder']],
    ['own', []],
    ['far', ['on box']],
  ]);
  expect(graphOf(flow).nodes.map((member) => member.inner?.map(({ name }) => name))).toEqual([
    undefined,
    ['x'],
    undefined,
    undefined,
    undefined,
  ]);
});

test('a drawing shows conditions as one line, in colours where there are some', () => {
  const flow = graph([
    node('a', [
      { to: 'b', if: 'x\n> 1' },
      { to: 'a', if: { $function: 'f' } },
    ]),
    node('b', []),
  ]);
  const named = new Proxy(
    {},
    { get: (_, colour) => (text: string) => `${String(colour)}(${text})` },
  ) as Style;
  expect(drawWorkflow(graphOf(flow), named)).toEqual([
    'bold(start)',
    '  dim(└─▶) a',
    'bold(a)',
    '  dim(├─▶) byellow(  if x > 1)',
    '  dim(└─▶) ayellow(  if f())',
  ]);
  const tasks = workflow([task('a', { approval: 'Sure?', needs: ['b'] }), task('b')]);
  expect(drawWorkflow(graphOf(tasks), named)).toEqual([
    'dim(●─) bold(b)',
    'dim(│)',
    'dim(▼─) bold(a)  yellow((approval))dim(  after b)',
  ]);
  expect(mermaidOf(graphOf(tasks))).toEqual(['flowchart TD', '  t0{{"a"}}', '  t1["b"]', '  t1 --> t0']);
});

test('a graph is drawn by its edges, in a terminal and for Mermaid', () => {
  const flow = graph([
    node('write', [{ to: 'check', if: 'state.n < 3' }, { to: 'end' }]),
    node('check', 'write', { approval: 'Sure?' }),
  ]);
  expect(drawWorkflow(graphOf(flow), plain)).toEqual([
    'start',
    '  └─▶ write',
    'write',
    '  ├─▶ check  if state.n < 3',
    '  └─▶ end',
    'check',
    '  └─▶ write',
  ]);
  expect(mermaidOf(graphOf(flow))).toEqual([
    'flowchart TD',
    '  t0["write"]',
    '  t1{{"check"}}',
    '  t2["start"]',
    '  t3["end"]',
    '  t2 --> t0',
    '  t0 -->|"state.n #60; 3"| t1',
    '  t0 --> t3',
    '  t1 --> t0',
  ]);
});

test('a plan tells the rules of a task in words, and nothing that does not apply', () => {
  const render = (value: unknown): never => (value === '${{ inputs.list }}' ? ['a', 'b'] : value) as never;
  expect(rulesOf(task('plain'), render)).toEqual(['no retry', 'no timeout', 'on-interrupt restart']);
  const bound = task('bound', {
    approval: 'Really?',
    if: 'inputs.on',
    forEach: forEach('${{ inputs.list }}', { maxParallel: 2, maxFailures: 1 }),
    retry: tries(3, { backoffMs: 2_000, factor: 3, maxBackoffMs: 60_000 }),
    timeoutMs: 90_000,
    onInterrupt: 'ask',
    onConflict: 'agent',
    locks: ['db', 'net'],
    repositoryLocks: ['deploy'],
    writes: ['src/**'],
    artifacts: ['dist'],
    resources: ['api'],
    priority: 5,
    continueOnError: true,
    next: [{ to: 'a', if: { $function: 'f' } }, { to: 'b', if: 'x > 1' }, { to: 'end' }],
  });
  expect(rulesOf(bound, render)).toEqual([
    'asks for approval: Really?',
    'only if inputs.on',
    'for 2 items, at most 2 at once, 1 may fail',
    '3 attempts, 2s apart, ×3 each time up to 1m',
    'timeout 1m30s',
    'on-interrupt ask',
    'on-conflict agent',
    'locks db, net',
    'repository-locks deploy',
    'writes src/**',
    'keeps dist',
    'uses api',
    'priority 5',
    'others go on if it fails',
    'then a if a function says so',
    'then b if x > 1',
    'then end',
  ]);
  const unknown = task('unknown', { if: { $function: 'f' }, forEach: forEach('${{ needs.a }}') });
  expect(rulesOf(unknown, render).slice(0, 2)).toEqual([
    'only if a function says so',
    'for each of ${{ needs.a }}',
  ]);
});

test('a selection holds what was given, and nothing else', () => {
  expect(selectionOf({ only: ['a'], until: undefined })).toEqual({ only: ['a'] });
  expect(selectionOf({ until: ['b'], skip: ['c'] })).toEqual({ until: ['b'], skip: ['c'] });
});

test('what people, checks and the work of others add to a conversation is told in a line each', () => {
  const said = (type: RunEvent['type'], data: object): unknown => {
    const found = remarkOf({ type, task: 'a', data, run: 'r', seq: 1, at: 0 } as unknown as RunEvent);
    return found && [found.block.kind, found.block.head, found.block.text];
  };
  expect([
    said('message.added', { text: ' mind the gap\n' }),
    said('message.added', { text: 'stop', now: true }),
    said('check.failed', { report: '', revision: 0 }),
    said('check.failed', { report: '', revision: 2 }),
    said('conflict.found', { files: ['a.ts', 'b.ts'], report: '', revision: 0 }),
    said('conflict.found', { files: ['a.ts'], report: '', revision: 1 }),
    said('gate.decided', { approved: true }),
    said('gate.decided', { approved: false, comment: 'too risky' }),
    said('task.succeeded', {}),
  ]).toEqual([
    ['told', 'a person says', 'mind the gap'],
    ['told', 'a person says, at once', 'stop'],
    ['trouble', 'the check failed: there are no revisions left', ''],
    ['trouble', 'the check failed: the agent is to mend it (revision 2)', ''],
    ['trouble', 'the work conflicts with that of others (a.ts, b.ts): a person is asked', ''],
    ['trouble', 'the work conflicts with that of others (a.ts): the agent is to resolve that', ''],
    ['notice', 'a person has approved it', ''],
    ['trouble', 'a person has rejected it: too risky', ''],
    undefined,
  ]);
  expect(said('session.returned', { from: 0, to: 60_000, abandoned: true })).toEqual([
    'session',
    expect.stringMatching(/^a person had the session from \S+ to \S+, and did not give it back$/),
    '',
  ]);
  expect(said('session.returned', { from: 0, to: 60_000 })).toEqual([
    'session',
    expect.stringMatching(/^a person had the session from \S+ to \S+$/),
    '',
  ]);
});
