import { describe, expect, test } from 'vitest';
import { skippedAlong, taskAt } from '../../src/kernel/index.ts';
import type { Command, Outcome, Sender } from '../../src/model/index.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';
import { agentTask, body, checkOf, forEach, graph, node, task, workflow } from '../support/workflows.ts';

const comment = 'the site shows 1.4';
const deploying = workflow([
  task('deploy', { onInterrupt: 'ask' }),
  task('tell', { needs: ['deploy'] }),
  task('clean', { needs: ['deploy'], if: 'always()' }),
]);

function heldDeploy(): Simulation {
  const simulation = simulate(deploying);
  simulation.end('deploy', interrupted);
  expect(simulation.statusOf('deploy')).toBe('held');
  return simulation;
}

function markDone(
  given: Partial<Extract<Command, { type: 'done' }>> = {},
): Extract<Command, { type: 'done' }> {
  return { type: 'done', task: 'deploy', comment, ...given };
}

describe('a task that may have done its work', () => {
  test('counts as succeeded when a person says so, with who and why in the journal', () => {
    const simulation = heldDeploy();
    const sender: Sender = { user: 'ada', host: 'here', pid: 7 };
    const command = { ...markDone({ output: { url: 'u' } }), sender } as Command;
    expect(simulation.command(command)).toEqual({ accepted: true, text: 'deploy counts as done' });
    expect(simulation.events).toContainEqual({
      type: 'work.confirmed',
      task: 'deploy',
      data: { comment, by: sender },
    });
    expect(taskAt(simulation.state, 'deploy').life).toEqual({ status: 'succeeded', output: { url: 'u' } });
    expect(simulation.drain().statuses).toEqual({
      deploy: 'succeeded',
      tell: 'succeeded',
      clean: 'succeeded',
    });
    expect(taskAt(simulation.state, 'deploy').attempts).toBe(1);
    expect(simulation.replayed().tasks).toEqual(simulation.state.tasks);
  });

  test('is offered that, between retry and skip', () => {
    const { life } = taskAt(heldDeploy().state, 'deploy');
    expect(life).toMatchObject({ actions: ['retry', 'done', 'skip'] });
  });

  test('says what else skipping it would skip', () => {
    const { state } = heldDeploy();
    expect(skippedAlong(state, taskAt(state, 'deploy'))).toEqual(['tell']);
  });

  test('can be run again after that, with what depends on it', () => {
    const simulation = heldDeploy();
    simulation.command(markDone());
    simulation.drain();
    expect(simulation.takeUp({ again: ['deploy'] })).toMatch(/what has succeeded/);
    expect(simulation.reopen('deploy')).toBeUndefined();
    expect(simulation.drain().status).toBe('succeeded');
    expect(taskAt(simulation.state, 'deploy').attempts).toBe(2);
  });
});

describe('a task that failed, but did its work', () => {
  test('counts as succeeded, and what was skipped because of it runs', () => {
    const simulation = simulate(
      workflow([task('deploy'), task('tell', { needs: ['deploy'] }), task('last')]),
    );
    simulation.end('deploy', failedWith());
    expect(simulation.statusOf('tell')).toBe('skipped');
    expect(simulation.command(markDone()).accepted).toBe(true);
    expect(simulation.drain().statuses).toEqual({
      deploy: 'succeeded',
      tell: 'succeeded',
      last: 'succeeded',
    });
    expect(taskAt(simulation.state, 'deploy').attempts).toBe(1);
  });

  test('does not run again what has succeeded since, unless that is allowed', () => {
    const simulation = simulate(workflow([...deploying.tasks, task('last')]));
    simulation.end('deploy', failedWith());
    simulation.end('clean', done);
    expect(simulation.command(markDone()).text).toMatch(/--redo\): clean$/);
    expect(simulation.command(markDone({ rerunSucceeded: ['clean'] })).accepted).toBe(true);
    expect(simulation.statuses).toMatchObject({ deploy: 'succeeded', tell: 'running', clean: 'running' });
  });

  test('is not asked for approval again', () => {
    const simulation = simulate(workflow([task('deploy', { approval: 'Sure?' }), task('last')]));
    simulation.decide('approve', 'deploy');
    simulation.end('deploy', failedWith());
    simulation.command(markDone());
    expect(simulation.statusOf('deploy')).toBe('succeeded');
  });
});

describe('work in a place of its own', () => {
  const repository = { root: '/project', commonDir: '/project/.git', base: 'c0', prefix: '' };
  const place = { path: '/trees/a', branch: 'piton-tasks/r/a', base: 'c0', token: 't' };

  function inWorktree(check?: ReturnType<typeof checkOf>): Simulation {
    const flow = workflow([agentTask('a', ['claude'], { onInterrupt: 'ask', ...(check && { check }) })]);
    const simulation = simulate(flow, { origin: { directory: '/project', repository } });
    simulation.transition(() => [{ type: 'workspace.prepared', task: 'a', data: place }]);
    return simulation;
  }

  test('is checked, then merged', () => {
    const simulation = inWorktree(checkOf(0));
    simulation.end('a', interrupted);
    simulation.command(markDone({ task: 'a' }));
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      stage: { name: 'check' },
      workspace: place,
      life: { status: 'running', attempt: { kind: 'check' } },
    });
    simulation.end('a', done);
    expect(taskAt(simulation.state, 'a').life).toMatchObject({ attempt: { kind: 'integrate' } });
    simulation.end('a', { type: 'succeeded', integrated: { result: 'c1', commit: 'c2' } });
    expect(simulation.status).toBe('succeeded');
  });

  test('is merged also if the task has failed', () => {
    const simulation = inWorktree();
    simulation.end('a', failedWith());
    expect(simulation.status).toBe('failed');
    expect(simulation.takeUp({ done: ['a'] })).toBeUndefined();
    expect(taskAt(simulation.state, 'a').workspace).toEqual(place);
  });

  test('is not said to be done when it has been cleaned up', () => {
    const simulation = inWorktree();
    simulation.end('a', interrupted);
    simulation.transition(() => [
      { type: 'workspace.cleaned', task: 'a', data: { how: 'archived', reason: 'why' } },
    ]);
    expect(simulation.command(markDone({ task: 'a' })).text).toMatch(/^the place of a was cleaned up/);
  });

  test('whose merge conflicts is finished already', () => {
    const simulation = inWorktree();
    simulation.end('a', done);
    simulation.end('a', { ...failedWith('MERGE_CONFLICT'), conflict: ['x'], report: 'x' } as Outcome);
    expect(simulation.command(markDone({ task: 'a' })).text).toBe(
      'the work of a is finished already, and what is left is to check or merge it',
    );
  });
});

test('a node of a graph leads on by its edges', () => {
  const simulation = simulate(graph([node('deploy', 'tell', { onInterrupt: 'ask' }), node('tell', 'end')]));
  simulation.end('deploy#1', interrupted);
  expect(simulation.command(markDone({ task: 'deploy#1', output: { url: 'u' } })).accepted).toBe(true);
  expect(simulation.statuses).toMatchObject({ 'deploy#1': 'succeeded', 'tell#1': 'running' });
});

describe('it is refused', () => {
  test.each<[string, (simulation: Simulation) => void, Partial<Command>, RegExp]>([
    ['without a reason', () => {}, { comment: ' ' }, /say why/],
    ['of a task that is not there', () => {}, { task: 'no' }, /no task no/],
    ['of one that has not begun', () => {}, { task: 'tell' }, /tell is pending, not held or failed/],
    [
      'of one that has succeeded',
      (simulation) => void simulation.command(markDone()),
      {},
      /has already succeeded/,
    ],
    [
      'of one that has gone on since',
      (simulation) => void simulation.command({ type: 'retry', task: 'deploy' }),
      { seen: 1 },
      /has gone on since/,
    ],
  ])('%s', (_, before, given, text) => {
    const simulation = heldDeploy();
    before(simulation);
    expect(simulation.command(markDone(given as never))).toMatchObject({
      accepted: false,
      text: expect.stringMatching(text),
    });
  });

  test('of one that waits for approval', () => {
    const simulation = simulate(workflow([task('deploy', { approval: 'Sure?' })]));
    expect(simulation.command(markDone()).text).toBe('deploy waits for approval: approve or reject it');
  });

  test('of one that waits for an answer', () => {
    const question = { type: 'ask', question: 'Which?', answer: 'string' } as const;
    const simulation = simulate(workflow([task('deploy', { work: question })]));
    expect(simulation.command(markDone()).text).toBe('deploy waits for an answer: answer or reject it');
  });

  test('of what consists of other tasks', () => {
    const each = workflow([task('deploy', { forEach: forEach(['x']) }), task('last')]);
    const simulation = simulate(each);
    simulation.end('deploy[x]', failedWith());
    expect(simulation.command(markDone()).text).toMatch(/^deploy consists of other tasks/);
    const nested = simulate(workflow([task('deploy', { work: body(workflow([task('x')])) }), task('last')]));
    nested.end('deploy.x', failedWith());
    expect(nested.command(markDone()).text).toMatch(/^deploy consists of other tasks/);
  });

  test('while a message waits for its agent', () => {
    const simulation = simulate(workflow([agentTask('deploy', ['claude'], { onInterrupt: 'ask' })]));
    simulation.end('deploy', interrupted);
    simulation.command({ type: 'tell', task: 'deploy', text: 'look again' });
    expect(simulation.command(markDone()).text).toMatch(/has not heard your message yet/);
  });
});
