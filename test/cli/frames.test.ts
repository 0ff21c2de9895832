/** What is on the screen of a run under way, to the column, and how it is told where there is no screen. */
import { expect, test } from 'vitest';
import { createOutput } from '../../src/interfaces/cli/output/index.ts';
import { estimateLeft } from '../../src/interfaces/cli/progress/estimate.ts';
import { drawFrame, formatElapsed, percentOf } from '../../src/interfaces/cli/progress/frame.ts';
import { createProgress, type Progress } from '../../src/interfaces/cli/progress/index.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import type { Event, Workflow } from '../../src/model/index.ts';
import { agentTask, body, checkOf, graph, node, task, workflow } from '../support/workflows.ts';
import { Story } from './story.ts';

function flow(...names: string[]): Workflow {
  return workflow(names.map((name) => task(name)));
}

function held(name: string, reason = 'why'): Event {
  return { type: 'task.held', task: name, data: { reason, actions: ['retry'] } };
}

function delayed(name: string, until: number): Event {
  return { type: 'task.delayed', task: name, data: { until, reason: 'later' } };
}

test('what runs is above what waits for a person, and that above what waits for its time', () => {
  const story = new Story(flow('later', 'asks', 'runs', 'idle')).starts('runs');
  story.happens(delayed('later', story.at + 61_000)).happens(held('asks'));
  const lines = drawFrame(story.view, { columns: 40, rows: 24, now: story.at, lastLine: () => 'x' });
  expect(lines.map(({ tone, text }) => [tone, text])).toEqual([
    ['plain', '▶ runs   0s  x'],
    ['warning', '? asks   waits for you: why'],
    ['warning', '◔ later  in 1m01s: later'],
    ['plain', '0% · 0/4 done · 1 running · 1 delayed …'],
  ]);
  const after = { columns: 80, rows: 24, now: story.at + 120_000, lastLine: () => undefined };
  expect(drawFrame(story.view, after)[2]!.text).toBe('◔ later  in 0s: later');
});

test('what consists of other tasks, or has not begun, is not on the screen', () => {
  const story = new Story(workflow([task('group', { work: body(flow('x')) }), task('b')]));
  story.happens({ type: 'scope.opened', task: 'group', data: { inputs: {} } });
  expect(story.frame()).toHaveLength(1);
  story.starts('group.x');
  expect(story.frame()[0]).toBe('▶ group.x  0s');
});

test.each([
  [6, ['▶ a  0s', '▶ b  0s', '▶ c  0s']],
  [5, ['▶ a  0s', '  … and 2 more that run or wait']],
  [4, ['  … and 3 more that run or wait']],
  [1, ['  … and 3 more that run or wait']],
])(
  'on %i rows two are left to what is above, one to how far it all is, and the others to tasks',
  (rows, tasks) => {
    const story = new Story(flow('a', 'b', 'c')).starts('a').starts('b').starts('c');
    expect(story.frame(80, rows).slice(0, -1)).toEqual(tasks);
  },
);

test('the last column stays free, and names take two fifths of the others at most', () => {
  const story = new Story(flow('a'.repeat(30), 'b')).starts('a'.repeat(30)).starts('b');
  expect(story.frame(41, 24, () => 'x'.repeat(80)).slice(0, 2)).toEqual([
    `▶ ${'a'.repeat(15)}…  0s  ${'x'.repeat(15)}…`,
    `▶ b${' '.repeat(15)}  0s  ${'x'.repeat(15)}…`,
  ]);
  expect(story.frame(1).every((line) => line === '…')).toBe(true);
});

test('the bar is as wide as what is left, thirty columns at most and five at least', () => {
  const story = new Story(flow('a', 'b')).starts('a').ends('a', 'succeeded', 0).starts('b');
  const words = '50% · 1/2 done · 1 running · 0s · about 0s left';
  const bar = (columns: number): string => {
    const footer = story.frame(columns).at(-1)!;
    expect(footer.endsWith(words)).toBe(true);
    return footer.slice(0, -words.length);
  };
  expect(bar(120)).toBe(`${'█'.repeat(15)}${'░'.repeat(15)} `);
  // One column is free, and two are left on the other side.
  expect(bar(words.length + 1 + 3 + 6)).toBe('███░░░ ');
  expect(bar(words.length + 1 + 3 + 5)).toBe('██░░░ ');
  expect(bar(words.length + 1 + 3 + 4)).toBe('');
  expect(new Story(workflow([])).frame(60).at(-1)).toBe(`${'░'.repeat(30)} 0% · 0/0 done · 0s`);
});

test('below the tasks stands how many are in which way, a pause, and what is down', () => {
  const story = new Story(flow('a', 'b', 'c', 'd')).starts('a').happens(held('b'));
  story.happens(delayed('c', story.at));
  const failure = { code: 'X', message: 'it failed', retryable: false } as const;
  story.happens({ type: 'task.failed', task: 'd', data: { failure } });
  story.happens({ type: 'run.paused', data: {} });
  story.happens({ type: 'breaker.opened', data: { resource: 'agent:cl\u0007aude', until: 1, reason: 'r' } });
  expect(story.frame(120).at(-1)).toBe(
    `${'█'.repeat(7)}${'░'.repeat(23)} 25% · 1/4 done · 1 running · 1 delayed · 1 held · 1 failed · paused · claude down · 0s`,
  );
});

test('of a graph the steps are counted, and nothing is said of its end', () => {
  const story = new Story(graph([node('a', 'a')]));
  story.happens({ type: 'edge.taken', data: { from: null, to: 'a', step: 1 } }).starts('a#1');
  story.ends('a#1', 'succeeded').happens({ type: 'edge.taken', data: { from: 'a', to: 'a', step: 2 } });
  expect(story.frame(120)).toEqual(['1 steps done · 1s']);
});

test('of an agent at work its own words are shown, of its commands what they print', () => {
  const story = new Story(workflow([agentTask('fix', ['claude'], { check: checkOf(1) })]));
  const begins = (number: number, kind?: 'setup' | 'check' | 'revision'): string => {
    const data = { number, ...(kind !== undefined && { kind }) };
    const attempt = `fix-${number}`;
    story.happens({ type: 'attempt.started', task: 'fix', attempt, data });
    const entries = [{ type: 'message', role: 'assistant', text: 'words' }];
    story.happens({ type: 'transcript.added', task: 'fix', attempt, data: { upTo: 1, entries } });
    return story.frame(80, 24, (id) => `printed by ${id}`)[0]!;
  };
  expect(begins(1, 'setup')).toBe('▶ fix  is being set up  0s  printed by fix-1');
  expect(begins(2)).toBe('▶ fix  0s  words');
  expect(begins(3, 'check')).toBe('▶ fix  is checked  0s  printed by fix-3');
  story.happens({ type: 'check.failed', task: 'fix', data: { report: 'red', revision: 1 } });
  expect(begins(4, 'revision')).toBe('▶ fix  revision 1  0s  words');
  expect(begins(5)).toBe('▶ fix  attempt 2  0s  words');
});

test('what is said to go on without an attempt is only named', () => {
  const story = new Story(flow('a'));
  story.happens({ type: 'tasks.reopened', data: { tasks: [], continued: ['a'], reason: 'r' } });
  expect(story.frame()[0]).toBe('▶ a');
});

test.each([
  [-1, '0s'],
  [499, '0s'],
  [500, '1s'],
  [59_499, '59s'],
  [60_000, '1m00s'],
  [3_599_000, '59m59s'],
  [3_600_000, '1h00m'],
  [90_061_000, '25h01m'],
])('%i ms under way are shown as %s', (ms, text) => {
  expect(formatElapsed(ms)).toBe(text);
});

test('all is done only when all is', () => {
  const percent = (settled: number, total: number): number => percentOf({ settled, total } as never);
  expect([percent(0, 0), percent(199, 200), percent(200, 200)]).toEqual([0, 99, 100]);
});

function left(story: Story, after = 0): number | undefined {
  return estimateLeft(story.view, story.view.counts, story.at + after);
}

test('what runs longer than others did is expected to end at once', () => {
  const story = new Story(flow('a', 'b', 'c')).starts('a').ends('a', 'succeeded', 4_000).starts('b');
  expect([left(story), left(story, 1_000), left(story, 9_000)]).toEqual([8_000, 7_000, 4_000]);
});

test('what has ended, or goes on without an attempt, adds nothing to what is left', () => {
  const story = new Story(flow('a', 'b', 'c', 'd')).starts('a').ends('a', 'succeeded', 8_000);
  story.starts('b').ends('b', 'succeeded', 0);
  expect(left(story)).toBe(8_000);
  story.happens({ type: 'tasks.reopened', data: { tasks: [], continued: ['c'], reason: 'r' } });
  expect(left(story)).toBe(4_000);
});

test('no end is foretold where a person or a timer decides, where all is done, or what there is is not known', () => {
  const after = (then: (story: Story) => void, of = flow('a', 'b')): number | undefined => {
    const story = new Story(of).starts('a').ends('a', 'succeeded', 4_000);
    then(story);
    return left(story);
  };
  expect(after(() => undefined)).toBe(4_000);
  expect(after((story) => story.happens(held('b')))).toBeUndefined();
  expect(after((story) => story.happens(delayed('b', story.at)))).toBeUndefined();
  expect(after((story) => story.happens({ type: 'run.paused', data: {} }))).toBeUndefined();
  expect(after((story) => story.starts('b').ends('b', 'succeeded'))).toBeUndefined();
  expect(left(new Story(flow('a')).starts('a'))).toBeUndefined();
  const round = new Story(graph([node('a', 'a')]));
  round.happens({ type: 'edge.taken', data: { from: null, to: 'a', step: 1 } }).starts('a#1');
  round.ends('a#1', 'succeeded').happens({ type: 'edge.taken', data: { from: 'a', to: 'a', step: 2 } });
  expect(left(round)).toBeUndefined();
});

test('no more are expected to run at once than may, and what others consist of is counted once', () => {
  const names = ['a', 'b', 'c', 'd'];
  const of = (maxParallel?: number): Workflow =>
    workflow(
      names.map((name) => task(name)),
      { ...(maxParallel !== undefined && { maxParallel }) },
    );
  const after = (flowing: Workflow): number | undefined => {
    const story = new Story(flowing).starts('a').starts('b').ends('a', 'succeeded', 4_000);
    return left(story.ends('b', 'succeeded', 0));
  };
  expect([after(of()), after(of(1)), after(of(3))]).toEqual([4_000, 8_000, 4_000]);
  const nested = workflow([task('first'), task('group', { work: body(flow('x', 'y')) })]);
  const story = new Story(nested).starts('first').ends('first', 'succeeded', 4_000).starts('group');
  story.happens({ type: 'scope.opened', task: 'group', data: { inputs: {} } });
  expect(left(story)).toBe(8_000);
});

interface Told {
  readonly progress: Progress;
  lines(): string[];
  readonly notes: string[];
}

function told(isJson: boolean, isShared?: boolean): Told {
  const [written, notes]: [string[], string[]] = [[], []];
  const stream = (kept: string[]): NodeJS.WriteStream =>
    ({ on: () => undefined, write: (text: string) => kept.push(text) }) as unknown as NodeJS.WriteStream;
  const output = createOutput({ stdout: stream(written), stderr: stream(notes), env: {} }, isJson);
  const progress = createProgress({
    output,
    lastLine: () => undefined,
    ...(isShared !== undefined && { isShared }),
  });
  return { progress, lines: () => written.join('').split('\n').slice(0, -1), notes };
}

test.each([
  [-100, '00:00.0'],
  [0, '00:00.0'],
  [59_999, '00:59.9'],
  [60_000, '01:00.0'],
  [3_599_900, '59:59.9'],
  [3_600_000, '01:00:00.0'],
  [36_061_100, '10:01:01.1'],
])('a line about what happened %i ms after the beginning begins with %s', (ms, text) => {
  const { progress, lines } = told(false);
  const story = new Story(flow('a'));
  story.happens({ type: 'run.resumed', data: {} }, ms);
  story.happens({ type: 'attempt.ended', task: 'a', attempt: 'a-1', data: { outcome: 'succeeded' } });
  for (const event of story.events) progress.tell(event, true);
  expect(lines()).toEqual([`${text}  ▸ the pause is over`]);
});

test('lines of several runs say which they are about, and what was said of none stands alone', () => {
  const { progress, lines } = told(false, true);
  const story = new Story(flow('a')).starts('a');
  for (const event of story.events) progress.tell({ ...event, run: 'r2' } as RunEvent, true);
  progress.say({ tone: 'plain', symbol: '!', text: 'listen', commands: ['piton list'] });
  expect(lines()).toEqual(['r2  00:00.0  ▸ a started', '! listen', '    piton list']);
  expect([...progress.viewOf('r2').tasks()].map(({ address }) => address)).toEqual(['a']);
  expect(progress.viewOf('r3')).toBe(progress.viewOf('r3'));
  progress.close();
});

test('a program is told events as lines of JSON, history not, and our own words as notes', () => {
  const { progress, lines, notes } = told(true);
  const [created, leased] = new Story(flow('a')).events;
  progress.tell(created!, false);
  progress.tell(leased!, true);
  progress.say({ tone: 'plain', symbol: '!', text: 'listen' });
  progress.close();
  expect(lines().map((line) => (JSON.parse(line) as RunEvent).type)).toEqual(['lease.taken']);
  expect(notes).toEqual(['{"note":"listen"}\n']);
});
