import { describe, expect, test } from 'vitest';
import {
  decideQuestion,
  decodeState,
  encodeState,
  gateOf,
  taskAt,
  viewDrift,
} from '../../src/kernel/index.ts';
import type { AskWork, TaskSpec, Workflow } from '../../src/model/index.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';
import {
  agentTask,
  body,
  checkOf,
  command,
  forEach,
  graph,
  node,
  task,
  tries,
  uses,
  workflow,
} from '../support/workflows.ts';

const original = workflow([
  task('a', { retry: tries(2) }),
  task('b', { needs: ['a'] }),
  task('c', { needs: ['b'] }),
]);

function adopt(simulation: Simulation, changed: Workflow): void {
  simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: changed } }]);
}

/** `task field: verdict`, one line for each field. */
function driftIn({ state }: Simulation, changed: Workflow): string[] {
  return viewDrift(state, changed).drift.map(
    ({ task = '', field, change, verdict }) => `${task} ${change === 'changed' ? field : change}: ${verdict}`,
  );
}

function doing(name: string, run: string, given: Partial<TaskSpec> = {}): TaskSpec {
  return task(name, { work: command(run), ...given });
}

function asking(work: Partial<AskWork>): TaskSpec {
  const answer = work.choices === undefined ? 'string' : 'choice';
  return task('a', { work: { type: 'ask', question: 'Which?', answer, ...work } });
}

function gateIn({ state }: Simulation, address: string): string {
  return gateOf(taskAt(state, address).life)!.gate;
}

/** What a task would be done by now. */
function runOf({ state }: Simulation, address: string): unknown {
  const { work } = taskAt(state, address).spec;
  return work.type === 'command' ? work.run : work.type;
}

describe('finding drift', () => {
  test('the same definition has not drifted, nor one that is written in another order', () => {
    const simulation = simulate(original);
    expect(viewDrift(simulation.state, original)).toEqual({ drift: [], mustChoose: false, canAccept: true });
    const [a, b, c] = original.tasks;
    expect(driftIn(simulation, workflow([c!, Object.assign({ writes: [] }, b), a!]))).toEqual([]);
  });

  test('each field is told by itself, as it is written in a file, with what it was and is', () => {
    const before = agentTask('a', ['claude'], {
      timeoutMs: 60_000,
      work: { prompt: `${'x'.repeat(90)}old` },
    });
    const after = agentTask('a', ['codex'], { timeoutMs: 90_000, work: { prompt: `${'x'.repeat(90)}new` } });
    const simulation = simulate(workflow([task('first'), { ...before, needs: ['first'] }]));
    const changed = workflow([task('first'), { ...after, needs: ['first'] }], { maxParallel: 3 });
    const counts = { task: 'a', change: 'changed', verdict: 'applies', effect: 'applies when it begins' };
    expect(viewDrift(simulation.state, changed).drift).toEqual([
      { field: 'max-parallel', after: '3', change: 'changed', verdict: 'applies', effect: 'from now on' },
      { ...counts, field: 'agent', before: 'claude', after: 'codex' },
      { ...counts, field: 'prompt', before: `…${'x'.repeat(12)}old`, after: `…${'x'.repeat(12)}new` },
      { ...counts, field: 'timeout', before: '1m', after: '1m30s' },
    ]);
  });

  test('what has settled, is under way and has not begun is told apart; of what has settled, some is harmless', () => {
    const simulation = simulate(
      workflow([doing('a', 'x'), doing('b', 'x', { needs: ['a'] }), doing('c', 'x', { needs: ['b'] })]),
    );
    simulation.end('a', done);
    const changed = workflow([
      doing('a', 'y', { timeoutMs: 5, retry: tries(5), approval: 'Sure?' }),
      doing('b', 'y', { needs: ['a'] }),
      doing('d', 'y', { needs: ['b'] }),
    ]);
    expect(driftIn(simulation, changed)).toEqual([
      'c removed: applies',
      'a run: settled',
      'a retry: harmless',
      'a timeout: harmless',
      'a approval: harmless',
      'b run: under-way',
      'd added: applies',
    ]);
  });

  test.each([
    ['harmless', { timeoutMs: 5, retry: tries(5) }, { mustChoose: false, canAccept: true }],
    ['settled', { work: command('other') }, { mustChoose: false, canAccept: true }],
  ])('nobody has to choose if all is %s', (_, given, expected) => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.end('a', done);
    const changed = workflow([task('a', given), task('b', { needs: ['a'] })]);
    expect(viewDrift(simulation.state, changed)).toMatchObject(expected);
  });

  test.each([
    ['other needs of what is under way', [task('a'), task('b', { needs: ['a'] })], 'b needs: structural'],
    ['what is under way taken out', [task('a')], 'b removed: structural'],
    ['what has failed taken out', [task('b')], 'a removed: structural'],
  ])('%s cannot be accepted', (_, tasks, line) => {
    const simulation = simulate(workflow([task('a'), task('b')]));
    simulation.end('a', failedWith('BROKEN', false));
    expect(driftIn(simulation, workflow(tasks))).toEqual([line]);
    expect(viewDrift(simulation.state, workflow(tasks))).toMatchObject({
      mustChoose: true,
      canAccept: false,
    });
  });

  test('what has settled may have needed less, but not where a condition still looks at what it needed', () => {
    const flow = (needs: string[], condition: string): Workflow =>
      workflow([
        task('a'),
        task('b', { needs, if: 'always()' }),
        task('slow'),
        task('c', { needs: ['b', 'slow'], if: condition }),
      ]);
    for (const [condition, verdict] of [
      ['success()', 'settled'],
      ['failure()', 'applies'],
    ] as const) {
      const simulation = simulate(flow(['a'], condition));
      simulation.end('a', failedWith());
      simulation.end('b', done);
      expect(driftIn(simulation, flow([], condition))).toEqual([`b needs: ${verdict}`]);
    }
  });

  test('an input that the run has no value for cannot be accepted; one with a default can', () => {
    const simulation = simulate(workflow([task('a')]));
    const needed = { schema: { type: 'string' }, required: true };
    const withInput = (input: object): Workflow => workflow([task('a')], { inputs: { who: input as never } });
    expect(driftIn(simulation, withInput(needed))).toEqual([' inputs: structural']);
    const changed = withInput({ ...needed, default: 'Ada' });
    expect(driftIn(simulation, changed)).toEqual([' inputs: applies']);
    adopt(simulation, changed);
    expect(simulation.state.scopes.get('')!.inputs).toEqual({ who: 'Ada' });
  });

  test.for([
    ['waits for its next try', failedWith()],
    ['was interrupted and is waiting to start again', interrupted],
  ] as const)('a task that %s is under way', ([, outcome]) => {
    const simulation = simulate(original);
    simulation.command({ type: 'pause' });
    simulation.end('a', outcome);
    const changed = workflow([task('a', { retry: tries(2), priority: 1 }), ...original.tasks.slice(1)]);
    expect(driftIn(simulation, changed)).toEqual(['a priority: under-way']);
  });

  test('a task that waits to be approved has not begun; changed, it is asked about again by another gate', () => {
    const simulation = simulate(workflow([doing('a', 'old', { approval: 'Really?' })]));
    const shown = gateIn(simulation, 'a');
    const changed = workflow([doing('a', 'new', { approval: 'Really?' })]);
    expect(viewDrift(simulation.state, changed).drift).toMatchObject([
      { field: 'run', verdict: 'applies', effect: 'applies when it begins; you are asked again first' },
    ]);
    adopt(simulation, changed);
    expect(simulation.command({ type: 'approve', task: 'a', gate: shown })).toMatchObject({
      accepted: false,
      text: expect.stringContaining('asks something else by now'),
    });
    expect(simulation.running).toEqual([]);
    expect(simulation.decide('approve', 'a')).toMatchObject({ accepted: true });
    expect([simulation.running, runOf(simulation, 'a')]).toEqual([['a'], 'new']);
  });

  test('another fail-fast of a for-each counts from now on, and not for one that has ended', () => {
    const each = (failFast: boolean): Workflow =>
      workflow([
        task('each', { forEach: forEach(['x', 'y'], { failFast }) }),
        task('last', { needs: ['each'] }),
      ]);
    const simulation = simulate(each(true));
    expect(driftIn(simulation, each(false))).toEqual(['each for-each.fail-fast: applies']);
    for (const item of ['each[x]', 'each[y]']) simulation.end(item, done);
    expect(driftIn(simulation, each(false))).toEqual(['each for-each.fail-fast: harmless']);
  });

  test('what was approved, and waits for room, is asked about again if it is another thing now', () => {
    const first = doing('first', 'x', { locks: ['one'] });
    const flow = (run: string): Workflow =>
      workflow([first, doing('a', run, { approval: 'Really?', locks: ['one'] })]);
    const simulation = simulate(flow('old'));
    expect(simulation.decide('approve', 'a')).toMatchObject({ accepted: true });
    adopt(simulation, flow('new'));
    simulation.end('first', done);
    expect(simulation.statuses).toMatchObject({ a: 'held' });
  });

  test('nobody is asked again because of how a task is done', () => {
    const simulation = simulate(workflow([doing('a', 'x', { approval: 'Really?' })]));
    const shown = gateIn(simulation, 'a');
    const how = { approval: 'Really?', timeoutMs: 5, retry: tries(5), priority: 3 };
    adopt(simulation, workflow([doing('a', 'x', how)]));
    expect(gateIn(simulation, 'a')).toBe(shown);
  });

  test.each([
    ['a command', doing('a', 'rm'), { a: 'running' }],
    ['other choices', asking({ choices: ['x', 'y'] }), { a: 'held' }],
  ])('a question that becomes %s is not answered by the answer to the old one', (_, spec, statuses) => {
    const simulation = simulate(workflow([asking({ choices: ['v', 'w'] })]));
    const gate = gateIn(simulation, 'a');
    adopt(simulation, workflow([spec]));
    expect(simulation.command({ type: 'answer', task: 'a', gate, answer: 'v' })).toMatchObject({
      accepted: false,
    });
    expect(simulation.statuses).toEqual(statuses);
  });

  test('what a function has asked is no question of the command that it becomes', () => {
    const simulation = simulate(workflow([task('a')]));
    const asked = { type: 'string', text: 'Which?', key: 'Which?#1' } as const;
    simulation.transition(() => decideQuestion(taskAt(simulation.state, 'a'), asked, simulation.world));
    const changed = workflow([doing('a', 'new')]);
    const running = decodeState(encodeState(simulation.state));
    simulation.end('a', interrupted);
    adopt(simulation, changed);
    expect(gateOf(taskAt(simulation.state, 'a').life)).toBeUndefined();
    expect([simulation.running, runOf(simulation, 'a')]).toEqual([['a'], 'new']);
    simulation.state = running;
    adopt(simulation, changed);
    simulation.end('a', interrupted);
    expect([simulation.running, runOf(simulation, 'a')]).toEqual([['a'], 'new']);
  });

  test.each([
    ['a question', asking({ question: 'Which?' })],
    ['a for-each', task('a', { work: command('new'), forEach: forEach(['x']) })],
  ])('what has begun as a command does not become %s, unless it is re-run', (_, spec) => {
    const simulation = simulate(workflow([doing('a', 'old', { retry: tries(3) })]));
    simulation.end('a', failedWith('BROKEN', true));
    const changed = workflow([spec]);
    expect(viewDrift(simulation.state, changed).drift[0]).toMatchObject({
      verdict: 'under-way',
      effect: 'it continues as it was started; applies if it is re-run',
    });
    adopt(simulation, changed);
    simulation.wake();
    expect([simulation.running, runOf(simulation, 'a')]).toEqual([['a'], 'old']);
  });

  test('a task that is to be done again has not begun: it may be changed, or be gone', () => {
    const simulation = simulate(original).drain();
    simulation.mayStart = false;
    simulation.reopen('b');
    const changed = workflow([original.tasks[0]!, task('b', { needs: ['a'], priority: 3 })]);
    expect(driftIn(simulation, changed)).toEqual(['c removed: applies', 'b priority: applies']);
    adopt(simulation, changed);
    simulation.mayStart = true;
    simulation.transition();
    expect(simulation.drain().statuses).toEqual({ a: 'succeeded', b: 'succeeded' });
    expect(simulation.status).toBe('succeeded');
  });

  test('a node of a graph may be visited again: what has settled of it is no matter', () => {
    const nodes = [node('a', 'b'), node('b', 'a')];
    const simulation = simulate(graph(nodes));
    const changed = graph(nodes.map((spec) => ({ ...spec, priority: 5 })));
    expect(driftIn(simulation, changed)).toEqual(['a priority: under-way', 'b priority: applies']);
    simulation.end('a#1', done);
    expect(driftIn(simulation, changed)).toEqual(['a priority: applies', 'b priority: under-way']);
  });

  test('a workflow cannot become a graph', () => {
    const simulation = simulate(workflow([task('a', { next: [{ to: 'end' }] })]));
    expect(driftIn(simulation, graph([node('a', 'end')]))).toEqual([' form: structural']);
  });

  test('the tasks inside of others are compared, too', () => {
    const nested = (run: string): Workflow =>
      workflow([
        task('each', {
          forEach: forEach(['x', 'y'], { maxParallel: 1 }),
          work: body(workflow([doing('t', run)])),
        }),
        task('child', { work: uses(workflow([doing('t', run), doing('u', run, { needs: ['t'] })])) }),
      ]);
    const simulation = simulate(nested('old'));
    simulation.end('child.t', done);
    expect(driftIn(simulation, nested('new'))).toEqual([
      'each.t run: under-way',
      'child.t run: settled',
      'child.u run: under-way',
    ]);
  });
});

describe('going on with another definition', () => {
  test('what has not begun is done as the new definition says', () => {
    const simulation = simulate(original);
    simulation.end('a', done);
    adopt(
      simulation,
      workflow([...original.tasks.slice(0, 2), task('e', { needs: ['d'] }), task('d', { needs: ['a'] })]),
    );
    expect(simulation.statuses).toEqual({ a: 'succeeded', b: 'running', e: 'pending', d: 'running' });
    expect(simulation.drain().status).toBe('succeeded');
    expect(simulation.state.counts).toMatchObject({ total: 4, settled: 4 });
  });

  test('a task that is added after everything it needs has settled starts at once', () => {
    const simulation = simulate(workflow([task('a'), task('slow')]));
    simulation.end('a', done);
    adopt(simulation, workflow([task('a'), task('slow'), task('late', { needs: ['a'] })]));
    expect(simulation.running).toEqual(['slow', 'late']);
  });

  test('a task that is added after a failure knows of it', () => {
    const simulation = simulate(workflow([task('a'), task('slow')]));
    simulation.end('a', failedWith());
    adopt(
      simulation,
      workflow([
        task('a'),
        task('slow'),
        task('plain', { needs: ['a'] }),
        task('rescue', { needs: ['a'], if: 'failure()' }),
      ]),
    );
    expect(simulation.statuses).toMatchObject({ plain: 'skipped', rescue: 'running' });
  });

  test('a task that no longer needs what failed forgets the failure', () => {
    const simulation = simulate(
      workflow([
        task('rescue', { needs: ['b'], if: 'failure()' }),
        task('a'),
        task('slow'),
        task('b', { needs: ['a', 'slow'] }),
      ]),
    );
    simulation.end('a', failedWith());
    adopt(
      simulation,
      workflow([
        task('rescue', { needs: ['b'], if: 'failure()' }),
        task('a'),
        task('slow'),
        task('b', { needs: ['slow'] }),
      ]),
    );
    simulation.end('slow', done);
    simulation.end('b', done);
    expect(simulation.statusOf('rescue')).toBe('skipped');
  });

  test('another max-parallel counts from now on', () => {
    const tasks = ['a', 'b', 'c', 'd'].map((name) => task(name));
    const simulation = simulate(workflow(tasks, { maxParallel: 3 }));
    adopt(simulation, workflow(tasks, { maxParallel: 1 }));
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b', 'c']);
    adopt(simulation, workflow(tasks, { maxParallel: 4 }));
    expect(simulation.running).toEqual(['b', 'c', 'd']);
  });

  test('tasks that are added take their places after all that were ever there', () => {
    const simulation = simulate(workflow([task('a'), task('b'), task('c'), task('d')], { maxParallel: 1 }));
    adopt(simulation, workflow([task('a'), task('c'), task('d'), task('x'), task('y')], { maxParallel: 1 }));
    const orders = [...simulation.state.tasks.values()].map(({ order }) => order);
    expect(new Set(orders).size).toBe(orders.length);
    simulation.drain();
    expect(simulation.all('attempt.started').map((event) => event.task)).toEqual(['a', 'c', 'd', 'x', 'y']);
  });

  test('a task that is added to a run which is being cancelled is cancelled at once', () => {
    const simulation = simulate(workflow([task('a')]));
    simulation.command({ type: 'cancel', reason: 'enough' });
    adopt(simulation, workflow([task('a'), task('late', { needs: ['a'] })]));
    expect(simulation.statuses).toEqual({ a: 'running', late: 'cancelled' });
  });

  test('a run ends at once if all that was left to do is removed', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.command({ type: 'pause' });
    simulation.end('a', done);
    adopt(simulation, workflow([task('a')]));
    expect(simulation.status).toBe('succeeded');
  });

  test('a graph goes on to nodes as they are defined now', () => {
    const simulation = simulate(graph([node('a', 'b'), node('b', 'end')]));
    adopt(simulation, graph([node('a', 'b'), node('b', 'c'), node('c', 'end')]));
    simulation.end('a#1', done);
    simulation.end('b#1', done);
    expect(simulation.running).toEqual(['c#1']);
  });

  test('the change is in the journal: folded anew it gives the same state', () => {
    const simulation = simulate(original);
    simulation.end('a', done);
    adopt(simulation, workflow([...original.tasks.slice(0, 2), task('d', { needs: ['b'] })]));
    expect(encodeState(simulation.replayed())).toBe(encodeState(simulation.state));
    simulation.crash({ snapshot: true });
    expect(simulation.drain().status).toBe('succeeded');
  });
});

describe('what has begun', () => {
  test('what has settled keeps what it was done by, until it is re-run', () => {
    const simulation = simulate(workflow([doing('a', 'old'), doing('b', 'old', { needs: ['a'] })]));
    simulation.end('a', done);
    adopt(simulation, workflow([doing('a', 'new'), doing('b', 'old', { needs: ['a'] })]));
    expect(runOf(simulation, 'a')).toBe('old');
    simulation.drain();
    simulation.mayStart = false;
    expect(simulation.reopen('a')).toBeUndefined();
    expect(runOf(simulation, 'a')).toBe('new');
  });

  test('an attempt that runs ends as it was begun, and the next is as it is defined now', () => {
    const simulation = simulate(workflow([doing('a', 'old', { retry: tries(3) })]));
    adopt(simulation, workflow([doing('a', 'new', { retry: tries(2) })]));
    expect([runOf(simulation, 'a'), taskAt(simulation.state, 'a').spec.retry.attempts]).toEqual(['old', 3]);
    simulation.end('a', failedWith());
    expect([runOf(simulation, 'a'), taskAt(simulation.state, 'a').spec.retry.attempts]).toEqual(['new', 2]);
    simulation.wake();
    simulation.end('a', failedWith());
    expect(simulation.statusOf('a')).toBe('failed');
  });

  test('what was interrupted starts again as it is defined now', () => {
    const simulation = simulate(workflow([doing('a', 'old')]));
    adopt(simulation, workflow([doing('a', 'new')]));
    simulation.crash();
    expect([simulation.running, runOf(simulation, 'a')]).toEqual([['a'], 'new']);
  });

  test('items that have not begun, and the next attempts of others, are as they are defined now', () => {
    const each = (run: string, list: string[]): Workflow =>
      workflow([doing('each', run, { forEach: forEach(list, { maxParallel: 1 }), retry: tries(2) })]);
    const simulation = simulate(each('old', ['x', 'y', 'z']));
    simulation.end('each[x]', done);
    const changed = each('new', ['x', 'more']);
    expect(driftIn(simulation, changed)).toEqual(['each run: under-way', 'each for-each.in: under-way']);
    adopt(simulation, changed);
    const runs = (): unknown[] => ['x', 'y', 'z'].map((key) => runOf(simulation, `each[${key}]`));
    expect(runs()).toEqual(['old', 'old', 'new']);
    simulation.end('each[y]', failedWith());
    expect(runs()).toEqual(['old', 'new', 'new']);
    expect(simulation.drain().status).toBe('succeeded');
    expect(Object.keys(simulation.statuses)).toEqual(['each', 'each[x]', 'each[y]', 'each[z]']);
  });

  test('a workflow inside of a task goes on with other tasks', () => {
    const simulation = simulate(
      workflow([
        task('child', { work: uses(workflow([doing('t', 'x'), doing('u', 'old', { needs: ['t'] })])) }),
      ]),
    );
    simulation.end('child.t', done);
    simulation.end('child.u', interrupted);
    adopt(
      simulation,
      workflow([
        task('child', {
          work: uses(
            workflow([
              doing('t', 'x'),
              doing('u', 'new', { needs: ['t'] }),
              doing('v', 'x', { needs: ['u'] }),
            ]),
          ),
        }),
      ]),
    );
    simulation.crash({ snapshot: true });
    expect(runOf(simulation, 'child.u')).toBe('new');
    expect(simulation.drain().statuses).toMatchObject({ child: 'succeeded', 'child.v': 'succeeded' });
  });

  test('a workflow inside that cannot go on with it goes on as it was begun', () => {
    const flow = (nested: Workflow): Workflow => workflow([task('child', { work: uses(nested) })]);
    const simulation = simulate(flow(workflow([doing('t', 'x'), doing('u', 'x', { needs: ['t'] })])));
    const changed = flow(workflow([doing('u', 'x')]));
    expect(driftIn(simulation, changed)).toEqual(['child.t removed: under-way', 'child.u needs: under-way']);
    adopt(simulation, changed);
    simulation.crash({ snapshot: true });
    expect(simulation.drain().statuses).toMatchObject({ 'child.t': 'succeeded', 'child.u': 'succeeded' });
  });

  test('work that is finished is checked by the check as it is now, and not done otherwise', () => {
    const agent = (prompt: string, check: string): Workflow =>
      workflow([
        agentTask('a', ['claude'], { check: checkOf(1, { work: command(check) }), work: { prompt } }),
      ]);
    const simulation = simulate(agent('old', 'old'));
    simulation.end('a', done);
    simulation.end('a', interrupted);
    adopt(simulation, agent('new', 'new'));
    simulation.crash({ snapshot: true });
    const { spec } = taskAt(simulation.state, 'a');
    expect(spec).toMatchObject({ check: { work: { run: 'new' } }, work: { prompt: 'old' } });
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('what has succeeded and is taken out stays as it is, and is no longer part of what comes', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.end('a', done);
    const changed = workflow([task('b')]);
    expect(driftIn(simulation, changed)).toEqual(['a removed: settled', 'b needs: structural']);
    simulation.end('b', done);
    expect(simulation.status).toBe('succeeded');
  });
});
