import { WatchedRun } from '../../src/views/index.ts';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/index.ts';
import { remarkOf } from '../../src/interfaces/cli/conversation/index.ts';
import { drawFrame } from '../../src/interfaces/cli/progress/frame.ts';
import { describeEvent } from '../../src/interfaces/cli/progress/index.ts';
import type { Event, EventOf } from '../../src/model/index.ts';
import { agentTask, command, task, workflow } from '../support/workflows.ts';

/** A run of an agent `fix` and a command `test`; its events are told one after the other, a second apart. */
function told() {
  const view = new WatchedRun('r1');
  let seq = 0;
  const happen = (event: Event): RunEvent => {
    const happened = { ...event, run: 'r1', seq: ++seq, at: seq * 1_000 } as RunEvent;
    view.add(happened);
    return happened;
  };
  const tell = (event: Event) => describeEvent(view, happen(event));
  const say = (event: Event): string | undefined => tell(event)?.text;
  const frame = (): string =>
    drawFrame(view, { columns: 80, rows: 24, now: view.at, lastLine: () => 'added 3 packages' })[0]!.text;
  const tasks = [agentTask('fix', ['claude']), task('test', { work: command('npm test') })];
  happen({ type: 'run.created', data: { workflow: workflow(tasks), inputs: {} } });
  return { happen, tell, say, frame };
}

type Kind = EventOf<'attempt.started'>['data']['kind'];

function starts(name: string, number: number, kind?: Kind): Event {
  const data = { number, ...(kind !== undefined && { kind }) };
  return { type: 'attempt.started', task: name, attempt: `${name}-${number}`, data };
}

function ends(name: string, number: number, outcome: 'succeeded' | 'failed' | 'interrupted'): Event {
  return { type: 'attempt.ended', task: name, attempt: `${name}-${number}`, data: { outcome } };
}

test('setup and integration are told apart from the work, and do not count as tries at it', () => {
  const { say, frame } = told();
  expect(say(starts('test', 1, 'setup'))).toBe('test is being set up');
  expect(frame()).toBe('▶ test  is being set up  0s  added 3 packages');
  say(ends('test', 1, 'interrupted'));
  expect(say(starts('test', 2, 'setup'))).toBe('test is being set up again after an interruption');
  say(ends('test', 2, 'succeeded'));
  expect(say({ type: 'workspace.equipped', task: 'test', data: {} })).toBe('test is set up');
  expect(say(starts('test', 3))).toBe('test started');
  expect(frame()).toBe('▶ test  0s  added 3 packages');
  say(ends('test', 3, 'failed'));
  expect(say(starts('test', 4))).toBe('test is tried again (attempt 2)');
  expect(frame()).toBe('▶ test  attempt 2  0s  added 3 packages');
  say(ends('test', 4, 'succeeded'));
  expect(say({ type: 'work.finished', task: 'test', data: {} })).toBe('test is done');
  expect(say(starts('test', 5, 'integrate'))).toBe('test is being brought to the work of others');
  say(ends('test', 5, 'succeeded'));
  expect(say({ type: 'task.succeeded', task: 'test', data: {} })).toBe('test (attempt 2) 2.0s');
});

test('a conflict names its files, and who is to do something about it', () => {
  const { happen, tell, say, frame } = told();
  const conflict = (revision: number, files = ['a.txt', 'b.txt']): Event => ({
    type: 'conflict.found',
    task: 'fix',
    data: { files, report: 'both changed a.txt', revision },
  });
  expect(tell(conflict(1))).toMatchObject({
    tone: 'warning',
    text: 'conflict in a.txt, b.txt between fix and the work of other tasks; the agent of fix is to resolve it',
  });
  expect(say(starts('fix', 3, 'revision'))).toBe('fix resolves its conflict');
  expect(frame()).toBe('▶ fix  resolves its conflict  0s');
  say({ type: 'check.failed', task: 'fix', data: { report: 'red', revision: 1 } });
  expect(say(starts('fix', 5, 'revision'))).toBe('fix is revised (revision 1)');
  const many = Array.from({ length: 12 }, (_, index) => `${index}.txt`);
  expect(say(conflict(0, many))).toMatch(/^conflict in 0\.txt, .*, 9\.txt and 2 more between /);
  expect(remarkOf(happen(conflict(0)))).toMatchObject({
    block: {
      kind: 'trouble',
      head: 'the work conflicts with that of others (a.txt, b.txt): a person is asked',
    },
  });
});

test('what became of a place is told, and why', () => {
  const { tell } = told();
  const place = { path: '/p/worktrees/r1/fix', branch: 'piton-tasks/r1/fix', base: 'c0', token: 't' };
  expect(tell({ type: 'workspace.prepared', task: 'fix', data: place })!.text).toBe(
    'fix works in /p/worktrees/r1/fix',
  );
  const integrated = { result: 'c1', commit: 'abc1234567' };
  expect(tell({ type: 'workspace.integrated', task: 'fix', data: integrated })!.text).toBe(
    'the work of fix is in piton/r1 (abc1234)',
  );
  const cleaned = (data: EventOf<'workspace.cleaned'>['data']) =>
    tell({ type: 'workspace.cleaned', task: 'fix', data });
  expect(cleaned({ how: 'removed', reason: 'all is kept' })).toMatchObject({
    rank: 'detail',
    text: 'the place of fix was removed: all is kept',
  });
  expect(
    cleaned({ how: 'archived', reason: 'files git ignores', ref: 'refs/piton/archive/x' }),
  ).toMatchObject({
    tone: 'plain',
    text: 'the place of fix was archived in refs/piton/archive/x: files git ignores',
  });
  expect(cleaned({ how: 'kept', reason: 'the policy says so' })!.text).toBe(
    'the place of fix was kept: the policy says so',
  );
  const recovered = (how: 'recreated' | 'held') =>
    tell({ type: 'workspace.recovered', task: 'fix', data: { found: 'it was gone', how } });
  expect(recovered('recreated')!.text).toBe('the place of fix: it was gone, and was made again');
  expect(recovered('held')!.text).toBe('the place of fix: it was gone, and waits for you');
});

test('merges that are tried out are told with whom, and what follows if they are not good', () => {
  const { say, frame, tell } = told();
  const members = ['b', 'c', 'd'];
  const commit = 'abcdef0123456789';
  const proposed = { result: 'r', commit, onto: 'o', members };
  expect(say({ type: 'merge.proposed', task: 'fix', data: proposed })).toBe(
    'the work of fix is merged, along with b, c, d, to be checked (abcdef0)',
  );
  expect(say(starts('fix', 2, 'verify'))).toBe('fix is checked together with the work of others');
  expect(frame()).toContain('is checked together with the work of others');
  expect(
    tell({ type: 'merge.rejected', task: 'fix', data: { members, report: 'red', most: 1 } }),
  ).toMatchObject({
    tone: 'warning',
    text: 'the work of fix did not pass its check together with b, c, d: at most 1 of them are merged along next',
  });
  expect(say({ type: 'merge.verified', task: 'fix', data: {} })).toBe(
    'the work of fix has passed its check together with the others',
  );
});

test('what happens to places and beyond them is told where it matters, and kept quiet where not', () => {
  const { say, tell } = told();
  const place = { path: '/p', branch: 'piton-tasks/r1/fix', base: 'c0', token: 't' };
  say({ type: 'workspace.prepared', task: 'fix', data: place });
  const saved: Event = {
    type: 'workspace.saved',
    task: 'fix',
    attempt: 'fix-1',
    data: { commit: 'abc', label: 'after a tool' },
  };
  expect(say(saved)).toBeUndefined();
  expect(
    say({ type: 'workspace.recovered', task: 'fix', data: { found: 'it was gone', how: 'restored' } }),
  ).toBe('the place of fix: it was gone, and was made again as it was last saved');
  expect(say({ type: 'workspace.ordered', task: 'fix', data: { id: '1', action: 'adopt' } })).toBe(
    'the place of fix is taken as it is',
  );
  const refs = [
    { ref: 'refs/heads/main', before: 'a', after: 'b' },
    { ref: 'refs/tags/v1', before: 'a' },
  ];
  expect(tell({ type: 'refs.changed', task: 'fix', data: { refs } })).toMatchObject({
    tone: 'warning',
    text: 'fix changed what is not its own: refs/heads/main moved, refs/tags/v1 deleted; what refs pointed to is kept',
  });
  const config = [{ ref: 'config core.pager', after: 'b' }];
  expect(tell({ type: 'refs.changed', task: 'fix', data: { refs: config } })).toMatchObject({
    text: 'fix changed what is not its own: core.pager added',
  });
  const artifacts: Event = { type: 'artifacts.kept', task: 'fix', data: { paths: ['dist'], bytes: 9 } };
  expect(tell(artifacts)).toMatchObject({ rank: 'detail', text: '1 artifact of fix kept' });
  const delivered = {
    how: 'pull-request',
    into: 'main',
    commit: 'abc',
    url: 'https://example.test/1',
  } as const;
  expect(say({ type: 'run.delivered', data: delivered })).toBe(
    'a pull request into main is open: https://example.test/1',
  );
});
