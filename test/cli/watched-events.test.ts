/** What single events change in the view of a run, and what is said of them. */
import { WatchedRun } from '../../src/views/index.ts';
import { expect, test } from 'vitest';
import { agentTask, body, checkOf, command, task, workflow } from '../support/workflows.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import type { Event } from '../../src/model/index.ts';
import { start, Story } from './story.ts';

const two = workflow([task('a'), task('b', { needs: ['a'] })]);

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
  const view = new WatchedRun('r1');
  const told = (event: Event, at: number): void => view.add({ ...event, run: 'r1', seq: 1, at } as RunEvent);
  told({ type: 'run.created', data: { workflow: two, inputs: {} } }, start);
  told({ type: 'lease.taken', data: { epoch: 1, host: 'h', pid: 7, instance: 'i' } }, start + 9);
  expect(view.drivenSince).toBe(start);
  expect(new Story(two).said).toEqual(['▸ run r1 of test begins']);
});

test('a pause gives the run its reason, and its end takes it away', () => {
  const story = new Story(two).happens({ type: 'run.paused', data: { reason: 'lunch' } });
  expect([story.view.status, story.view.reason]).toEqual(['paused', 'lunch']);
  expect(story.said.at(-1)).toBe('‖ paused (lunch): what is running goes on to its end, nothing new starts');
  story.happens({ type: 'run.resumed', data: {} });
  expect([story.view.status, story.view.reason]).toEqual(['running', undefined]);
  story.happens({ type: 'run.paused', data: { reason: '' } });
  expect(story.said.at(-1)).toBe('‖ paused: what is running goes on to its end, nothing new starts');
  story.happens({ type: 'run.paused', data: {} });
  expect(story.said.at(-1)).toBe('‖ paused: what is running goes on to its end, nothing new starts');
  expect(story.view.reason).toBeUndefined();
});

test('what a run gave back is kept, if it gave back anything', () => {
  const gave = new Story(two).happens({ type: 'run.succeeded', data: { outputs: { n: 1 } } });
  expect([gave.view.status, gave.view.outputs]).toEqual(['succeeded', { n: 1 }]);
  const silent = new Story(two).happens({ type: 'run.succeeded', data: {} });
  expect(silent.view.outputs).toBeUndefined();
});

test('why a run failed or was cancelled', () => {
  const failure = { code: 'X', message: 'it failed', retryable: false } as const;
  const failed = new Story(two).happens({ type: 'run.failed', data: { failure } });
  expect([failed.view.status, failed.view.reason]).toEqual(['failed', 'it failed']);
  const story = new Story(two).happens({ type: 'cancel.requested', data: { reason: 'enough' } });
  expect(story.said.at(-1)).toBe('✗ the run is being cancelled: enough');
  story.happens({ type: 'run.cancelled', data: { reason: 'enough' } });
  expect([story.view.status, story.view.reason]).toEqual(['cancelled', 'enough']);
});

test('a run has a branch as soon as one of its tasks has one, and something that it began from', () => {
  const story = new Story(two);
  const prepared = (task: string, more: object): Story =>
    story.happens({ type: 'workspace.prepared', task, data: { path: '/p', token: 't', ...more } });
  prepared('a', { branch: 'piton-tasks/r1/a' });
  expect(story.view.branch).toBeUndefined();
  prepared('a', { base: 'c0' });
  expect(story.view.branch).toBeUndefined();
  prepared('b', { branch: 'piton-tasks/r1/b', base: 'c1' });
  expect(story.view.branch).toBe('piton/r1');
});

test('a run has work once something other than its beginning was brought to it, and is delivered once', () => {
  const story = new Story(two).happens({
    type: 'workspace.prepared',
    task: 'a',
    data: { path: '/p', token: 't', branch: 'piton-tasks/r1/a', base: 'c0' },
  });
  story.happens({ type: 'workspace.integrated', task: 'a', data: { result: 'c0', commit: 'c0' } });
  expect(story.view.hasWork).toBe(false);
  story.happens({ type: 'workspace.integrated', task: 'a', data: { result: 'c1', commit: 'c1' } });
  expect([story.view.hasWork, story.view.isDelivered]).toEqual([true, false]);
  story.happens({ type: 'run.delivered', data: { how: 'merge', into: 'main', commit: 'c1' } });
  expect(story.view.isDelivered).toBe(true);
  expect(story.said.at(-1)).toBe('✓ its work was merged into main');
  story.happens({ type: 'run.delivered', data: { how: 'pull-request', into: 'main', commit: 'c1' } });
  expect(story.said.at(-1)).toBe('✓ a pull request into main is open');
});

test('only work that an agent is to revise counts as revised or in conflict', () => {
  const story = new Story(workflow([task('a', { check: checkOf(2) })])).starts('a');
  const line = () => story.view.task('a')!;
  const told = (type: 'check.failed' | 'conflict.found', revision: number): Story =>
    story.happens({ type, task: 'a', data: { files: ['f'], report: 'r', revision } } as Event);
  told('check.failed', 0);
  told('conflict.found', 0);
  expect([line().revisions, line().isConflicting]).toEqual([undefined, false]);
  told('conflict.found', 1);
  expect(line().isConflicting).toBe(true);
  told('check.failed', 2);
  expect([line().revisions, line().isConflicting]).toEqual([2, false]);
  story.ends('a', 'succeeded');
  expect(story.said.at(-1)).toBe('✓ a (2 revisions) 1.0s');
});

test('a check is part of the try it follows: the time of both counts', () => {
  const story = new Story(workflow([task('a', { check: checkOf(0) })])).starts('a');
  story.ends('a', 'failed', 2_000);
  const data = { number: 2, kind: 'check' } as const;
  story.happens({ type: 'attempt.started', task: 'a', attempt: 'a-2', data });
  expect(story.view.task('a')!.attempt).toMatchObject({ number: 1, kind: 'check' });
  story.ends('a', 'succeeded', 3_000);
  expect(story.said.at(-1)).toBe('✓ a 5.0s');
  story.starts('a', 3);
  const line = story.view.task('a')!;
  expect(line.attempt).toMatchObject({ number: 2 });
  expect('kind' in line.attempt!).toBe(false);
  expect('tookMs' in line).toBe(false);
});

test('what is done again loses what is known of its last try, and the run goes on unless it is paused', () => {
  const story = new Story(workflow([task('a', { check: checkOf(1) }), task('b')]));
  story.starts('a').happens({ type: 'check.failed', task: 'a', data: { report: 'r', revision: 1 } });
  story.ends('a', 'interrupted');
  story.happens({ type: 'task.cancelled', task: 'a', data: { reason: 'enough' } });
  story.happens({ type: 'run.cancelled', data: { reason: 'enough' } });
  story.happens({ type: 'lease.taken', data: { epoch: 2, host: 'h', pid: 8, instance: 'j' } });
  const again = 'to be done again: a';
  const reopened = (reason: string): Story =>
    story.happens({ type: 'tasks.reopened', data: { tasks: ['a'], continued: [], reason } });
  reopened(again);
  expect(story.said.at(-1)).toBe(`↻ ${again}`);
  expect(story.view.task('a')).toMatchObject({ status: 'queued' });
  expect(story.view.task('a')).not.toHaveProperty('revisions');
  expect([story.view.status, story.view.reason]).toEqual(['running', undefined]);
  story.starts('a', 2);
  expect(story.view.task('a')!.attempt).toMatchObject({ isAgain: false });
  story.happens({ type: 'run.paused', data: { reason: 'lunch' } });
  reopened('an upstream task');
  expect([story.view.status, story.view.reason]).toEqual(['paused', 'lunch']);
  expect(story.said.at(-1)).toBe('↻ taken up again: a (an upstream task)');
});

test('what a driver finds ended without a result is not harvested', () => {
  const story = new Story(two).starts('a');
  story.happens({ type: 'lease.taken', data: { epoch: 2, host: 'h', pid: 8, instance: 'j' } });
  story.happens({ type: 'attempt.recovered', task: 'a', attempt: 'a-1', data: { how: 'harvested' } });
  expect([...story.view.found.harvested]).toEqual(['a']);
  story.ends('a', 'interrupted');
  expect([...story.view.found.harvested]).toEqual([]);
});

test('what lies in a task that is done again loses what is known of it, and nothing else does', () => {
  const inner = workflow([task('x')]);
  const names = ['group', 'group-other'];
  const story = new Story(workflow(names.map((name) => task(name, { work: body(inner) }))));
  for (const name of names) {
    story.happens({ type: 'scope.opened', task: name, data: { inputs: {} } });
    story.starts(`${name}.x`).ends(`${name}.x`, 'interrupted');
  }
  story.happens({ type: 'tasks.reopened', data: { tasks: ['group'], continued: [], reason: 'again' } });
  story.happens({ type: 'scope.opened', task: 'group', data: { inputs: {} } });
  const isAgain = (name: string): boolean => story.starts(name, 2).view.task(name)!.attempt!.isAgain;
  expect([isAgain('group.x'), isAgain('group-other.x')]).toEqual([false, true]);
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

test('the call an agent asks for is that of the question on the screen', () => {
  const story = new Story(two).starts('a');
  const line = () => story.view.task('a')!;
  const call = { tool: 'Bash', input: { command: 'ls' } };
  story.happens({ type: 'gate.opened', task: 'a', data: { gate: 'g', text: 'May it?', call } } as Event);
  expect([line().status, line().reason, line().actions]).toEqual(['held', 'May it?', ['approve', 'reject']]);
  expect(line().asked).toEqual(call);
  story.happens({ type: 'gate.decided', task: 'a', data: { gate: 'g', approved: false, comment: 'no' } });
  expect(story.said.at(-1)).toBe('✗ a may not use Bash: ls (no)');
  story.happens({ type: 'gate.opened', task: 'a', data: { gate: 'h', text: 'Go?' } });
  expect(line().asked).toBeUndefined();
  story.happens({ type: 'gate.decided', task: 'a', data: { gate: 'h', approved: true } });
  expect([line().status, line().actions, line().reason]).toEqual(['queued', undefined, undefined]);
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
  const place = { path: '/p', token: 't', branch: 'piton-tasks/r1/a', base: 'c0' };
  story.happens({ type: 'workspace.prepared', task: 'a', data: place });
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
  story.starts('a').happens({ type: 'work.finished', task: 'a', data: {} });
  expect(said({ type: 'merge.proposed', task: 'a', data: { ...merged, members: [] } })).toBe(
    '▸ the work of a is merged to be checked (c123456)',
  );
});

test('what waits for a person says why and what can be done; what has settled says why too', () => {
  const story = new Story(workflow(['failed', 'skipped', 'cancelled', 'a'].map((name) => task(name))));
  const failure = { code: 'X', message: 'it failed', retryable: false } as const;
  story.happens({ type: 'task.failed', task: 'failed', data: { failure } });
  story.happens({ type: 'task.skipped', task: 'skipped', data: { reason: 'not needed' } });
  story.happens({ type: 'task.cancelled', task: 'cancelled', data: { reason: 'enough' } });
  story.happens({ type: 'task.held', task: 'a', data: { reason: 'why', actions: ['retry', 'skip'] } });
  const known = [...story.view.tasks()].map(({ status, reason, actions }) => [status, reason, actions]);
  expect(known).toEqual([
    ['failed', 'it failed', undefined],
    ['skipped', 'not needed', undefined],
    ['cancelled', 'enough', undefined],
    ['held', 'why', ['retry', 'skip']],
  ]);
  expect(story.view.counts).toMatchObject({ total: 4, settled: 3, held: 1 });
});

test('a new try knows which try it is; a setup is none', () => {
  const story = new Story(workflow([task('a', { check: checkOf(2) })])).starts('a').ends('a', 'failed');
  story.starts('a', 2);
  expect(story.view.task('a')!.attempt).toMatchObject({ number: 2 });
  const late = new Story(two);
  const setup = { number: 1, kind: 'setup' } as const;
  late.happens({ type: 'attempt.started', task: 'a', attempt: 'a-1', data: setup });
  expect(late.view.task('a')!.attempt).toMatchObject({ number: 1, kind: 'setup' });
  late.ends('a', 'failed').starts('a', 2);
  expect(late.said.at(-1)).toBe('▸ a started');
});

test('what agents have used is counted with the events', () => {
  const story = new Story(two).starts('a');
  const entries = [{ type: 'usage', input: 5, output: 1, isCumulative: false }];
  story.happens({ type: 'transcript.added', task: 'a', attempt: 'a-1', data: { upTo: 1, entries } });
  expect(story.view.usage).toMatchObject({ input: 5, output: 1 });
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
  [{ kind: 'revision' }, '▸ fix is tried again (attempt 2)'],
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
