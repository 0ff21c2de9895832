import { describe, expect, test } from 'vitest';
import { placementOf, taskAt } from '../../src/kernel/index.ts';
import type { Outcome, TaskSpec, Workflow } from '../../src/model/index.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  succeededWith,
  type Simulation,
} from '../support/simulate.ts';
import { agentTask, checkOf, command, task, workflow } from '../support/workflows.ts';

const repository = { root: '/project', commonDir: '/project/.git', base: 'c0', prefix: '' };
const origin = { directory: '/project', repository };

function inRepository(flow: Workflow): Simulation {
  return simulate(flow, { origin });
}

const reader = (name: string, more: Partial<TaskSpec> = {}): TaskSpec =>
  agentTask(name, ['claude'], { ...(more as object), work: { permissions: 'read' } });
const writer = (name: string, more: Partial<TaskSpec> = {}): TaskSpec =>
  agentTask(name, ['claude'], more as object);

function placesOf(simulation: Simulation): Record<string, string> {
  const places = [...simulation.state.tasks.values()].map((found) => {
    const placement = placementOf(simulation.state, found);
    const how = placement.mode === 'worktree' && placement.integrates ? ' to integrate' : '';
    return [found.address, `${placement.mode}${how}`];
  });
  return Object.fromEntries(places) as Record<string, string>;
}

describe('without being told, a task works', () => {
  test('in a worktree if it writes, or is to see what was written, in a repository and with agents', () => {
    const flow = workflow([
      reader('plan'),
      writer('build', { needs: ['plan'] }),
      reader('review', { needs: ['build'] }),
      task('test', { needs: ['build'], work: command('npm test') }),
      task('note'),
    ]);
    expect(placesOf(inRepository(flow))).toEqual({
      plan: 'shared',
      build: 'worktree to integrate',
      review: 'worktree',
      test: 'worktree to integrate',
      note: 'shared',
    });
  });

  test('in the folder of the run, if there are only commands, or no repository', () => {
    const commands = workflow([task('test', { work: command('npm test') }), reader('look')]);
    expect(placesOf(inRepository(commands))).toEqual({ test: 'shared', look: 'shared' });
    expect(placesOf(simulate(workflow([writer('build')])))).toEqual({ build: 'shared' });
  });

  test('as it, or else the workflow, says', () => {
    const flow = workflow([writer('a'), writer('b', { workspace: { mode: 'worktree' } })], {
      workspace: { mode: 'shared' },
    });
    expect(placesOf(inRepository(flow))).toEqual({ a: 'shared', b: 'worktree to integrate' });
  });
});

const kinds = (simulation: Simulation): unknown[] =>
  simulation.journal.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'attempt.started' ? [event.data.kind ?? 'work'] : [])),
  );

function prepare(simulation: Simulation, address: string): void {
  const data = { path: `/trees/${address}`, branch: `piton-tasks/r/${address}`, base: 'c0', token: 't' };
  simulation.transition(() => [{ type: 'workspace.prepared', task: address, data }]);
}

const integrated: Outcome = { type: 'succeeded', integrated: { result: 'c1', commit: 'c2' } };
const conflict: Outcome = {
  ...failedWith('MERGE_CONFLICT'),
  conflict: ['a.txt'],
  report: 'a.txt differs',
} as Outcome;

describe('a task in a worktree', () => {
  test('succeeds when its result is with those of the others', () => {
    const simulation = inRepository(workflow([writer('a'), writer('b', { needs: ['a'] })]));
    prepare(simulation, 'a');
    simulation.end('a', succeededWith('built'));
    expect(simulation.statuses).toEqual({ a: 'running', b: 'pending' });
    simulation.end('a', integrated);

    expect(kinds(simulation)).toEqual(['work', 'integrate', 'work']);
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      life: { status: 'succeeded', output: 'built' },
      workspace: { integrated: { commit: 'c2' } },
    });
  });

  test('is equipped first, checked before it is integrated, and each is done again by itself after an interruption', () => {
    const setup = { copy: [], work: command('npm ci') };
    const simulation = inRepository(workflow([writer('a', { setup, check: checkOf(1) })]));
    prepare(simulation, 'a');
    const steps: [Outcome, string][] = [
      [interrupted, 'setup'],
      [done, 'work'],
      [interrupted, 'work'],
      [done, 'check'],
      [interrupted, 'check'],
      [done, 'integrate'],
      [interrupted, 'integrate'],
    ];
    for (const [outcome, next] of steps) {
      simulation.end('a', outcome);
      expect(kinds(simulation).at(-1)).toBe(next);
      expect(simulation.replayed().tasks.get('a')).toEqual(simulation.state.tasks.get('a'));
    }
    simulation.end('a', integrated);
    expect(simulation.status).toBe('succeeded');
  });

  test('whose result does not fit is held for a person, and only integrated again when that lets it', () => {
    const simulation = inRepository(workflow([writer('a')]));
    prepare(simulation, 'a');
    simulation.end('a', done);
    simulation.end('a', conflict);
    expect(simulation.statuses).toEqual({ a: 'held' });
    simulation.command({ type: 'retry', task: 'a' });
    expect(kinds(simulation)).toEqual(['work', 'integrate', 'integrate']);
  });

  test('whose result cannot be brought in is held, and only that is tried again', () => {
    const simulation = inRepository(workflow([writer('a')]));
    prepare(simulation, 'a');
    simulation.end('a', succeededWith('built'));
    simulation.end('a', failedWith('EACCES', false));
    expect(simulation.statuses).toEqual({ a: 'held' });
    simulation.command({ type: 'retry', task: 'a' });
    simulation.end('a', integrated);
    expect(kinds(simulation)).toEqual(['work', 'integrate', 'integrate']);
    expect(taskAt(simulation.state, 'a').life).toEqual({ status: 'succeeded', output: 'built' });
  });

  test('whose place is taken by something else is held, and not failed', () => {
    const simulation = inRepository(workflow([writer('a')]));
    simulation.end('a', failedWith('WORKTREE_REFUSED'));
    expect(simulation.statuses).toEqual({ a: 'held' });
    simulation.command({ type: 'retry', task: 'a' });
    expect(simulation.running).toEqual(['a']);
  });

  test('whose result does not fit is made to fit by its agent, but not for ever', () => {
    const simulation = inRepository(workflow([writer('a', { onConflict: 'agent', check: checkOf(0) })]));
    prepare(simulation, 'a');
    for (let round = 1; round <= 2; round++) {
      for (const outcome of [done, done, conflict]) simulation.end('a', outcome);
    }
    expect(kinds(simulation)).toEqual([
      'work',
      'check',
      'integrate',
      'revision',
      'check',
      'integrate',
      'revision',
    ]);
    for (const outcome of [done, done, conflict]) simulation.end('a', outcome);
    expect(simulation.statuses).toEqual({ a: 'held' });
    expect(taskAt(simulation.state, 'a').failures).toBe(0);
  });

  test('that only looks has nothing to integrate', () => {
    const simulation = inRepository(workflow([writer('a'), reader('b', { needs: ['a'] })]));
    for (const [address, outcome] of [
      ['a', done],
      ['a', integrated],
      ['b', done],
      ['b', done],
    ] as const) {
      prepare(simulation, address);
      simulation.end(address, outcome);
    }
    expect(simulation.status).toBe('succeeded');
    expect(kinds(simulation)).toEqual(['work', 'integrate', 'work', 'integrate']);
    expect(taskAt(simulation.state, 'b').workspace).not.toHaveProperty('integrated');
  });

  test('whose place was made anew is equipped again', () => {
    const setup = { copy: [], work: command('npm ci') };
    const simulation = inRepository(workflow([writer('a', { setup })]));
    prepare(simulation, 'a');
    simulation.end('a', done);
    simulation.transition(() => [
      { type: 'workspace.recovered', task: 'a', data: { found: 'missing', how: 'recreated' } },
    ]);
    simulation.end('a', interrupted);
    expect(kinds(simulation)).toEqual(['setup', 'work', 'setup']);
  });
});
