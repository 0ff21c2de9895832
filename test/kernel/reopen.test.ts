import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { taskAt } from '../../src/kernel/index.ts';
import type { Outcome } from '../../src/model/index.ts';
import { breaches } from '../support/laws.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { closures, nestedWorkflows } from '../support/random-workflows.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  succeededWith,
  type Script,
  type Simulation,
} from '../support/simulate.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from '../support/workflows.ts';

const chain = workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] }), task('other')]);

/** The tasks of which an attempt was started since. */
function startedBy(simulation: Simulation, act: () => void): string[] {
  const before = simulation.events.length;
  act();
  return simulation.events
    .slice(before)
    .flatMap((event) => (event.type === 'attempt.started' ? [event.task] : []));
}

describe('going on without', () => {
  const each = workflow([
    task('each', { forEach: forEach(['a', 'b', 'c', 'd'], { maxParallel: 1 }) }),
    task('after', { needs: ['each'] }),
  ]);

  test('a failed item does the rest of a for-each that had ended because of it, and nothing that was done', () => {
    const simulation = simulate(each);
    simulation.end('each[a]', done);
    simulation.end('each[b]', failedWith());
    simulation.drain();
    expect(simulation.status).toBe('failed');

    const started = startedBy(simulation, () => {
      expect(simulation.takeUp({ skipped: ['each[b]'] })).toBeUndefined();
      simulation.drain();
    });
    expect(started).toEqual(['each[c]', 'each[d]', 'after']);
    expect(simulation.status).toBe('succeeded');
    expect(simulation.statuses).toMatchObject({ 'each[a]': 'succeeded', 'each[b]': 'skipped' });
  });

  test('a failed task skips what needs it, and does what it kept from being done', () => {
    const simulation = simulate(chain);
    simulation.end('a', failedWith());
    simulation.drain();
    expect(simulation.takeUp({ skipped: ['a'] })).toBeUndefined();
    simulation.drain();
    expect(simulation.statuses).toEqual({ a: 'skipped', b: 'skipped', c: 'skipped', other: 'succeeded' });
  });

  test('one of several that failed is refused while another would stop the rest again', () => {
    const simulation = simulate(workflow([task('each', { forEach: forEach(['a', 'b', 'c']) })]));
    for (const item of ['a', 'b']) simulation.end(`each[${item}]`, failedWith());
    simulation.drain();
    expect(simulation.takeUp({ skipped: ['each[a]'] })).toContain('each[b] has failed too');
    expect(simulation.takeUp({ skipped: ['each[a]', 'each[b]'] })).toBeUndefined();
    simulation.drain();
    expect(simulation.status).toBe('succeeded');
  });

  test('one that is named twice skips it once', () => {
    const simulation = simulate(each);
    simulation.end('each[a]', failedWith());
    simulation.drain();
    expect(simulation.takeUp({ skipped: ['each[a]', 'each[a]'] })).toBeUndefined();
    expect(simulation.all('task.skipped').map(({ task: name }) => name)).toEqual(['after', 'each[a]']);
  });

  test('one is done again and the other skipped in one step', () => {
    const simulation = simulate(workflow([task('each', { forEach: forEach(['a', 'b']) })]));
    for (const item of ['a', 'b']) simulation.end(`each[${item}]`, failedWith());
    simulation.drain();
    const started = startedBy(simulation, () => {
      simulation.takeUp({ again: ['each[a]'], skipped: ['each[b]'] });
      simulation.drain();
    });
    expect(started).toEqual(['each[a]']);
    expect(simulation.status).toBe('succeeded');
  });

  test.each(['each[a]', 'each[c]', 'nobody'])('what has not failed is refused: %s', (address) => {
    const simulation = simulate(each);
    simulation.end('each[a]', done);
    simulation.end('each[b]', failedWith());
    simulation.drain();
    expect(simulation.takeUp({ skipped: [address] })).toMatch(/is succeeded|is cancelled|has no task/);
  });

  test('a failed task can be had also while the run is at work', () => {
    const simulation = simulate(
      workflow([task('a'), task('b'), task('c', { needs: ['a'] })], { failFast: false }),
    );
    simulation.end('a', failedWith());
    expect(simulation.command({ type: 'skip', task: 'a' })).toMatchObject({ accepted: true });
    simulation.drain();
    expect(simulation.status).toBe('succeeded');
    expect(simulation.statuses).toEqual({ a: 'skipped', b: 'succeeded', c: 'skipped' });
  });

  test.each(['skip', 'retry'] as const)(
    'several failed tasks can be had at once while it is at work: %s',
    (type) => {
      const items = task('each', { forEach: forEach(['a', 'b', 'c']) });
      const simulation = simulate(workflow([items, task('other')], { failFast: false }));
      for (const item of ['a', 'b']) simulation.end(`each[${item}]`, failedWith());
      simulation.end('each[c]', done);
      const [first, second] = ['each[a]', 'each[b]'] as const;
      expect(simulation.command({ type, task: first })).toMatchObject({ accepted: false });
      expect(simulation.command({ type, task: first, also: ['each[c]'] })).toMatchObject({ accepted: false });
      expect(simulation.command({ type, task: first, also: [second] })).toMatchObject({ accepted: true });
      simulation.drain();
      expect(simulation.status).toBe('succeeded');
    },
  );

  test('a task that was allowed to fail is refused: what was done after it would be given up with it', () => {
    const flow = workflow([task('a', { continueOnError: true }), task('b', { needs: ['a'] })]);
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    simulation.drain();
    expect(simulation.takeUp({ skipped: ['a'] })).toContain('the run has gone on without it');
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'succeeded' });
  });
});

describe('doing again', () => {
  test('a settled task of a run that has ended does it and all that came of it, and nothing else', () => {
    const simulation = simulate(chain).drain();
    const started = startedBy(simulation, () => {
      expect(simulation.reopen('b')).toBeUndefined();
      simulation.drain();
    });
    expect(started).toEqual(['b', 'c']);
    expect(simulation.status).toBe('succeeded');
  });

  test('a task makes the run go on, its output is gone, and what needs it waits', () => {
    const simulation = simulate(chain).drain();
    simulation.reopen('a');
    expect(simulation.status).toBe('running');
    expect(simulation.statuses).toEqual({ a: 'running', b: 'pending', c: 'pending', other: 'succeeded' });
    expect(simulation.outputOf('b')).toBeUndefined();
  });

  test('is named in the journal with every task that is reset', () => {
    const simulation = simulate(chain).drain();
    simulation.reopen('a');
    expect(simulation.all('tasks.reopened')[0]!.data).toEqual({
      tasks: ['a', 'b', 'c'],
      continued: [],
      reason: 'to be done again: a',
    });
  });

  test('numbers attempts on, counts failures anew, and gives a new key', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(2) })]));
    simulation.end('a', failedWith());
    simulation.wake();
    simulation.end('a', failedWith());
    expect(simulation.status).toBe('failed');
    simulation.reopen('a');
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      attempts: 3,
      tally: { failures: 0 },
      key: 'try-3',
    });
    simulation.end('a', failedWith());
    expect(simulation.statusOf('a')).toBe('delayed');
    simulation.wake();
    expect(taskAt(simulation.state, 'a')).toMatchObject({ attempts: 4, key: 'try-3' });
  });

  test('asks for approval again, and evaluates the condition again', () => {
    let holds = true;
    const flow = workflow([task('a', { approval: 'Sure?', if: { $function: 'now' } })]);
    const simulation = simulate(flow, { closures: { now: () => holds } });
    simulation.decide('approve', 'a');
    simulation.end('a', done);
    simulation.reopen('a');
    expect(simulation.status).toBe('held');
    simulation.decide('approve', 'a');
    simulation.end('a', done);
    holds = false;
    simulation.reopen('a');
    expect(simulation.statusOf('a')).toBe('skipped');
  });

  test('asks again also what was approved because of what is done again', () => {
    const flow = workflow([task('a'), task('b', { needs: ['a'], approval: 'Sure?' })]);
    const simulation = simulate(flow);
    simulation.end('a', done);
    simulation.command({ type: 'pause' });
    simulation.decide('approve', 'b');
    simulation.reopen('a');
    simulation.command({ type: 'resume' });
    simulation.end('a', done);
    expect(simulation.statusOf('b')).toBe('held');
  });

  test('lets dependants see the new output', () => {
    let round = 0;
    const seen: unknown[] = [];
    const script: Script = ({ name, variables }) => {
      if (name === 'b') seen.push((variables['needs'] as { a: { output: unknown } }).a.output);
      return name === 'a' ? succeededWith({ round: ++round }) : done;
    };
    const simulation = simulate(chain, { script }).drain();
    simulation.reopen('a');
    simulation.drain();
    expect(seen).toEqual([{ round: 1 }, { round: 2 }]);
  });

  test('goes through tasks that have not begun to those that were skipped because of it', () => {
    const flow = workflow([
      task('a'),
      task('b', { needs: ['a'] }),
      task('c', { needs: ['b'], if: 'always()' }),
    ]);
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    simulation.drain();
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'skipped', c: 'succeeded' });
    simulation.reopen('a');
    expect(simulation.drain().statuses).toEqual({ a: 'succeeded', b: 'succeeded', c: 'succeeded' });
    expect(simulation.status).toBe('succeeded');
  });

  test('a held, delayed or interrupted task begins it anew', () => {
    const flow = workflow([task('a', { onInterrupt: 'ask' }), task('b', { retry: tries(2) })]);
    const simulation = simulate(flow);
    simulation.end('a', interrupted);
    simulation.end('b', failedWith());
    expect(simulation.reopen('a', 'b')).toBeUndefined();
    expect(simulation.running).toEqual(['a', 'b']);
    expect(taskAt(simulation.state, 'b')).toMatchObject({ tally: { failures: 0 }, key: 'try-4' });
  });

  test('a task that is asked about, and has not begun, is asked about anew', () => {
    const simulation = simulate(workflow([task('a', { approval: 'sure?' })]));
    expect(simulation.statusOf('a')).toBe('held');
    expect(simulation.reopen('a')).toBeUndefined();
    const opened = simulation.events.filter(({ type }) => type === 'gate.opened');
    expect(opened).toHaveLength(2);
    expect(simulation.statusOf('a')).toBe('held');
  });

  test('survives a death right after it', () => {
    const simulation = simulate(chain).drain();
    simulation.reopen('a');
    expect(simulation.crash({ snapshot: true }).running).toEqual(['a']);
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('leaves a pause as it is', () => {
    const simulation = simulate(chain);
    simulation.end('a', failedWith());
    simulation.command({ type: 'pause' });
    simulation.reopen('a');
    expect(simulation.status).toBe('paused');
    simulation.command({ type: 'resume' });
    expect(simulation.drain().status).toBe('succeeded');
  });
});

describe('doing a part again', () => {
  const nested = workflow([
    task('each', {
      forEach: forEach(['x', 'y']),
      work: body(workflow([task('write'), task('check', { needs: ['write'] })])),
    }),
    task('after', { needs: ['each'] }),
  ]);

  test('lets all around it go on, and repeats only what came of it', () => {
    const simulation = simulate(nested).drain();
    const started = startedBy(simulation, () => {
      simulation.reopen('each[x].check');
      expect(simulation.statuses).toMatchObject({
        each: 'running',
        'each[x]': 'running',
        'each[y]': 'succeeded',
      });
      simulation.drain();
    });
    expect(started).toEqual(['each[x].check', 'after']);
    expect(simulation.all('tasks.reopened')[0]!.data).toMatchObject({
      tasks: expect.arrayContaining(['each[x].check', 'after']) as unknown,
      continued: ['each[x]', 'each'],
    });
  });

  test('with what it belongs to is doing that again as a whole, with the items of now', () => {
    let items = ['x', 'y'];
    const flow = workflow([task('each', { forEach: forEach({ $function: 'items' }) })]);
    const simulation = simulate(flow, { closures: { items: () => items } }).drain();
    items = ['y', 'z'];
    const started = startedBy(simulation, () => {
      expect(simulation.reopen('each', 'each[x]')).toBeUndefined();
      simulation.drain();
    });
    expect(started).toEqual(['each[y]', 'each[z]']);
    expect(Object.keys(simulation.statuses)).toEqual(['each', 'each[y]', 'each[z]']);
  });

  test('a failed item lets the other items be, but takes up those that were not tried because of it', () => {
    const flow = workflow([task('each', { forEach: forEach(['a', 'b', 'c'], { maxParallel: 1 }) })]);
    const simulation = simulate(flow);
    simulation.end('each[a]', done);
    simulation.end('each[b]', failedWith());
    expect(simulation.statuses).toMatchObject({ 'each[c]': 'cancelled', each: 'failed' });
    const started = startedBy(simulation, () => {
      expect(simulation.reopen('each[b]')).toBeUndefined();
      simulation.drain();
    });
    expect(started).toEqual(['each[b]', 'each[c]']);
    expect(simulation.status).toBe('succeeded');
  });

  test('after a fail-fast takes up what was stopped, without repeating what was done there', () => {
    const inner = workflow([task('x'), task('y', { needs: ['x'] })]);
    const simulation = simulate(workflow([task('a'), task('b', { work: uses(inner) })], { failFast: true }));
    simulation.end('b.x', done);
    simulation.end('a', failedWith());
    simulation.end('b.y', { type: 'cancelled', reason: 'a failed' });
    expect(simulation.statuses).toEqual({
      a: 'failed',
      b: 'cancelled',
      'b.x': 'succeeded',
      'b.y': 'cancelled',
    });
    const started = startedBy(simulation, () => {
      simulation.reopen('a');
      simulation.drain();
    });
    expect(started.sort()).toEqual(['a', 'b.y']);
    expect(simulation.status).toBe('succeeded');
  });

  test('after a cancel takes up all that was cancelled', () => {
    const simulation = simulate(chain);
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', done);
    simulation.end('other', { type: 'cancelled', reason: 'enough' });
    expect(simulation.status).toBe('cancelled');
    const started = startedBy(simulation, () => {
      expect(simulation.reopen('b')).toBeUndefined();
      simulation.drain();
    });
    expect(started.sort()).toEqual(['b', 'c', 'other']);
    expect(simulation.status).toBe('succeeded');
  });
});

describe('in a graph', () => {
  const flow = graph([node('a', 'b'), node('b', 'end')]);

  test('the last visit can be done again if it did not succeed, and the graph goes on from there', () => {
    const simulation = simulate(flow);
    simulation.end('a#1', succeededWith({ n: 1 }));
    simulation.end('b#1', failedWith());
    expect(simulation.status).toBe('failed');
    simulation.reopen('b#1');
    expect(simulation.running).toEqual(['b#1']);
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('also a skipped one, after which the graph had come to its end', () => {
    const simulation = simulate(graph([node('a', 'end', { approval: 'Sure?' })]));
    simulation.command({ type: 'skip', task: 'a#1' });
    expect(simulation.status).toBe('succeeded');
    simulation.reopen('a#1');
    simulation.decide('approve', 'a#1');
    expect(simulation.drain().status).toBe('succeeded');
    expect(simulation.statusOf('a#1')).toBe('succeeded');
  });

  test('no other visit can, nor one that succeeded', () => {
    const simulation = simulate(flow).drain();
    expect(simulation.reopen('a#1')).toBe('only the last visit of a graph can be done again: b#1, not a#1');
    expect(simulation.reopen('b#1')).toBe(
      'b#1 succeeded, and what it changed in the state stays: it cannot be done again',
    );
  });

  test('a part of a visit that succeeded cannot be done again either', () => {
    const inner = graph([node('a', 'end', { forEach: forEach(['x']) })]);
    const simulation = simulate(inner).drain();
    expect(simulation.reopen('a#1[x]')).toMatch('a#1 succeeded');
  });

  test('a nested graph that is named is done again from its beginning', () => {
    const simulation = simulate(workflow([task('loop', { work: uses(flow) })])).drain();
    const started = startedBy(simulation, () => {
      simulation.reopen('loop');
      simulation.drain();
    });
    expect(started).toEqual(['loop.a#1', 'loop.b#1']);
  });
});

describe('what is refused', () => {
  test.for<[string, string, string]>([
    ['an unknown task', 'z', 'the run has no task z'],
    ['a task that runs', 'a', 'a is running'],
    ['a task that has not begun', 'b', 'b has not begun: there is nothing to do again'],
  ])('%s', ([, address, refusal]) => {
    expect(simulate(chain).reopen(address)).toBe(refusal);
  });

  test('what others that run came of', () => {
    const simulation = simulate(chain);
    simulation.end('a', done);
    expect(simulation.reopen('a')).toBe('b is running');
  });

  test('anything while the run is being cancelled, or others are being stopped', () => {
    const cancelled = simulate(chain);
    cancelled.end('a', done);
    cancelled.command({ type: 'cancel', reason: 'enough' });
    expect(cancelled.reopen('c')).toBe('the run is being cancelled');
    const failFast = simulate(workflow([task('a'), task('b')], { failFast: true }));
    failFast.end('a', failedWith());
    expect(failFast.reopen('a')).toBe('b is still being stopped: try again when it has ended');
  });

  test('what another failure would stop again, unless both are named', () => {
    const flow = workflow([task('a'), task('b')], { failFast: true });
    const items = workflow([task('each', { forEach: forEach(['a', 'b']) })]);
    for (const [given, a, b] of [
      [flow, 'a', 'b'],
      [items, 'each[a]', 'each[b]'],
    ] as const) {
      const simulation = simulate(given);
      simulation.end(a, failedWith());
      simulation.end(b, failedWith());
      expect(simulation.reopen(a)).toMatch(`${b} has failed too`);
      expect(simulation.reopen(a, b)).toBeUndefined();
      expect(simulation.drain().status).toBe('succeeded');
    }
  });

  test('what would go on while another holds its lock', () => {
    const inner = workflow([task('x', { locks: ['l'] })]);
    const flow = workflow(['a', 'b'].map((name) => task(name, { locks: ['l'], work: uses(inner) })));
    const simulation = simulate(flow);
    simulation.end('a.x', failedWith());
    expect(simulation.running).toEqual(['b.x']);
    expect(simulation.reopen('a.x')).toBe('a cannot go on now: others hold what it needs (lock::l)');
    simulation.end('b.x', done);
    expect(simulation.reopen('a.x')).toBeUndefined();
  });
});

describe('a retry by a person', () => {
  test('of a failed task does it again while the run is going on', () => {
    const simulation = simulate(chain);
    simulation.end('a', failedWith());
    expect(simulation.statuses).toMatchObject({ a: 'failed', b: 'skipped' });
    expect(simulation.command({ type: 'retry', task: 'a' }).accepted).toBe(true);
    expect(simulation.running).toEqual(['a', 'other']);
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('of a failed task is refused for the same reasons, and after the end of the run', () => {
    const simulation = simulate(workflow([task('a'), task('b')], { failFast: true }));
    simulation.end('a', failedWith());
    expect(simulation.command({ type: 'retry', task: 'a' }).text).toMatch('b is still being stopped');
    simulation.end('b', done);
    expect(simulation.command({ type: 'retry', task: 'a' }).text).toBe('the run has ended: failed');
  });

  test('of a delayed task starts it now, and its timer does no harm', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(3) })]));
    simulation.end('a', failedWith());
    expect(simulation.command({ type: 'retry', task: 'a' }).accepted).toBe(true);
    expect(simulation.running).toEqual(['a']);
    simulation.now += 1_000;
    expect(simulation.transition()).toEqual([]);
    expect(taskAt(simulation.state, 'a')).toMatchObject({ attempts: 2, tally: { failures: 1 } });
  });
});

/** Fails as often as its name says: the same whenever it is done again. */
function scriptOf(failing: readonly number[]): Script {
  return ({ task: address, failures }): Outcome => {
    const seed = [...address].reduce((sum, character) => sum + character.charCodeAt(0), 0);
    return failures < (failing[seed % failing.length] ?? 0) ? failedWith() : succeededWith(address);
  };
}

function finish(simulation: Simulation): void {
  for (let rounds = 0; rounds < 1_000 && !simulation.drain().isOver; rounds++) simulation.releaseHeld();
}

test('a run of which anything is done again comes to the same result', () => {
  const failing = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 });
  const picks = fc.array(fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 2 }), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2, timeless: true }), failing, picks, (flow, fails, chosen) => {
      const simulation = simulate(flow, { closures, script: scriptOf(fails) });
      finish(simulation);
      const [status, statuses] = [simulation.status, simulation.statuses];
      for (const pick of chosen) {
        const all = Object.keys(statuses);
        if (all.length > 0) simulation.reopen(...pick.map((number) => all[number % all.length]!));
        finish(simulation);
        expect(simulation.status).toBe(status);
        expect(simulation.statuses).toEqual(statuses);
      }
      expect(breaches(simulation.journal)).toEqual([]);
    }),
    { numRuns: propertyRuns },
  );
});

describe('what is known of a scope after something in it was reopened', () => {
  const three = ['a', 'b', 'c'].map((name) => task(name));

  test('is the failure that came first among those that are left', () => {
    const simulation = simulate(workflow([...three, task('d')]));
    simulation.end('c', failedWith('LAST'));
    simulation.end('b', failedWith('FIRST'));
    simulation.end('a', failedWith('SECOND'));
    simulation.end('d', done);
    expect(simulation.reopen('c')).toBeUndefined();
    simulation.end('c', done);
    expect(simulation.state.phase).toMatchObject({
      status: 'failed',
      failure: { message: 'b failed: it is first' },
    });
  });

  test('with fail-fast, stops what has not begun as long as another failure is left', () => {
    const flow = workflow([...three, task('later', { needs: ['c'] })], { failFast: true });
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    simulation.drain();
    expect(simulation.statuses).toMatchObject({ a: 'failed', later: 'cancelled' });

    simulation.reopen('later');
    expect(simulation.state.scopes.get('')!.cancelling).toEqual({ reason: 'a failed', failFast: true });
    simulation.drain();
    expect(simulation.statuses).toMatchObject({ a: 'failed', later: 'cancelled' });
    simulation.reopen('a');
    expect(simulation.state.scopes.get('')!.cancelling).toBeUndefined();
    simulation.drain();
    expect(simulation.statuses).toMatchObject({ a: 'succeeded' });
  });
});
