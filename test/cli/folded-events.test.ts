/** What single events change in the view of a run, and what is said of them. */
import { expect, test } from 'vitest';
import { countTasks, foldEvent, newRunView } from '../../src/interfaces/cli/progress/index.ts';
import {
  agentTask,
  body,
  checkOf,
  command,
  forEach,
  graph,
  node,
  task,
  workflow,
} from '../support/workflows.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import type { Event } from '../../src/model/index.ts';
import { start, Story } from './story.ts';

const two = workflow([task('a'), task('b', { needs: ['a'] })]);
const nested = workflow([task('group', { work: body(workflow([task('x'), task('y')])) }), task('after')]);

function addresses({ view }: Story): string[] {
  return [...view.lines.keys()];
}

test('events of tasks that the view does not know change nothing but the time', () => {
  const failure = { code: 'X', message: 'it failed', retryable: false } as const;
  const attempt = 'none-1';
  const unknown: readonly Event[] = [
    { type: 'scope.opened', task: 'none', data: { inputs: {} } },
    { type: 'edge.taken', task: 'none', data: { from: null, to: 'a', step: 1 } },
    { type: 'edge.taken', data: { from: null, to: 'none', step: 1 } },
    { type: 'tasks.expanded', task: 'none', data: { items: [{ key: 'k', item: 1 }] } },
    { type: 'attempt.started', task: 'none', attempt, data: { number: 1 } },
    { type: 'attempt.started', task: 'none', attempt, data: { number: 2, kind: 'integrate' } },
    {
      type: 'transcript.added',
      task: 'none',
      attempt,
      data: { upTo: 1, entries: [{ type: 'message', role: 'assistant', text: 'hello' }] },
    },
    { type: 'check.failed', task: 'none', data: { report: 'no', revision: 1 } },
    { type: 'conflict.found', task: 'none', data: { files: ['f'], report: 'r', revision: 1 } },
    { type: 'attempt.ended', task: 'none', attempt, data: { outcome: 'succeeded' } },
    { type: 'task.succeeded', task: 'none', data: { output: null } },
    { type: 'task.failed', task: 'none', data: { failure } },
    { type: 'task.delayed', task: 'none', data: { until: start, reason: 'r' } },
    { type: 'task.held', task: 'none', data: { reason: 'r', actions: ['retry'] } },
    { type: 'gate.opened', task: 'none', data: { gate: 'g', text: 'Really?' } },
    { type: 'gate.decided', task: 'none', data: { gate: 'g', approved: true } },
  ];
  const story = new Story(two);
  const before = structuredClone({ lines: story.view.lines, counts: story.view.counts });
  for (const event of unknown) story.happens(event);
  const { lines, counts, visits, ended } = story.view;
  expect({ lines, counts }).toEqual(before);
  expect([visits.size, ended.count]).toEqual([0, 0]);
  // What is told of them is told without the line.
  expect(story.said).toContain('✗ none failed: it failed (X)');
  expect(story.said).toContain('▸ none is complete');
  expect(story.said).toContain('▸ none is being brought to the work of others');
});

test('who drives the run since when, and what had settled before', () => {
  const story = new Story(two).starts('a').ends('a', 'succeeded', 5_000);
  expect([story.view.createdAt, story.view.drivenSince]).toEqual([start, start]);
  expect(story.view.found.settledBefore).toBe(0);
  story.happens({ type: 'lease.taken', data: { epoch: 2, host: 'box', pid: 8, instance: 'j' } }, 60_000);
  expect([story.view.createdAt, story.view.drivenSince]).toEqual([start, start + 65_000]);
  expect(story.view.found.settledBefore).toBe(1);
  expect(story.said.at(-1)).toBe('▸ process 8 on box drives the run now');
});

test('the first to drive a run is not announced, and began with it', () => {
  const view = newRunView('r1');
  const told = (event: Event, at: number): void =>
    foldEvent(view, { ...event, run: 'r1', seq: 1, at } as RunEvent);
  told({ type: 'run.created', data: { workflow: two, inputs: {} } }, start);
  told({ type: 'lease.taken', data: { epoch: 1, host: 'h', pid: 7, instance: 'i' } }, start + 9);
  expect(view.drivenSince).toBe(start);
  expect(new Story(two).said).toEqual(['▸ run r1 of test begins']);
});

test('a pause gives the run its reason, and its end takes it away', () => {
  const story = new Story(two).happens({ type: 'run.paused', data: { reason: 'lunch' } });
  expect([story.view.status, story.view.reason]).toEqual(['paused', 'lunch']);
  expect(story.said.at(-1)).toBe('‖ paused (lunch): what runs may end, nothing new starts');
  story.happens({ type: 'run.resumed', data: {} });
  expect([story.view.status, 'reason' in story.view]).toEqual(['running', false]);
  story.happens({ type: 'run.paused', data: { reason: '' } });
  expect(story.said.at(-1)).toBe('‖ paused: what runs may end, nothing new starts');
  story.happens({ type: 'run.paused', data: {} });
  expect(story.said.at(-1)).toBe('‖ paused: what runs may end, nothing new starts');
  expect('reason' in story.view).toBe(false);
});

test('what a run gave back is kept, if it gave back anything', () => {
  const gave = new Story(two).happens({ type: 'run.succeeded', data: { outputs: { n: 1 } } });
  expect([gave.view.status, gave.view.outputs]).toEqual(['succeeded', { n: 1 }]);
  const silent = new Story(two).happens({ type: 'run.succeeded', data: {} });
  expect('outputs' in silent.view).toBe(false);
});

test('why a run failed or was cancelled', () => {
  const failure = { code: 'X', message: 'it failed', retryable: false } as const;
  const failed = new Story(two).happens({ type: 'run.failed', data: { failure } });
  expect([failed.view.status, failed.view.reason]).toEqual(['failed', 'it failed']);
  const story = new Story(two).happens({ type: 'cancel.requested', data: { reason: 'enough' } });
  expect(story.said.at(-1)).toBe('✗ the run is being cancelled: enough');
  story.happens({ type: 'cancel.requested', task: 'a', data: { reason: 'enough' } });
  expect(story.said.at(-1)).toBe('✗ a is being cancelled: enough');
  story.happens({ type: 'run.cancelled', data: { reason: 'enough' } });
  expect([story.view.status, story.view.reason]).toEqual(['cancelled', 'enough']);
});

test('the branch of a run and what it began from are those of the first place that has both', () => {
  const story = new Story(two);
  const prepared = (more: object): Story =>
    story.happens({ type: 'workspace.prepared', task: 'a', data: { path: '/p', token: 't', ...more } });
  prepared({ branch: 'piton-tasks/r1/a' });
  prepared({ base: 'c0' });
  expect(['branch' in story.view, 'base' in story.view]).toEqual([false, false]);
  prepared({ branch: 'piton-tasks/r1/a', base: 'c0' });
  prepared({ branch: 'piton-tasks/r1/b', base: 'c1' });
  expect([story.view.branch, story.view.base]).toEqual(['piton/r1', 'c0']);
});

test('a run has work once something other than its beginning was brought to it, and is delivered once', () => {
  const story = new Story(two).happens({
    type: 'workspace.prepared',
    task: 'a',
    data: { path: '/p', token: 't', branch: 'piton-tasks/r1/a', base: 'c0' },
  });
  story.happens({ type: 'workspace.integrated', task: 'a', data: { result: 'c0', commit: 'c0' } });
  expect(story.view.hasWork).toBeUndefined();
  story.happens({ type: 'workspace.integrated', task: 'a', data: { result: 'c1', commit: 'c1' } });
  expect([story.view.hasWork, story.view.isDelivered]).toEqual([true, undefined]);
  story.happens({ type: 'run.delivered', data: { how: 'merge', into: 'main', commit: 'c1' } });
  expect(story.view.isDelivered).toBe(true);
  expect(story.said.at(-1)).toBe('✓ its work was merged into main');
  story.happens({ type: 'run.delivered', data: { how: 'pull-request', into: 'main', commit: 'c1' } });
  expect(story.said.at(-1)).toBe('✓ a pull request into main is open');
});

test('only work that an agent is to revise counts as revised or being made to fit', () => {
  const story = new Story(workflow([task('a', { check: checkOf(2) })])).starts('a');
  const line = story.view.lines.get('a')!;
  const told = (type: 'check.failed' | 'conflict.found', revision: number): Story =>
    story.happens({ type, task: 'a', data: { files: ['f'], report: 'r', revision } } as Event);
  told('check.failed', 0);
  told('conflict.found', 0);
  expect(['revisions' in line, 'isFitting' in line]).toEqual([false, false]);
  told('conflict.found', 1);
  expect(line.isFitting).toBe(true);
  told('check.failed', 2);
  expect([line.revisions, 'isFitting' in line]).toEqual([2, false]);
  story.ends('a', 'succeeded');
  expect(story.said.at(-1)).toBe('✓ a (2 revisions) 1.0s');
});

test('a check is part of the try it follows: the time of both counts', () => {
  const story = new Story(workflow([task('a', { check: checkOf(0) })])).starts('a');
  story.ends('a', 'failed', 2_000);
  const data = { number: 2, kind: 'check' } as const;
  story.happens({ type: 'attempt.started', task: 'a', attempt: 'a-2', data });
  expect(story.view.lines.get('a')!.attempt).toMatchObject({ tries: 1, lastTry: 1, kind: 'check' });
  story.ends('a', 'succeeded', 3_000);
  expect(story.said.at(-1)).toBe('✓ a 5.0s');
  story.starts('a', 3);
  const line = story.view.lines.get('a')!;
  expect(line.attempt).toMatchObject({ tries: 2, lastTry: 3 });
  expect('kind' in line.attempt!).toBe(false);
  expect('tookMs' in line).toBe(false);
});

test('tasks of a workflow inside are counted in its stead, and go when it is done again', () => {
  const story = new Story(nested).happens({ type: 'scope.opened', task: 'group', data: { inputs: {} } });
  expect(addresses(story)).toEqual(['group', 'after', 'group.x', 'group.y']);
  expect(countTasks(story.view)).toMatchObject({ total: 3, running: 0, pending: 3 });
  story.happens({ type: 'scope.opened', task: 'after', data: { inputs: {} } });
  expect(story.view.lines.get('after')).toMatchObject({ status: 'pending', isGroup: false });
  story.starts('group.x').ends('group.x', 'succeeded');
  story.happens({ type: 'task.succeeded', task: 'group', data: { output: null } });
  expect(story.said.at(-1)).toBe('▸ group is complete');
  story.happens({
    type: 'tasks.reopened',
    data: { tasks: ['group'], continued: [], reason: 'to be done again: group' },
  });
  expect(addresses(story)).toEqual(['group', 'after']);
  expect(story.view.lines.get('group')).toMatchObject({ status: 'pending', isGroup: false });
  expect(countTasks(story.view)).toMatchObject({ total: 2, pending: 2 });
});

test('visits of a graph inside are counted anew when it is done again; those of other graphs are not', () => {
  const inner = graph([node('step', 'step')]);
  const story = new Story(workflow(['one', 'one-more'].map((name) => task(name, { work: body(inner) }))));
  for (const name of ['one', 'one-more']) {
    story.happens({ type: 'scope.opened', task: name, data: { inputs: {} } });
    story.happens({ type: 'edge.taken', task: name, data: { from: null, to: 'step', step: 1 } });
    story.happens({ type: 'edge.taken', task: name, data: { from: 'step', to: 'step', step: 2 } });
  }
  expect(addresses(story)).toEqual([
    'one',
    'one-more',
    'one.step#1',
    'one.step#2',
    'one-more.step#1',
    'one-more.step#2',
  ]);
  story.happens({ type: 'tasks.reopened', data: { tasks: ['one'], continued: [], reason: 'again' } });
  expect(addresses(story)).toEqual(['one', 'one-more', 'one-more.step#1', 'one-more.step#2']);
  expect([...story.view.visits]).toEqual([['one-more.step', 2]]);
});

test('items are written as the journal writes their keys, and go when the task is done again', () => {
  const story = new Story(workflow([task('each', { forEach: forEach([]) }), task('each-other')]));
  const items = [{ key: 'a[0]%', item: 1 }];
  story.happens({ type: 'tasks.expanded', task: 'each', data: { items } });
  expect(addresses(story)).toEqual(['each', 'each-other', 'each[a%5B0%5D%25]']);
  expect(story.said.at(-1)).toBe('▸ each has 1 item');
  story.happens({ type: 'tasks.reopened', data: { tasks: ['each'], continued: [], reason: 'again' } });
  expect(addresses(story)).toEqual(['each', 'each-other']);
  expect(story.said.at(-1)).toBe('↻ taken up again: each (again)');
});

test('what is done again loses what is known of its last try, and the run goes on unless it is paused', () => {
  const story = new Story(workflow([task('a', { check: checkOf(1) }), task('b')]));
  story.starts('a').happens({ type: 'check.failed', task: 'a', data: { report: 'r', revision: 1 } });
  story.ends('a', 'interrupted');
  story.happens({ type: 'run.cancelled', data: { reason: 'enough' } });
  story.happens({ type: 'lease.taken', data: { epoch: 2, host: 'h', pid: 8, instance: 'j' } });
  const again = 'to be done again: a, none';
  const reopened = (reason: string): Story =>
    story.happens({ type: 'tasks.reopened', data: { tasks: ['a', 'none'], continued: ['b'], reason } });
  reopened(again);
  expect(story.said.at(-1)).toBe(`↻ ${again}`);
  const line = story.view.lines.get('a')!;
  expect([line.status, 'broken' in line, 'revisions' in line]).toEqual(['pending', false, false]);
  expect(story.view.lines.get('b')!.status).toBe('running');
  expect([story.view.status, 'reason' in story.view]).toEqual(['running', false]);
  story.happens({ type: 'run.paused', data: { reason: 'lunch' } });
  reopened('to be done again: a');
  expect([story.view.status, story.view.reason]).toEqual(['paused', 'lunch']);
  expect(story.said.at(-1)).toBe('↻ to be done again: a, none (to be done again: a)');
});

test('what had settled before a driver came is no more than what still is settled', () => {
  const story = new Story(two).starts('a').ends('a', 'succeeded').starts('b').ends('b', 'succeeded');
  story.happens({ type: 'lease.taken', data: { epoch: 2, host: 'h', pid: 8, instance: 'j' } });
  story.happens({ type: 'attempt.recovered', task: 'a', attempt: 'a-1', data: { how: 'adopted' } });
  const reopened: Event = { type: 'tasks.reopened', data: { tasks: ['b'], continued: [], reason: 'r' } };
  story.happens(reopened);
  expect(story.view.found.settledBefore).toBe(1);
  expect([...story.view.found.adopted]).toEqual(['a']);
  story.starts('b').ends('b', 'succeeded').happens(reopened);
  story.starts('b').ends('b', 'succeeded');
  expect(story.view.found.settledBefore).toBe(1);
});

test('an accepted definition takes away only tasks of the workflow itself that have not begun', () => {
  const story = new Story(nested).happens({ type: 'scope.opened', task: 'group', data: { inputs: {} } });
  const less = workflow([task('new')]);
  story.happens({ type: 'drift.accepted', data: { workflow: less } });
  expect(addresses(story)).toEqual(['group', 'group.x', 'group.y', 'new']);
  expect(story.said.at(-1)).toBe('▸ goes on with the changed definition');
  const round = new Story(graph([node('step', 'step')]));
  round.happens({ type: 'edge.taken', data: { from: null, to: 'step', step: 1 } });
  round.happens({ type: 'drift.accepted', data: { workflow: graph([node('other', 'other')]) } });
  expect(addresses(round)).toEqual(['step#1']);
});

test('the call an agent asks for is that of the question on the screen', () => {
  const story = new Story(two).starts('a');
  const call = { tool: 'Bash', input: { command: 'ls' } };
  story.happens({ type: 'gate.opened', task: 'a', data: { gate: 'g', text: 'May it?', call } } as Event);
  const line = story.view.lines.get('a')!;
  expect([line.status, line.reason, line.actions]).toEqual(['held', 'May it?', ['approve', 'reject']]);
  expect(line.asked).toEqual(call);
  story.happens({ type: 'gate.decided', task: 'a', data: { gate: 'g', approved: false, comment: 'no' } });
  expect([line.status, 'actions' in line, 'reason' in line]).toEqual(['queued', false, false]);
  story.happens({ type: 'gate.opened', task: 'a', data: { gate: 'h', text: 'Go?' } });
  expect('asked' in line).toBe(false);
  story.happens({ type: 'task.released', task: 'a', data: {} } as Event);
  expect(line.status).toBe('queued');
});

test('when something is tried again is told by the clock too if that is not soon', () => {
  const story = new Story(two).starts('a').ends('a', 'failed');
  const delayed = (ms: number): string | undefined =>
    story
      .happens({ type: 'task.delayed', task: 'a', data: { until: story.at + ms, reason: 'r' } })
      .said.at(-1);
  expect(delayed(0)).toBe('⟳ a: r; tries again at once');
  expect(delayed(-1)).toBe('⟳ a: r; tries again at once');
  expect(delayed(9_999)).toMatch(/tries again in [\d.]+s$/);
  expect(delayed(10_000)).toMatch(/tries again in 10s \(at .+\)$/);
});

test('what is said of places, clocks and requests', () => {
  const story = new Story(two);
  const said = (event: Event): string | undefined => story.happens(event).said.at(-1);
  expect(said({ type: 'clock.jumped', data: { ms: -2_000 } })).toContain('jumped by -2.0s');
  expect(said({ type: 'clock.jumped', data: { ms: 0 } })).toContain('jumped by +0ms');
  const refused = { id: 'c', command: 'place', accepted: false, answer: 'it is in use' };
  expect(said({ type: 'command.decided', data: refused })).toBe(
    '! refused to change the place: it is in use',
  );
  const recovered = (how: 'held' | 'restored'): Event => ({
    type: 'workspace.recovered',
    task: 'a',
    data: { found: 'it was gone', how },
  });
  expect(said(recovered('held'))).toBe('? the place of a: it was gone, and waits for you');
  expect(said(recovered('restored'))).toBe(
    '↻ the place of a: it was gone, and was made again as it was last saved',
  );
  const merged = { result: 'c1', commit: 'c123456789', onto: 'c0' };
  expect(said({ type: 'merge.proposed', task: 'a', data: { ...merged, members: [] } })).toBe(
    '▸ the work of a is merged to be checked (c123456)',
  );
});

test('what waits for a person says why and what can be done; what has settled does not wait again', () => {
  const story = new Story(workflow(['failed', 'skipped', 'cancelled', 'a'].map((name) => task(name))));
  const failure = { code: 'X', message: 'it failed', retryable: false } as const;
  story.happens({ type: 'task.failed', task: 'failed', data: { failure } });
  story.happens({ type: 'task.skipped', task: 'skipped', data: { reason: 'not needed' } });
  story.happens({ type: 'task.cancelled', task: 'cancelled', data: { reason: 'enough' } });
  const data = { reason: 'why', actions: ['retry', 'skip'] };
  for (const name of addresses(story)) story.happens({ type: 'task.held', task: name, data });
  const known = [...story.view.lines.values()].map(({ status, reason, actions }) => [
    status,
    reason,
    actions,
  ]);
  expect(known).toEqual([
    ['failed', 'it failed', undefined],
    ['skipped', 'not needed', undefined],
    ['cancelled', 'enough', undefined],
    ['held', 'why', ['retry', 'skip']],
  ]);
  expect(countTasks(story.view)).toMatchObject({ total: 4, settled: 3, held: 1 });
});

test('the number of tasks stays the same whatever is done again or told twice', () => {
  const story = new Story(nested).starts('after').ends('after', 'succeeded');
  story.happens({ type: 'tasks.reopened', data: { tasks: ['after'], continued: [], reason: 'again' } });
  expect(countTasks(story.view)).toMatchObject({ total: 2, pending: 2, settled: 0 });
  for (const times of [1, 2]) {
    story.happens({ type: 'scope.opened', task: 'group', data: { inputs: {} } });
    expect([times, countTasks(story.view).total]).toEqual([times, 3]);
  }
});

test('a new try begins without the revisions of the one before, and knows which try it is', () => {
  const story = new Story(workflow([task('a', { check: checkOf(2) })])).starts('a');
  story.happens({ type: 'check.failed', task: 'a', data: { report: 'r', revision: 1 } });
  story.happens({ type: 'conflict.found', task: 'a', data: { files: ['f'], report: 'r', revision: 1 } });
  story.starts('a', 2);
  const line = story.view.lines.get('a')!;
  expect(['revisions' in line, 'isFitting' in line]).toEqual([false, false]);
  expect(line.attempt).toMatchObject({ tries: 2, lastTry: 2 });
  const late = new Story(two);
  const setup = { number: 3, kind: 'setup' } as const;
  late.happens({ type: 'attempt.started', task: 'a', attempt: 'a-3', data: setup });
  expect(late.view.lines.get('a')!.attempt).toMatchObject({ tries: 0, lastTry: 0 });
  late.starts('a', 4);
  expect(late.said.at(-1)).toBe('▸ a started');
});

test('what agents have used is counted with the events', () => {
  const story = new Story(two).starts('a');
  const entries = [{ type: 'usage', input: 5, output: 1, isCumulative: false }];
  story.happens({ type: 'transcript.added', task: 'a', attempt: 'a-1', data: { upTo: 1, entries } });
  expect(story.view.usage.ofTask('a')).toMatchObject({ input: 5, output: 1 });
});

test('a task that is done without an attempt has taken no time', () => {
  const story = new Story(two).happens({ type: 'task.succeeded', task: 'a', data: { output: null } });
  expect(story.said.at(-1)).toBe('✓ a');
});

type Started = Extract<Event, { type: 'attempt.started' }>['data'];

/** What is said of the second attempt of an agent with these permissions. */
function saidOfSecond(data: object, outcome: 'failed' | 'interrupted', permissions: 'edit' | 'read'): string {
  const story = new Story(workflow([agentTask('fix', ['claude'], { work: { permissions } })]));
  story.starts('fix').ends('fix', outcome);
  const second = { number: 2, ...data } as Started;
  story.happens({ type: 'attempt.started', task: 'fix', attempt: 'fix-2', data: second });
  return story.said.at(-1)!;
}

const agent = { name: 'claude', how: 'new' } as const;

test.each<[object, string]>([
  [{}, '▸ fix is tried again (attempt 2)'],
  [{ agent }, '▸ fix is tried again with claude (attempt 2)'],
  [{ agent: { ...agent, rung: 'restart' } }, '▸ fix is tried again with claude (attempt 2)'],
  [{ agent: { ...agent, rung: 'session' } }, '▸ fix goes on in its session with claude (attempt 2)'],
  [{ kind: 'integrate' }, '▸ fix is being brought to the work of others'],
  [{ kind: 'check' }, '▸ fix is checked'],
  [{ kind: 'revision' }, '▸ fix is revised (revision 1)'],
])('a second attempt that is %j is told as it goes on', (data, expected) => {
  expect(saidOfSecond(data, 'failed', 'edit')).toBe(expected);
});

test('what an agent that only reads leaves is kept for others, not brought to their work', () => {
  expect(saidOfSecond({ kind: 'integrate' }, 'failed', 'read')).toBe(
    '▸ fix is being kept for those who need it',
  );
  expect(saidOfSecond({ kind: 'check' }, 'failed', 'read')).toBe('▸ fix is checked');
  const story = new Story(workflow([task('a', { work: command('ls') })]));
  const data = { number: 1, kind: 'integrate' } as const;
  story.happens({ type: 'attempt.started', task: 'a', attempt: 'a-1', data });
  expect(story.said.at(-1)).toBe('▸ a is being brought to the work of others');
});

test.each<[object, string]>([
  [{}, 'is started again after an interruption'],
  [{ agent }, 'is started again after an interruption'],
  [{ agent: { ...agent, rung: 'session' } }, 'goes on in its session after an interruption'],
  [{ agent: { ...agent, rung: 'transcript' } }, 'goes on in a new session, told what was done'],
  [
    { kind: 'revision', agent: { ...agent, rung: 'session' } },
    'goes on in its session after an interruption',
  ],
  [{ kind: 'verify' }, 'is checked together with the work of others again after an interruption'],
])('an attempt that is %j after an interruption says how it goes on', (data, expected) => {
  expect(saidOfSecond(data, 'interrupted', 'edit')).toBe(`↻ fix ${expected}`);
});

test('as many files are named as one line bears, and who is merged next is told', () => {
  const story = new Story(two);
  const said = (members: number, most: number): string | undefined => {
    const names = Array.from({ length: members }, (_, index) => `m${index}`);
    const data = { members: names, report: 'red', most };
    return story.happens({ type: 'merge.rejected', task: 'a', data }).said.at(-1);
  };
  expect(said(10, 0)).toMatch(/together with m0, .*, m9: it is merged alone next$/);
  expect(said(11, 2)).toMatch(/, m9 and 1 more: at most 2 of them are merged along next$/);
});

test('why a person decided so is told, if a reason was given', () => {
  const story = new Story(two);
  const decided = (data: object): string | undefined =>
    story.happens({ type: 'gate.decided', task: 'a', data: { gate: 'g', ...data } } as Event).said.at(-1);
  expect(decided({ approved: true })).toBe('✓ a is approved');
  expect(decided({ approved: false, comment: '' })).toBe('✗ a is rejected');
  expect(decided({ approved: false, comment: 'no' })).toBe('✗ a is rejected (no)');
});
