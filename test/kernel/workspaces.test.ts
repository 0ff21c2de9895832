import { describe, expect, test } from 'vitest';
import {
  decodeState,
  encodeState,
  artifactSources,
  placementOf,
  placesToClean,
  rebuildAgenda,
  summaryOf,
  taskAt,
  waitingToMerge,
} from '../../src/kernel/index.ts';
import { isConflicting, proposalOf } from '../../src/kernel/stage.ts';
import type { CleanupPolicy, Event, Outcome, TaskSpec, Workflow } from '../../src/model/index.ts';
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

  test('as is configured, where neither it nor the workflow says it', () => {
    const flow = workflow([
      task('a', { work: command('make') }),
      writer('b', { workspace: { mode: 'shared' } }),
    ]);
    const configured = { ...origin, workspace: { mode: 'worktree' } } as const;
    expect(placesOf(simulate(flow, { origin: configured }))).toEqual({
      a: 'worktree to integrate',
      b: 'shared',
    });
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

const red: Outcome = { ...failedWith('EXIT'), report: 'two tests fail' } as Outcome;

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
    expect(taskAt(simulation.state, 'a').tally.failures).toBe(0);
  });

  test.each([
    ['fails its check', [done, red]],
    ['fails itself', [failedWith('EXIT', false)]],
  ] as [string, Outcome[]][])(
    'whose agent %s while it resolves a conflict is held with the conflict, and checked and integrated when that lets it',
    (_, outcomes) => {
      const simulation = inRepository(workflow([writer('a', { onConflict: 'agent', check: checkOf(0) })]));
      prepare(simulation, 'a');
      for (const outcome of [succeededWith('built'), done, conflict, ...outcomes])
        simulation.end('a', outcome);
      expect(simulation.statuses).toEqual({ a: 'held' });
      const held = taskAt(simulation.state, 'a');
      expect(held.life).toMatchObject({
        reason: expect.stringMatching(/^its agent did not resolve the conflict in a\.txt: .*\/trees\/a/),
        actions: ['resolve', 'retry', 'recreate', 'adopt', 'discard', 'skip'],
      });
      expect(isConflicting(held.stage)).toBe(true);
      expect(simulation.replayed().tasks.get('a')).toEqual(held);
      simulation.command({ type: 'retry', task: 'a' });
      expect(kinds(simulation).at(-1)).toBe('check');
      simulation.end('a', done);
      expect(kinds(simulation).at(-1)).toBe('integrate');
      simulation.end('a', integrated);
      expect(simulation.status).toBe('succeeded');
    },
  );

  test('whose agent did not resolve a conflict keeps the output of the work, if that is all there is', () => {
    const simulation = inRepository(workflow([writer('a', { onConflict: 'agent' })]));
    prepare(simulation, 'a');
    for (const outcome of [succeededWith('built'), conflict, failedWith('EXIT', false)])
      simulation.end('a', outcome);
    simulation.command({ type: 'retry', task: 'a' });
    expect(kinds(simulation).at(-1)).toBe('integrate');
    simulation.end('a', integrated);
    expect(taskAt(simulation.state, 'a').life).toEqual({ status: 'succeeded', output: 'built' });
  });

  test('that is held with a conflict: what a person says goes to its agent together with the conflict', () => {
    const simulation = inRepository(workflow([writer('a')]));
    prepare(simulation, 'a');
    simulation.end('a', done);
    simulation.end('a', conflict);
    simulation.command({ type: 'tell', task: 'a', text: 'keep both' });
    simulation.command({ type: 'retry', task: 'a' });
    expect(kinds(simulation).at(-1)).toBe('revision');
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      stage: { name: 'revise', report: 'a.txt differs', conflict: { files: ['a.txt'] } },
      life: { attempt: { messages: ['keep both'] } },
    });
  });

  test('that does not get on with a conflict is held with it before its revisions are used up', () => {
    const simulation = inRepository(workflow([writer('a', { onConflict: 'agent', check: checkOf(9) })]));
    prepare(simulation, 'a');
    const same = { ...red, sameness: 'same' } as Outcome;
    for (const outcome of [done, done, conflict, done, same, done, same, done, same])
      simulation.end('a', outcome);
    expect(simulation.statuses).toEqual({ a: 'held' });
    expect(isConflicting(taskAt(simulation.state, 'a').stage)).toBe(true);
  });

  test('that only looks has nothing to integrate', () => {
    const simulation = inRepository(workflow([writer('a'), reader('b', { needs: ['a'] })]));
    for (const [address, outcome] of [
      ['a', done],
      ['a', integrated],
      ['b', done],
    ] as const) {
      prepare(simulation, address);
      simulation.end(address, outcome);
    }
    expect(simulation.status).toBe('succeeded');
    expect(kinds(simulation)).toEqual(['work', 'integrate', 'work']);
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

const proposed = (members: readonly string[]): Outcome => ({
  type: 'succeeded',
  proposed: { result: 'c1', commit: 'c3', onto: 'c0', members },
});

describe('what is merged', () => {
  const checked = (names: readonly string[], revise = 1): Workflow =>
    workflow(names.map((name) => writer(name, { check: checkOf(revise) })));

  /** All have done their work, and it was good by itself. */
  function allDone(flow: Workflow): Simulation {
    const simulation = inRepository(flow);
    for (const { name } of flow.tasks) {
      prepare(simulation, name);
      simulation.end(name, done);
    }
    for (const { name } of flow.tasks) simulation.end(name, done);
    return simulation;
  }

  test('one by one: nobody else merges as long as a merge is being checked', () => {
    const simulation = allDone(checked(['a', 'b', 'c']));
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', proposed([]));
    expect(kinds(simulation).at(-1)).toBe('verify');
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', interrupted);
    expect(kinds(simulation).at(-1)).toBe('verify');
    simulation.end('a', done);
    expect(kinds(simulation).at(-1)).toBe('integrate');
    expect(simulation.replayed().tasks.get('a')).toEqual(simulation.state.tasks.get('a'));
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', integrated);
    expect(simulation.running).toEqual(['b']);
  });

  test('and does not pass its check with others, is tried with half of them, and alone', () => {
    const simulation = allDone(checked(['a', 'b', 'c', 'd']));
    expect(waitingToMerge(simulation.state).map(({ address }) => address)).toEqual(['b', 'c', 'd']);
    simulation.end('a', proposed(['b', 'c', 'd']));
    simulation.end('a', red);
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      tally: { mergesWith: 1 },
      stage: { name: 'integrate' },
    });
    simulation.end('a', proposed(['b']));
    simulation.end('a', red);
    expect(taskAt(simulation.state, 'a').tally.mergesWith).toBe(0);
    simulation.end('a', proposed([]));
    simulation.end('a', red);
    expect(kinds(simulation).at(-1)).toBe('integrate');
    expect(simulation.running).toEqual(['a', 'b']);
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      stage: { name: 'revise', report: expect.stringMatching('two tests fail') },
    });
  });

  test('and is not made to pass by its agent, waits for a person without keeping others from merging', () => {
    const simulation = allDone(checked(['a', 'b'], 0));
    simulation.end('a', proposed([]));
    simulation.end('a', red);
    expect(simulation.statuses).toEqual({ a: 'held', b: 'running' });
    simulation.end('b', integrated);
    simulation.command({ type: 'retry', task: 'a' });
    expect(kinds(simulation).at(-1)).toBe('integrate');
    simulation.end('a', integrated);
    expect(simulation.status).toBe('succeeded');
  });

  test('is given up when a person has something to say, and others merge', () => {
    const simulation = allDone(checked(['a', 'b', 'c']));
    simulation.end('a', proposed([]));
    simulation.command({ type: 'tell', task: 'a', text: 'not so', now: true });
    simulation.end('a', interrupted);
    expect(simulation.running).toEqual(['a', 'b']);
    simulation.end('b', integrated);
    expect(simulation.running).toEqual(['a', 'c']);
  });

  test.each([
    ['a person', { type: 'interrupted', reason: 'gone', mayStillRun: true }],
    ['a time', { type: 'delayed', until: 10_000_000, reason: 'no room' }],
  ] as [string, Outcome][])(
    'and whose check waits for %s does not keep others from merging',
    (_, outcome) => {
      const simulation = allDone(checked(['a', 'b']));
      simulation.end('a', proposed([]));
      simulation.end('a', outcome);
      expect(simulation.running).toEqual(['b']);
      expect(proposalOf(taskAt(simulation.state, 'a').stage)).toBeUndefined();
      expect(simulation.replayed().tasks.get('a')).toEqual(simulation.state.tasks.get('a'));
    },
  );

  test('waits no longer for its turn than it has something to merge', () => {
    const simulation = allDone(checked(['a', 'b', 'c']));
    simulation.command({ type: 'tell', task: 'b', text: 'not so' });
    simulation.end('a', integrated);
    expect(simulation.running).toEqual(['b', 'c']);
    expect(kinds(simulation).slice(-2).sort()).toEqual(['integrate', 'work']);
  });

  test('and is proposed anew, since it could not land as it was, takes its turn once, and others merge after it', () => {
    const simulation = allDone(checked(['a', 'b', 'c']));
    simulation.end('a', proposed(['b']));
    simulation.end('a', done);
    simulation.end('a', proposed([]));
    expect(kinds(simulation).at(-1)).toBe('verify');
    simulation.end('a', done);
    simulation.end('a', integrated);
    expect(simulation.running).toEqual(['b']);
  });

  test('along with another cannot be skipped while it lands, but before', () => {
    const simulation = allDone(checked(['a', 'b', 'c']));
    simulation.end('a', proposed(['b', 'c']));
    expect(simulation.command({ type: 'skip', task: 'c' })).toMatchObject({ accepted: true });
    simulation.end('a', done);
    expect(simulation.command({ type: 'skip', task: 'b' })).toMatchObject({
      accepted: false,
      text: expect.stringContaining('together with a'),
    });
  });

  test('and whose place was made anew before it was checked, is merged anew', () => {
    const simulation = allDone(checked(['a', 'b']));
    simulation.end('a', proposed([]));
    simulation.transition(() => [
      { type: 'workspace.recovered', task: 'a', data: { found: 'missing', how: 'restored' } },
    ]);
    simulation.end('a', interrupted);
    expect(proposalOf(taskAt(simulation.state, 'a').stage)).toBeUndefined();
    expect(kinds(simulation).slice(-1)).toEqual(['integrate']);
    expect(simulation.running).toHaveLength(1);
  });

  test('is cancelled in the middle, and leaves the way to others', () => {
    const simulation = allDone(
      workflow([writer('a', { check: checkOf(1) }), writer('b', { check: checkOf(1) })], { failFast: false }),
    );
    simulation.end('a', proposed([]));
    simulation.end('a', { type: 'cancelled', reason: 'enough' });
    expect(simulation.running).toEqual(['b']);
  });
});

describe('the items of a for-each with a pool', () => {
  const setup = { copy: [], work: command('npm ci') };
  const each: Partial<TaskSpec> = {
    forEach: { in: ['1', '2', '3', '4', '5'], matrix: false, as: 'item', maxFailures: 5 },
  };
  const slots = (simulation: Simulation): unknown =>
    Object.fromEntries(
      [...simulation.state.tasks.values()].flatMap(({ address, slot }) =>
        slot === undefined ? [] : [[address, slot]],
      ),
    );

  test('take its places in turn, keep them until they settle, and equip each once', () => {
    const simulation = inRepository(
      workflow([writer('a', { ...each, pool: 2, setup })], { failFast: false }),
    );
    expect(slots(simulation)).toEqual({ 'a[1]': 1, 'a[2]': 2 });
    for (const address of ['a[1]', 'a[2]']) {
      prepare(simulation, address);
      simulation.end(address, done);
    }
    simulation.end('a[1]', { type: 'delayed', until: simulation.now + 1_000_000, reason: 'limit' });
    expect(simulation.running).toEqual(['a[2]']);
    simulation.end('a[2]', done);
    simulation.end('a[2]', integrated);
    expect(slots(simulation)).toEqual({ 'a[1]': 1, 'a[3]': 2 });
    expect(simulation.replayed().pools).toEqual(simulation.state.pools);
    prepare(simulation, 'a[3]');
    expect(taskAt(simulation.state, 'a[3]').workspace).toMatchObject({ isEquipped: true });
    simulation.end('a[3]', failedWith('BROKEN', false));
    expect(slots(simulation)).toEqual({ 'a[1]': 1, 'a[4]': 2 });
    expect(simulation.replayed().tasks.get('a[4]')).toEqual(simulation.state.tasks.get('a[4]'));
  });

  test('give a place back that they are taken from, to be done again', () => {
    const simulation = inRepository(workflow([writer('a', { ...each, pool: 2 })], { failFast: false }));
    prepare(simulation, 'a[1]');
    simulation.end('a[1]', failedWith('WORKTREE_REFUSED'));
    expect(simulation.statuses['a[1]']).toBe('held');
    expect(simulation.reopen('a[1]')).toBeUndefined();
    expect(slots(simulation)).toEqual({ 'a[2]': 2, 'a[3]': 3 });
    expect(simulation.state.pools['a']!.holders).toEqual({ 2: 'a[2]', 3: 'a[3]' });
  });

  test('that wait for a person keep their places, and as many are at work as before', () => {
    const simulation = inRepository(workflow([writer('a', { ...each, pool: 2 })], { failFast: false }));
    const refuse = (address: string): void => {
      prepare(simulation, address);
      simulation.end(address, failedWith('WORKTREE_REFUSED'));
    };
    refuse('a[1]');
    refuse('a[2]');
    expect(simulation.running).toEqual(['a[3]', 'a[4]']);
    expect(slots(simulation)).toEqual({ 'a[1]': 1, 'a[2]': 2, 'a[3]': 3, 'a[4]': 4 });
    expect(simulation.replayed().tasks).toEqual(simulation.state.tasks);

    // Let go on, it waits for its turn like any other, and then has its own place again.
    simulation.command({ type: 'retry', task: 'a[1]' });
    expect(simulation.running).toEqual(['a[3]', 'a[4]']);
    prepare(simulation, 'a[3]');
    simulation.end('a[3]', failedWith('BROKEN', false));
    expect(simulation.running).toEqual(['a[1]', 'a[4]']);
    expect(slots(simulation)).toEqual({ 'a[1]': 1, 'a[2]': 2, 'a[4]': 4 });

    simulation.command({ type: 'skip', task: 'a[2]' });
    expect(simulation.running).toEqual(['a[1]', 'a[4]']);
    simulation.end('a[1]', failedWith('BROKEN', false));
    expect(slots(simulation)).toEqual({ 'a[4]': 4, 'a[5]': 1 });
  });

  test('that wait for a person do so also after the run was begun anew from a snapshot', () => {
    const simulation = inRepository(workflow([writer('a', { ...each, pool: 1 })], { failFast: false }));
    prepare(simulation, 'a[1]');
    simulation.end('a[1]', failedWith('WORKTREE_REFUSED'));
    simulation.state = decodeState(encodeState(simulation.state));
    prepare(simulation, 'a[2]');
    simulation.end('a[2]', failedWith('BROKEN', false));
    expect(simulation.running).toEqual(['a[3]']);
    expect(slots(simulation)).toEqual({ 'a[1]': 1, 'a[3]': 2 });
  });

  test('are begun as often from scratch as all of them were: what takes their names has other places', () => {
    const flow = workflow([writer('a', { ...each, forEach: { ...each.forEach!, in: ['1', '2'] } })]);
    const simulation = inRepository(flow);
    const fail = (address: string): void => {
      prepare(simulation, address);
      simulation.end(address, failedWith('BROKEN', false));
    };
    const integrate = (address: string): void => {
      prepare(simulation, address);
      simulation.end(address, done);
      simulation.end(address, integrated);
    };
    fail('a[1]');
    expect(simulation.reopen('a[1]')).toBeUndefined();
    expect(taskAt(simulation.state, 'a[1]').generation).toBe(1);
    integrate('a[1]');
    integrate('a[2]');
    expect(simulation.status).toBe('succeeded');
    expect(simulation.reopen('a')).toBeUndefined();
    expect(taskAt(simulation.state, 'a[1]').generation).toBe(2);
    expect(simulation.replayed().tasks.get('a[1]')).toEqual(simulation.state.tasks.get('a[1]'));
  });

  test('are never more at work than it has places, also after the agenda was made anew', () => {
    const simulation = inRepository(workflow([writer('a', { ...each, pool: 2 })]));
    rebuildAgenda(simulation.state);
    simulation.transition(() => []);
    expect(simulation.running).toEqual(['a[1]', 'a[2]']);
  });
});

describe('outside of a repository', () => {
  test('agents that write do so one at a time, unless the workflow says that they share the folder', () => {
    const flow = [writer('a'), writer('b'), reader('c')];
    const outside = { origin: { directory: '/project' } };
    expect(simulate(workflow(flow), outside).running).toEqual(['a', 'c']);
    expect(simulate(workflow(flow, { workspace: { mode: 'shared' } }), outside).running).toEqual([
      'a',
      'b',
      'c',
    ]);
    const own = workflow(flow, { workspace: { mode: 'directory' } });
    expect(placesOf(simulate(own, outside))).toEqual({ a: 'directory', b: 'directory', c: 'directory' });
    expect(simulate(own, outside).running).toEqual(['a', 'b', 'c']);
  });
});

describe('a person puts the place of a held task right', () => {
  function held(code = 'WORKSPACE_DRIFTED', saved?: string): Simulation {
    const simulation = inRepository(workflow([writer('a')]));
    simulation.transition(() => [
      {
        type: 'session.opened',
        task: 'a',
        attempt: taskAt(simulation.state, 'a').lastAttempt!,
        data: { agent: 'claude', session: 's' },
      },
    ]);
    prepare(simulation, 'a');
    if (saved !== undefined) simulation.transition(() => [savedAs(simulation, saved)]);
    simulation.end('a', failedWith(code));
    return simulation;
  }

  function savedAs({ state }: Simulation, commit: string): Event {
    const attempt = taskAt(state, 'a').lastAttempt!;
    return { type: 'workspace.saved', task: 'a', attempt, data: { commit, label: 'last' } };
  }

  function offered({ state }: Simulation): readonly string[] {
    const { life } = taskAt(state, 'a');
    return life.status === 'held' ? life.actions : [];
  }

  test('and is told what can be done', () => {
    expect(offered(held())).toEqual(['retry', 'recreate', 'adopt', 'discard', 'skip']);
    const all = ['retry', 'recreate', 'restore', 'adopt', 'discard', 'skip'];
    expect(offered(held('WORKSPACE_DRIFTED', 'c1'))).toEqual(all);
  });

  test('that is gone, or taken by something else: first of all what makes it again', () => {
    expect(offered(held('WORKSPACE_GONE'))).toEqual(['recreate', 'discard', 'retry', 'skip']);
    expect(offered(held('WORKSPACE_GONE', 'c1'))).toEqual([
      'restore',
      'recreate',
      'discard',
      'retry',
      'skip',
    ]);
    expect(offered(held('WORKTREE_REFUSED'))).toEqual(['recreate', 'adopt', 'discard', 'retry', 'skip']);
  });

  test('that could not be adopted: not that again', () => {
    const simulation = held('WORKTREE_REFUSED');
    simulation.command({ type: 'place', task: 'a', action: 'adopt' });
    simulation.end('a', failedWith('WORKTREE_REFUSED'));
    expect(offered(simulation)).toEqual(['recreate', 'discard', 'retry', 'skip']);
  });

  test('recreate: the agent goes on in its conversation', () => {
    const simulation = held();
    simulation.command({ type: 'place', task: 'a', action: 'recreate' });
    expect(simulation.running).toEqual(['a']);
    expect(taskAt(simulation.state, 'a')).toMatchObject({
      conversation: { session: { id: 's' } },
      workspace: { order: { action: 'recreate' } },
    });
    simulation.transition(() => [
      { type: 'workspace.recovered', task: 'a', data: { found: 'a person wanted it', how: 'recreated' } },
    ]);
    expect(taskAt(simulation.state, 'a').workspace).not.toHaveProperty('order');
  });

  test('restore: only what was saved', () => {
    const simulation = held();
    expect(simulation.command({ type: 'place', task: 'a', action: 'restore' })).toMatchObject({
      accepted: false,
    });
    expect(simulation.statuses).toEqual({ a: 'held' });
    const action = { type: 'place', task: 'a', action: 'restore', from: 'c7' } as const;
    expect(simulation.command(action)).toMatchObject({ accepted: true });
    expect(taskAt(simulation.state, 'a').workspace?.order).toMatchObject({ action: 'restore', from: 'c7' });
  });

  test('adopt: it is taken as it is', () => {
    const simulation = held();
    simulation.command({ type: 'place', task: 'a', action: 'adopt' });
    expect(taskAt(simulation.state, 'a').workspace).toMatchObject({ isAdopted: true });
  });

  test('discard: the agent begins from scratch', () => {
    const simulation = held();
    simulation.command({ type: 'place', task: 'a', action: 'discard' });
    expect(taskAt(simulation.state, 'a').conversation.session).toBeUndefined();
    expect(taskAt(simulation.state, 'a').workspace).toMatchObject({ order: { action: 'discard' } });
  });

  test('but not that of one that is at work, or has none', () => {
    const simulation = inRepository(workflow([writer('a')]));
    expect(simulation.command({ type: 'place', task: 'a', action: 'adopt' })).toMatchObject({
      accepted: false,
    });
    simulation.end('a', failedWith('WORKTREE_REFUSED'));
    expect(simulation.command({ type: 'place', task: 'a', action: 'adopt' })).toMatchObject({
      accepted: false,
    });
  });
});

test('refs that were changed are told of once, and hold the task', () => {
  const simulation = inRepository(workflow([writer('a')]));
  prepare(simulation, 'a');
  simulation.end('a', done);
  const refs = [{ ref: 'refs/heads/main', before: 'c0', after: 'c1' }];
  simulation.end('a', { ...failedWith('REFS_CHANGED', false), refs } as Outcome);
  expect(simulation.statuses).toEqual({ a: 'held' });
  expect(simulation.state.knownRefs).toEqual(refs);
});

test('a lock that another run has is waited for, and nothing begins before', () => {
  const locked = new Map([['staging', 'deploy of run other']]);
  const simulation = simulate(workflow([task('a', { repositoryLocks: ['staging'] })]), { locked });
  expect(taskAt(simulation.state, 'a').life).toMatchObject({
    status: 'delayed',
    reason: 'staging is locked by deploy of run other',
  });
  simulation.locked.clear();
  simulation.wake();
  expect(simulation.running).toEqual(['a']);
});

describe('artifacts', () => {
  test('are kept when the work is done, and given to all who need it, directly or not', () => {
    const flow = workflow([
      writer('build', { artifacts: ['dist'] }),
      writer('test', { needs: ['build'] }),
      writer('ship', { needs: ['test'] }),
    ]);
    const simulation = inRepository(flow);
    prepare(simulation, 'build');
    expect(artifactSources(simulation.state, taskAt(simulation.state, 'ship'))).toEqual([]);
    simulation.end('build', done);
    simulation.end('build', { ...integrated, artifacts: { paths: ['dist'], bytes: 7 } } as Outcome);
    expect(artifactSources(simulation.state, taskAt(simulation.state, 'test'))).toEqual(['build']);
    expect(artifactSources(simulation.state, taskAt(simulation.state, 'ship'))).toEqual(['build']);
  });

  test('of a task that shares the folder are kept too', () => {
    const flow = workflow([task('a', { work: command('make'), artifacts: ['dist'] })]);
    const simulation = simulate(flow);
    simulation.end('a', succeededWith('made'));
    expect(kinds(simulation)).toEqual(['work', 'integrate']);
    simulation.end('a', { type: 'succeeded', artifacts: { paths: ['dist'], bytes: 7 } });
    expect(taskAt(simulation.state, 'a').life).toEqual({ status: 'succeeded', output: 'made' });
  });
});

describe('a place is cleaned up', () => {
  test('as soon as its task has succeeded; that of another as soon as it is clear that it will not be tried again', () => {
    const flow = workflow([writer('a'), writer('b'), writer('c')], { failFast: false });
    const simulation = inRepository(flow);
    const open = (policy: CleanupPolicy = 'remove-when-clean-else-archive'): string[] =>
      placesToClean(simulation.state, policy).map(({ address }) => address);
    for (const address of ['a', 'b', 'c']) prepare(simulation, address);
    simulation.end('a', done);
    simulation.end('a', integrated);
    simulation.end('b', failedWith('BROKEN', false));
    expect(open()).toEqual(['a']);
    expect(summaryOf(simulation.state).places).toBe(3);
    const data = { how: 'removed', reason: 'all of it is elsewhere' } as const;
    simulation.transition(() => [{ type: 'workspace.cleaned', task: 'a', data }]);
    expect(open()).toEqual([]);
    expect(summaryOf(simulation.state).places).toBe(2);
    simulation.end('c', failedWith('BROKEN', false));
    expect(open()).toEqual([]);
    expect(open('archive-on-failure')).toEqual(['b', 'c']);
  });
});
