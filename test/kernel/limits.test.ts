import { describe, expect, test } from 'vitest';
import { breaches } from '../support/laws.ts';
import { done, interrupted, simulate } from '../support/simulate.ts';
import { body, forEach, task, uses, workflow } from '../support/workflows.ts';

describe('max-parallel', () => {
  test('so many attempts run at once, and the next starts when one ends', () => {
    const simulation = simulate(workflow([task('a'), task('b'), task('c')], { maxParallel: 2 }));
    expect(simulation.running).toEqual(['a', 'b']);
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b', 'c']);
  });

  test('attempts in nested workflows count in every workflow around them', () => {
    const inner = workflow([task('x'), task('y'), task('z')], { maxParallel: 2 });
    const simulation = simulate(
      workflow([task('p', { work: uses(inner) }), task('q', { work: uses(inner) })], { maxParallel: 3 }),
    );
    expect(simulation.running).toEqual(['p.x', 'p.y', 'q.x']);
  });

  test('a task that has others to do its work takes no slot itself, so one slot is enough for any depth', () => {
    const inner = workflow([task('x')], { maxParallel: 1 });
    const outer = workflow([task('p', { work: body(workflow([task('q', { work: uses(inner) })])) })], {
      maxParallel: 1,
    });
    expect(simulate(outer).drain().status).toBe('succeeded');
  });
});

describe('priority', () => {
  test('among those that may start the higher priority starts first, then the earlier in the list', () => {
    const tasks = [task('low', { priority: -1 }), task('b'), task('a'), task('high', { priority: 9 })];
    const simulation = simulate(workflow(tasks, { maxParallel: 1 })).drain();
    expect(simulation.all('attempt.started').map((event) => event.task)).toEqual(['high', 'b', 'a', 'low']);
  });

  test('a task of high priority that must wait for a lock does not keep others from starting', () => {
    const tasks = [
      task('holder', { locks: ['x'] }),
      task('high', { locks: ['x'], priority: 9 }),
      task('low'),
    ];
    const simulation = simulate(workflow(tasks, { maxParallel: 3 }));
    expect(simulation.running).toEqual(['high', 'low']);
  });
});

const wants = (lock: string) => uses(workflow([task('t', { locks: [lock] })]));

describe('locks', () => {
  test('a lock is held by one attempt at a time', () => {
    const simulation = simulate(workflow(['a', 'b', 'c'].map((name) => task(name, { locks: ['db'] }))));
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b']);
  });

  test('several locks are taken together or not at all', () => {
    const simulation = simulate(
      workflow([
        task('a', { locks: ['x'] }),
        task('both', { locks: ['x', 'y'] }),
        task('b', { locks: ['y'], needs: ['a'] }),
        task('c', { locks: ['y'] }),
      ]),
    );
    expect(simulation.running).toEqual(['a', 'c']);
    simulation.end('c', done);
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', done);
    expect(simulation.running).toEqual(['both']);
  });

  test('a lock is free while its holder waits for its next try, for a person or for a limit', () => {
    const simulation = simulate(
      workflow([task('a', { locks: ['x'], onInterrupt: 'ask' }), task('b', { locks: ['x'] })]),
    );
    simulation.end('a', interrupted);
    expect(simulation.running).toEqual(['b']);
  });

  test('a nested workflow holds its lock from its first task to its last', () => {
    const inner = workflow([task('x'), task('y', { needs: ['x'] })]);
    const simulation = simulate(
      workflow([task('p', { work: uses(inner), locks: ['db'] }), task('q', { locks: ['db'] })]),
    );
    simulation.end('p.x', done);
    expect(simulation.running).toEqual(['p.y']);
    simulation.end('p.y', done);
    expect(simulation.running).toEqual(['q']);
  });

  test('a task may ask for the lock that the workflow around it holds', () => {
    const inner = workflow([task('x', { locks: ['db'] }), task('y', { locks: ['db'] })]);
    const simulation = simulate(workflow([task('p', { work: uses(inner), locks: ['db'] })]));
    expect(simulation.running).toEqual(['p.x']);
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('nested workflows that want each other’s locks do not wait for each other for ever', () => {
    const simulation = simulate(
      workflow([
        task('p', { work: wants('y'), locks: ['x'] }),
        task('q', { work: wants('x'), locks: ['y'] }),
      ]),
    ).drain();
    expect(simulation.status).toBe('succeeded');
    expect(breaches(simulation.journal)).toEqual([]);
  });

  test('items of a for-each with a lock come one after the other, each with its whole body', () => {
    const steps = workflow([task('x'), task('y', { needs: ['x'] })]);
    const simulation = simulate(
      workflow([task('each', { forEach: forEach(['a', 'b']), work: body(steps), locks: ['db'] })]),
    ).drain();
    expect(simulation.all('attempt.started').map((event) => event.task)).toEqual([
      'each[a].x',
      'each[a].y',
      'each[b].x',
      'each[b].y',
    ]);
  });

  test('a task that was woken for a lock and cannot even begin passes it on', () => {
    const broken = uses(workflow([task('x')]), '${{ inputs.missing }}');
    const tasks = [
      task('a', { locks: ['db'] }),
      task('b', { locks: ['db'], work: broken, priority: -1 }),
      task('c', { locks: ['db'], priority: -2 }),
    ];
    const simulation = simulate(workflow(tasks, { maxParallel: 9 }));
    simulation.end('a', done);
    expect(simulation.statusOf('b')).toBe('failed');
    expect(simulation.running).toEqual(['c']);
  });

  test('a task that was skipped while it waited for a lock does not keep the lock from others', () => {
    const simulation = simulate(workflow(['a', 'b', 'c'].map((name) => task(name, { locks: ['db'] }))));
    simulation.command({ type: 'skip', task: 'b' });
    simulation.end('a', done);
    expect(simulation.running).toEqual(['c']);
  });
});
