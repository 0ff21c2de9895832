import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  decideOutcome,
  decideQuestion,
  fold,
  gateOf,
  newRunState,
  statusOf,
  statusOfTask,
  taskAt,
  type RunState,
  type TaskState,
} from '../../src/kernel/index.ts';
import { eventTypes } from '../../src/model/read-event.ts';
import type {
  Commit,
  Event,
  EventOf,
  Origin,
  Outcome,
  RunStatus,
  TaskSpec,
  TaskStatus,
  Workflow,
} from '../../src/model/index.ts';
import { breakers, closures, nestedWorkflows } from '../support/random-workflows.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  unreachable,
  type Simulation,
} from '../support/simulate.ts';
import { agentTask, checkOf, command as commandWork, task, tries, workflow } from '../support/workflows.ts';

const text = readFileSync(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8');
const [, aboutTasks, aboutStages, aboutRuns, aboutOthers] = text.split(/^## /m);

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly event: string;
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function rows(section: string, columns: number): string[][] {
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| --'));
  return lines
    .map(cells)
    .filter((row) => row.length === columns && !['status', 'stage', 'from', 'event'].includes(row[0]!));
}

const quoted = (cell: string): string[] => [...cell.matchAll(/`([a-z.]+)`/g)].map(([, name]) => name!);

function statusesIn(section: string): string[] {
  return rows(section, 2).flatMap(([status]) => quoted(status!));
}

/** Rows of the table, one for every combination of what its cells list. */
function arrowsIn(section: string): Arrow[] {
  return rows(section, 4).flatMap(([from, to, event]) =>
    from!
      .split(', ')
      .flatMap((start) => quoted(event!).map((name) => ({ from: start, to: to!, event: name }))),
  );
}

function pairsInDiagram(section: string): Set<string> {
  const lines = [...section.matchAll(/^ *(\S+) --> (\S+)$/gm)];
  return new Set(
    lines.map(([, from, to]) => `${from === '[*]' ? 'new' : from} ${to === '[*]' ? 'gone' : to}`),
  );
}

function pairsInTable(section: string): Set<string> {
  return new Set(
    rows(section, 4).flatMap(([from, to]) => from!.split(', ').map((start) => `${start} ${to}`)),
  );
}

/** The compiler keeps these equal to the types. */
const taskStatuses: Readonly<Record<TaskStatus, true>> = {
  pending: true,
  queued: true,
  running: true,
  delayed: true,
  held: true,
  succeeded: true,
  failed: true,
  skipped: true,
  cancelled: true,
};
const stages: Readonly<Record<TaskState['stage']['name'], true>> = {
  work: true,
  check: true,
  revise: true,
  integrate: true,
  verify: true,
};
const runStatuses: Readonly<Record<RunStatus, true>> = {
  running: true,
  delayed: true,
  held: true,
  paused: true,
  stalled: true,
  succeeded: true,
  failed: true,
  cancelled: true,
};

describe('docs/lifecycle.md', () => {
  test('names every event there is and no other', () => {
    const named = [aboutTasks!, aboutRuns!].flatMap((section) =>
      rows(section, 4).flatMap(([, , event]) => quoted(event!)),
    );
    const others = rows(aboutOthers!, 2).flatMap(([event]) => quoted(event!));
    expect(new Set([...named, ...others])).toEqual(new Set(eventTypes));
  });

  test('names every status of a task and of a run and no other', () => {
    expect(new Set(statusesIn(aboutTasks!))).toEqual(new Set(Object.keys(taskStatuses)));
    expect(new Set(statusesIn(aboutRuns!))).toEqual(new Set(Object.keys(runStatuses)));
  });

  test('names every stage of a task and no other', () => {
    expect(new Set(statusesIn(aboutStages!))).toEqual(new Set(Object.keys(stages)));
  });

  test('draws the arrows that its tables explain', () => {
    for (const section of [aboutTasks!, aboutStages!, aboutRuns!])
      expect(pairsInDiagram(section)).toEqual(pairsInTable(section));
  });

  test('shows every way that a task or a run can go, and none that it cannot', () => {
    const seen = new Watched();
    for (const journal of lives()) seen.follow(journal);
    expect(unexplained(seen.tasks, aboutTasks!)).toEqual([]);
    expect(unexplained(seen.stages, aboutStages!)).toEqual([]);
    expect(unexplained(seen.runs, aboutRuns!)).toEqual([]);
    expect(unseen(seen.tasks, aboutTasks!)).toEqual([]);
    expect(unseen(seen.stages, aboutStages!)).toEqual([]);
    expect(unseen(seen.runs, aboutRuns!)).toEqual([]);
  });
});

function explains({ from, to, event }: Arrow, step: Step): boolean {
  return from === step.from && to === step.to && step.events.has(event);
}

function unexplained(steps: readonly Step[], section: string): Step[] {
  const arrows = arrowsIn(section);
  return steps.filter((step) => !arrows.some((arrow) => explains(arrow, step)));
}

function unseen(steps: readonly Step[], section: string): Arrow[] {
  return arrowsIn(section).filter((arrow) => !steps.some((step) => explains(arrow, step)));
}

/** A change of status, and the events that may have caused it. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly events: ReadonlySet<string>;
}

/** Folds journals and writes down every change of status. */
class Watched {
  readonly tasks: Step[] = [];
  readonly stages: Step[] = [];
  readonly runs: Step[] = [];

  follow(journal: readonly Commit[]): void {
    const state = newRunState(journal[0]!);
    let run = 'new';
    for (const commit of journal) {
      for (const events of transitionsIn(commit.events)) this.#foldAll(state, events, commit);
      const to = statusOf(state);
      if (to !== run)
        this.runs.push({ from: run, to, events: new Set(commit.events.map(({ type }) => type)) });
      run = to;
    }
  }

  #foldOne(state: RunState, event: Event, commit: Commit): void {
    const before = stagesOf(state);
    fold(state, event, commit);
    for (const [address, to] of stagesOf(state)) {
      const from = before.get(address) ?? to;
      if (from !== to) this.stages.push({ from, to, events: new Set([event.type]) });
    }
  }

  #foldAll(state: RunState, events: readonly Event[], commit: Commit): void {
    const before = statusesOf(state);
    for (const event of events) this.#foldOne(state, event, commit);
    const after = statusesOf(state);
    const types = new Set<string>(events.map(({ type }) => type));
    for (const address of new Set([...before.keys(), ...after.keys()])) {
      const from = before.get(address) ?? 'new';
      const to = after.get(address) ?? 'gone';
      if (from !== to) this.tasks.push({ from, to, events: types });
    }
  }
}

function stagesOf(state: RunState): Map<string, string> {
  return new Map([...state.tasks.values()].map(({ address, stage }) => [address, stage.name]));
}

function statusesOf(state: RunState): Map<string, TaskStatus> {
  return new Map([...state.tasks.values()].map((found) => [found.address, statusOfTask(found)]));
}

/** The end of an attempt and what it means for its task are one step. */
function transitionsIn(events: readonly Event[]): Event[][] {
  const steps: Event[][] = [];
  let open = false;
  for (const event of events) {
    const belongs: boolean = open && (isBetween(event) || isAbout(event, steps.at(-1)![0]!));
    if (belongs) steps.at(-1)!.push(event);
    else steps.push([event]);
    open = event.type === 'attempt.ended' || (belongs && isBetween(event));
  }
  return steps;
}

/** What is told of the work before it is told what that means for the task. */
function isBetween({ type }: Event): boolean {
  return (
    type === 'state.updated' ||
    /^(workspace|conflict|check|merge|refs|artifacts)\.|^run\.delivered$/.test(type)
  );
}

function isAbout(event: Event, ended: Event): boolean {
  const isDecision = event.type.startsWith('task.') || event.type === 'gate.opened';
  return isDecision && 'task' in event && 'task' in ended && event.task === ended.task;
}

/** Journals in which everything happens that can: a fixed set of random ones, and some on purpose. */
function lives(): (readonly Commit[])[] {
  const steps = fc.array(fc.tuple(fc.nat({ max: 15 }), fc.nat({ max: 30 })), { minLength: 5, maxLength: 40 });
  const cases = fc.sample(fc.tuple(nestedWorkflows({ depth: 1 }), steps), { seed: 7, numRuns: 2_000 });
  return [
    ...cases.map(([flow, given]) => live(flow, given).journal),
    simulate(workflow([task('a', { if: 'inputs.missing' })])).journal,
    ...changedDefinitions(),
    ...repairs(),
    ...imports(),
    ...ends(),
    ...doneAgain(),
    ...conversations(),
    ...questions(),
    ...inWorktrees(),
  ];
}

function live(flow: Workflow, given: readonly (readonly [number, number])[]): Simulation {
  const simulation = simulate(flow, { closures });
  for (const [kind, pick] of given) step(simulation, kind, pick);
  simulation.command({ type: 'resume' });
  return simulation;
}

function step(simulation: Simulation, kind: number, pick: number): void {
  const all = [...simulation.state.tasks.keys()];
  const target = all[pick % all.length] ?? 'none';
  if (kind === 11) simulation.reopen(target);
  else if (simulation.isOver) return;
  else if (kind === 12) simulation.decide('reject', target);
  else if (kind === 13) simulation.releaseHeld();
  else if (kind === 14) simulation.command({ type: 'done', task: target, comment: 'seen' });
  else if (kind <= 5) command(simulation, { kind, pick, target });
  else endOne(simulation, kind, pick);
}

function command(
  simulation: Simulation,
  { kind, pick, target }: { kind: number; pick: number; target: string },
): void {
  if (kind === 0) simulation.command({ type: 'pause' });
  else if (kind === 1) simulation.command({ type: 'resume' });
  else if (kind === 2 && pick === 0) simulation.command({ type: 'cancel', reason: 'enough' });
  else if (kind === 3) simulation.command({ type: 'skip', task: target });
  else if (kind === 4) simulation.command({ type: 'retry', task: target });
  else if (kind === 5) simulation.wake();
}

function endOne(simulation: Simulation, kind: number, pick: number): void {
  const { running } = simulation;
  const outcomes = [
    done,
    failedWith(),
    interrupted,
    unreachable,
    { type: 'cancelled', reason: 'it gave up' } as const,
  ];
  if (running.length > 0) simulation.end(running[pick % running.length]!, outcomes[kind % outcomes.length]);
}

function changedDefinitions(): Commit[][] {
  const simulation = simulate(
    workflow([task('a'), task('b', { needs: ['a'] }), task('c')], { maxParallel: 1 }),
  );
  const definitions = [
    workflow([task('a'), task('b'), task('c', { needs: ['a'] }), task('d'), task('e', { needs: ['a'] })]),
    workflow([task('a'), task('b')]),
  ];
  simulation.command({ type: 'pause' });
  for (const flow of definitions)
    simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: flow } }]);
  return [simulation.journal, goneBeforeItBegan()];
}

/** One waits for its approval, the other for a lock of another run. */
function goneBeforeItBegan(): Commit[] {
  const locked = new Map([['l', 'other']]);
  const simulation = simulate(
    workflow([task('a'), task('asks', { approval: 'Sure?' }), task('locked', { repositoryLocks: ['l'] })]),
    { locked },
  );
  const changed = workflow([task('a')]);
  simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: changed } }]);
  return simulation.journal;
}

function repairs(): Commit[][] {
  const flow = workflow(
    [task('a'), task('b', { needs: ['a'] }), task('c', { retry: tries(2) }), task('d'), task('e')],
    {
      maxParallel: 2,
    },
  );
  return [false, true].map((isDelayed) => {
    const simulation = simulate(isDelayed ? workflow([task('c', { retry: tries(2) })]) : flow);
    if (!isDelayed) simulation.command({ type: 'pause' });
    simulation.end('c', failedWith());
    if (!isDelayed) simulation.command({ type: 'resume' });
    const held = [...simulation.state.tasks.keys()];
    simulation.transition(() => [
      { type: 'run.repaired', data: { lostFrom: 2, lostTo: 3, held, reason: 'commits were lost' } },
    ]);
    for (const address of held) simulation.command({ type: 'retry', task: address });
    return simulation.drain().journal;
  });
}

/** In a run that is running, delayed or held. */
function imports(): Commit[][] {
  const delaying = task('c', { retry: tries(2) });
  const asking = task('d', { approval: 'really?' });
  const flows = [
    workflow([task('a'), task('b', { needs: ['a'] }), delaying, task('e'), task('f')], { maxParallel: 2 }),
    workflow([delaying]),
    workflow([asking]),
  ];
  return flows.map((flow) => {
    const simulation = simulate(flow);
    if (simulation.state.tasks.has('c')) simulation.end('c', failedWith());
    const held = [...simulation.state.tasks.keys()];
    simulation.transition(() => [{ type: 'run.imported', data: { held, reason: 'it ran elsewhere' } }]);
    simulation.command({ type: 'resume' });
    for (const address of held) simulation.command({ type: 'retry', task: address });
    return simulation.journal;
  });
}

/** What a person brings about while nothing runs. */
function ends(): Commit[][] {
  const journals = [skipOfHeld()];
  for (const waiting of ['delayed', 'held', 'paused'] as const) {
    for (const end of ['succeeded', 'failed', 'cancelled'] as const) journals.push(endWhile(waiting, end));
  }
  return journals;
}

function skipOfHeld(): Commit[] {
  const flow = workflow([task('held', { onInterrupt: 'ask' }), task('delayed', { retry: tries(2) })]);
  const simulation = simulate(flow);
  simulation.end('held', interrupted);
  simulation.end('delayed', failedWith());
  simulation.command({ type: 'skip', task: 'held' });
  return simulation.journal;
}

function endWhile(
  waiting: 'delayed' | 'held' | 'paused',
  end: 'succeeded' | 'failed' | 'cancelled',
): Commit[] {
  const simulation = simulate(
    workflow([
      task('other'),
      task('last', { retry: tries(2), onInterrupt: waiting === 'held' ? 'ask' : 'restart' }),
    ]),
  );
  simulation.end('other', end === 'failed' ? failedWith() : done);
  simulation.transition(() => {
    const outcome = waiting === 'held' ? interrupted : failedWith();
    return decideOutcome(simulation.state, taskAt(simulation.state, 'last'), {
      outcome,
      world: simulation.world,
    });
  });
  if (waiting === 'paused') simulation.command({ type: 'pause' });
  simulation.command(
    end === 'cancelled' ? { type: 'cancel', reason: 'enough' } : { type: 'skip', task: 'last' },
  );
  expect(simulation.status).toBe(end);
  return simulation.journal;
}

/** What only agents bring about. */
function conversations(): Commit[][] {
  const budget = simulate(
    workflow([task('f'), agentTask('a', ['claude'], { needs: ['f'] })], { budget: { usd: 0 } }),
  );
  budget.end('f', done);
  budget.command({ type: 'raise', task: 'a', unit: 'usd', amount: 1 });
  const set = simulate(
    workflow([task('f'), agentTask('a', ['claude'], { needs: ['f'] })], { budget: { usd: 0 } }),
  );
  set.end('f', done);
  set.command({ type: 'set', limits: [{ limit: 'budget.usd', to: 1 }] });
  const day = simulate(workflow([task('f'), agentTask('a', ['claude'], { needs: ['f'] })]));
  day.budgetPerDay = { usd: 1 };
  day.elsewhere = { ...day.elsewhere, usd: 1 };
  day.end('f', done);
  day.command({ type: 'raise', task: 'a', unit: 'usd', amount: 1 });
  const asking = simulate(workflow([agentTask('a', ['claude'], { check: checkOf(1) })]));
  asking.end('a', { type: 'asked', text: 'may I?', call: { tool: 'Bash', input: {} } });
  asking.decide('approve', 'a');
  asking.command({ type: 'tell', task: 'a', text: 'and be quick' });
  asking.end('a', done);
  asking.end('a', done);
  asking.end('a', { ...failedWith(), report: 'red' } as Outcome);
  asking.end('a', done);
  asking.end('a', { type: 'succeeded' });
  const lending = simulate(workflow([agentTask('a', ['claude'], { onInterrupt: 'ask' })]));
  const { id } = (lending.state.tasks.get('a')!.life as { attempt: { id: string } }).attempt;
  lending.transition(() => [
    { type: 'session.opened', task: 'a', attempt: id, data: { agent: 'claude', session: 's' } },
  ]);
  lending.end('a', interrupted);
  const token = { task: 'a', token: 't' };
  lending.command({ type: 'lend', ...token, session: 's', from: 1, host: 'h', pid: 1 });
  lending.command({ type: 'retry', task: 'a' });
  lending.command({ type: 'return', ...token, at: 2 });
  return [budget.journal, set.journal, day.journal, asking.journal, lending.journal];
}

/** What only questions bring about: those that are tasks, and those that functions ask. */
function questions(): Commit[][] {
  const work = { type: 'ask', question: 'Which?', answer: 'string' } as const;
  const answer = (simulation: Simulation, address: string): void => {
    const { gate = '' } = gateOf(taskAt(simulation.state, address).life) ?? {};
    simulation.command({ type: 'answer', task: address, gate, answer: 'this' });
  };
  const asking = simulate(workflow([task('a', { work }), task('b', { work }), task('c'), task('d')]));
  answer(asking, 'a');
  asking.decide('reject', 'b');
  for (const address of ['c', 'd']) {
    const asked = { type: 'string', text: 'Which?', key: '1' } as const;
    asking.transition(() => decideQuestion(taskAt(asking.state, address), asked, asking.world));
  }
  answer(asking, 'c');
  asking.end('d', done);
  return [asking.journal];
}

/** What only places of their own bring about. */
function inWorktrees(): Commit[][] {
  const repository = { root: '/project', commonDir: '/project/.git', base: 'c0', prefix: '' };
  const origin = { directory: '/project', repository };
  const integrated = { result: 'c1', commit: 'c2' };
  const artifacts = { paths: ['dist'], bytes: 1 };
  const data = { how: 'removed', reason: 'all of it is in the branch of the run' } as const;
  const conflict = { ...failedWith('MERGE_CONFLICT'), conflict: ['a.txt'], report: 'a.txt' } as Outcome;
  const place = { path: '/trees/a', branch: 'piton-tasks/r/a', base: 'c0', token: 't' };
  const journals = (['agent', 'hold'] as const).map((onConflict) => {
    const more = { check: checkOf(1), setup: { copy: [], work: commandWork('npm ci') }, onConflict };
    const flow = workflow([agentTask('a', ['claude'], more)]);
    const simulation = simulate(flow, { origin });
    simulation.transition(() => [{ type: 'workspace.prepared', task: 'a', data: place }]);
    const found = { found: 'missing', how: 'recreated' } as const;
    for (const outcome of [interrupted, done, done, done, conflict]) simulation.end('a', outcome);
    expect(simulation.statusOf('a')).toBe(onConflict === 'agent' ? 'running' : 'held');
    if (onConflict === 'hold') simulation.command({ type: 'retry', task: 'a' });
    else for (const outcome of [done, done]) simulation.end('a', outcome);
    simulation.transition(() => [{ type: 'workspace.recovered', task: 'a', data: found }]);
    for (const outcome of [interrupted, done]) simulation.end('a', outcome);
    simulation.end('a', { type: 'succeeded', integrated, artifacts });
    expect(simulation.status).toBe('succeeded');
    simulation.transition(() => [{ type: 'workspace.cleaned', task: 'a', data }]);
    return simulation.journal;
  });
  return [...journals, merged(origin, place), ...throughStages(origin, place)];
}

/** Merged with others and checked, put right by a person, and handed over. */
function merged(origin: Origin, place: EventOf<'workspace.prepared'>['data']): Commit[] {
  const simulation = simulate(workflow([agentTask('a', ['claude'], { check: checkOf(1) })]), { origin });
  const attempt = taskAt(simulation.state, 'a').lastAttempt!;
  simulation.transition(() => [
    { type: 'workspace.prepared', task: 'a', data: place },
    { type: 'workspace.saved', task: 'a', attempt, data: { commit: 'c1', label: 'after a tool' } },
  ]);
  const proposed = { result: 'c1', commit: 'c3', onto: 'c0', members: ['b'] };
  const red = { ...failedWith('EXIT'), report: 'two tests fail' } as Outcome;
  const refs = [{ ref: 'refs/heads/main', before: 'c0', after: 'c1' }];
  for (const outcome of [done, done, { type: 'succeeded', proposed } as const, red])
    simulation.end('a', outcome);
  simulation.end('a', { ...failedWith('REFS_CHANGED'), refs } as Outcome);
  simulation.command({ type: 'place', task: 'a', action: 'restore' });
  for (const outcome of [done, done, { type: 'succeeded', proposed } as const, done])
    simulation.end('a', outcome);
  const delivered = { how: 'pull-request', into: 'main', commit: 'c2' } as const;
  simulation.end('a', { type: 'succeeded', integrated: { result: 'c1', commit: 'c2' }, delivered });
  expect(simulation.status).toBe('succeeded');
  return simulation.journal;
}

/** Every way out of each stage. */
function throughStages(origin: Origin, place: EventOf<'workspace.prepared'>['data']): Commit[][] {
  const proposed = { result: 'c1', commit: 'c3', onto: 'c0', members: [] };
  const red = { ...failedWith('EXIT'), report: 'two tests fail' } as Outcome;
  const conflict = { ...failedWith('MERGE_CONFLICT'), conflict: ['a.txt'], report: 'a.txt' } as Outcome;
  const ways = {
    check: [done],
    revise: [done, red],
    integrate: [done, done],
    verify: [done, done, { type: 'succeeded', proposed }],
  } as const satisfies Record<string, readonly Outcome[]>;
  const reach = (stage: keyof typeof ways, more: Partial<Pick<TaskSpec, 'retry'>> = {}): Simulation => {
    const given = { check: checkOf(1), ...more };
    const simulation = simulate(workflow([agentTask('a', ['claude'], given)]), { origin });
    simulation.transition(() => [{ type: 'workspace.prepared', task: 'a', data: place }]);
    for (const outcome of ways[stage]) simulation.end('a', outcome);
    expect(taskAt(simulation.state, 'a').stage.name).toBe(stage);
    return simulation;
  };
  const told = (['check', 'integrate', 'verify'] as const).map((stage) => {
    const simulation = reach(stage);
    simulation.command({ type: 'tell', task: 'a', text: 'mind the gulls' });
    simulation.end('a', interrupted);
    return simulation;
  });
  const ordered = (['check', 'integrate', 'revise'] as const).map((stage) => {
    const simulation = reach(stage);
    simulation.end('a', failedWith('WORKTREE_REFUSED'));
    simulation.command({ type: 'place', task: 'a', action: stage === 'revise' ? 'discard' : 'recreate' });
    return simulation;
  });
  const again = [
    simulate(workflow([agentTask('a', ['claude'], { check: checkOf(1) })])),
    reach('integrate'),
    simulate(workflow([agentTask('a', ['claude'], { check: checkOf(0) })])),
  ];
  for (const outcome of [done, done]) again[0]!.end('a', outcome);
  again[1]!.end('a', { type: 'succeeded', integrated: { result: 'c1', commit: 'c2' } });
  for (const outcome of [done, red]) again[2]!.end('a', outcome);
  for (const simulation of again) simulation.reopen('a');
  const unchecked = simulate(workflow([agentTask('a', ['claude'], { onConflict: 'agent' })]), { origin });
  unchecked.transition(() => [{ type: 'workspace.prepared', task: 'a', data: place }]);
  for (const outcome of [done, conflict, done]) unchecked.end('a', outcome);
  // Its agent does not resolve the conflict, and a person has something to say about that.
  const unresolved = [{ check: checkOf(0) }, {}].map((more) => {
    const spec = agentTask('a', ['claude'], { onConflict: 'agent', ...more });
    const simulation = simulate(workflow([spec]), { origin });
    simulation.transition(() => [{ type: 'workspace.prepared', task: 'a', data: place }]);
    const outcomes =
      spec.check === undefined ? [done, conflict, failedWith()] : [done, done, conflict, done, red];
    for (const outcome of outcomes) simulation.end('a', outcome);
    expect(simulation.statusOf('a')).toBe('held');
    simulation.command({ type: 'tell', task: 'a', text: 'mind the gulls' });
    simulation.command({ type: 'retry', task: 'a' });
    return simulation;
  });
  const givenUp = [
    [red],
    [failedWith('WORKTREE_REFUSED')],
    [failedWith()],
    [{ type: 'cancelled', reason: 'enough' }],
  ].map((outcomes) => {
    const simulation = reach('verify');
    for (const outcome of outcomes) simulation.end('a', outcome as Outcome);
    return simulation;
  });
  const retried = reach('verify', { retry: tries(2) });
  retried.end('a', failedWith());
  const skipped = reach('verify');
  skipped.command({ type: 'pause' });
  skipped.end('a', interrupted);
  skipped.command({ type: 'skip', task: 'a' });
  const vanished = reach('verify');
  const found = { found: 'missing', how: 'recreated' } as const;
  vanished.transition(() => [{ type: 'workspace.recovered', task: 'a', data: found }]);
  const repaired = reach('verify');
  repaired.transition(() => [
    { type: 'run.repaired', data: { lostFrom: 2, lostTo: 3, held: ['a'], reason: 'commits were lost' } },
  ]);
  const all = [
    ...told,
    ...ordered,
    ...again,
    unchecked,
    ...unresolved,
    ...givenUp,
    retried,
    skipped,
    vanished,
    repaired,
  ];
  return all.map(({ journal }) => journal);
}

/** What is done again, on its way or after the end. */
function doneAgain(): Commit[][] {
  const journals = [reopenedNeed('queued'), reopenedNeed('delayed'), reopenedNeed('held')];
  for (const end of ['succeeded', 'failed', 'cancelled'] as const) {
    journals.push(endedWhileOutOfOrder(end));
    if (end !== 'cancelled') journals.push(nothingLeftToDo(end));
  }
  return journals;
}

function reopenedNeed(status: 'queued' | 'delayed' | 'held'): Commit[] {
  const second = task('second', {
    needs: ['first'],
    retry: tries(2),
    onInterrupt: status === 'held' ? 'ask' : 'restart',
  });
  const simulation = simulate(workflow([task('first'), second]));
  if (status === 'queued') simulation.command({ type: 'pause' });
  simulation.end('first', done);
  if (status !== 'queued') simulation.end('second', status === 'held' ? interrupted : failedWith());
  expect(simulation.statusOf('second')).toBe(status);
  expect(simulation.reopen('first')).toBeUndefined();
  return simulation.journal;
}

/** What it uses is out of order, as the failure of another task has shown. */
function endedWhileOutOfOrder(end: 'succeeded' | 'failed' | 'cancelled'): Commit[] {
  const uses = { resources: ['api'] };
  const probe = task('probe', { ...uses, onInterrupt: 'ask', continueOnError: true });
  const simulation = simulate(workflow([task('again', uses), probe, task('last')], { breakers }));
  simulation.end('again', end === 'failed' ? failedWith('HOPELESS', false) : done);
  simulation.transition(() => [
    {
      type: 'breaker.opened',
      data: { resource: 'api', until: simulation.now + 5_000, reason: 'it is down' },
    },
  ]);
  if (end === 'cancelled') simulation.command({ type: 'cancel', reason: 'enough' });
  simulation.end('probe', done);
  simulation.end('last', done);
  expect(simulation.status).toBe(end);
  simulation.reopen('again');
  expect(simulation.status).toBe('delayed');
  return simulation.journal;
}

function nothingLeftToDo(end: 'succeeded' | 'failed'): Commit[] {
  const flow = workflow([task('first'), task('second', { needs: ['first'], if: { $function: 'no' } })]);
  const simulation = simulate(flow, { closures });
  simulation.command({ type: 'cancel', reason: 'enough' });
  simulation.end('first', end === 'failed' ? failedWith() : done);
  expect(simulation.status).toBe('cancelled');
  simulation.reopen('second');
  expect(simulation.status).toBe(end);
  return simulation.journal;
}
