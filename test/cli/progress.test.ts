import { expect, onTestFinished, test, vi } from 'vitest';
import { createOutput, widthOf } from '../../src/interfaces/cli/output/index.ts';
import { estimateLeft } from '../../src/interfaces/cli/progress/estimate.ts';
import { createProgress, eventLine } from '../../src/interfaces/cli/progress/index.ts';
import { LiveScreen } from '../../src/interfaces/cli/progress/live-screen.ts';
import { graph, task, workflow } from '../support/workflows.ts';
import { SmallTerminal } from './small-terminal.ts';
import { start, Story } from './story.ts';

const three = workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] })]);

test('a frame shows what runs with its attempt, time and last line, and how far all is', () => {
  const story = new Story(three)
    .starts('a')
    .ends('a', 'succeeded')
    .starts('b')
    .ends('b', 'failed')
    .starts('b', 2);
  story.at += 65_000;
  const [b, footer, ...more] = story.frame(80, 24, (attempt) => `line of ${attempt}\u001b[2J\u0007`);
  expect(b).toBe('▶ b  attempt 2  1m05s  line of b-2');
  expect(footer).toContain('33% · 1/3 done · 1 running · 1m07s');
  expect(footer).toMatch(/^█+░+ 33%/);
  expect(more).toEqual([]);
});

test('there is no estimate before a task has ended, and then it is what is left at that pace, by what ran at once', () => {
  const wide = workflow(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => task(name)));
  const story = new Story(wide).starts('a').starts('b');
  const left = (): number | undefined => estimateLeft(story.view, story.view.counts, story.at);
  expect(left()).toBeUndefined();
  expect(story.frame().at(-1)).not.toContain('left');
  story.ends('a', 'succeeded', 4_000).ends('b', 'succeeded', 0).starts('c');
  // c has 4 s before it, d, e and f as much each; two ran at once.
  expect(left()).toBe(8_000);
  expect(story.frame().at(-1)).toContain('about 8s left');
  story.happens({ type: 'task.held', task: 'd', data: { reason: 'why', actions: ['retry'] } });
  expect(left()).toBeUndefined();
});

test('a graph has no percentage: how many steps it takes is not known', () => {
  const story = new Story(graph([task('think'), task('act')]));
  story.happens({ type: 'edge.taken', data: { from: null, to: 'think', step: 1 } }).starts('think#1');
  expect(story.frame()[0]).toContain('▶ think#1');
  story
    .ends('think#1', 'succeeded')
    .happens({ type: 'edge.taken', data: { from: 'think', to: 'think', step: 2 } });
  story.starts('think#2');
  expect(story.frame()).toEqual(['▶ think#2  0s', '1 steps done · 1 running · 1s']);
});

test('no line of a frame is wider than the terminal, however narrow it is and whatever is shown', () => {
  const names = ['a', 'b-with-a-long-name-that-goes-on-and-on', 'c'];
  const story = new Story(workflow(names.map((name) => task(name))));
  for (const name of names) story.starts(name);
  story.happens({
    type: 'task.held',
    task: 'c',
    data: { reason: '日本語のとても長い理由 🎉🎉🎉'.repeat(5), actions: [] },
  });
  for (let columns = 1; columns <= 120; columns++) {
    for (const line of story.frame(columns, 24, () => '進捗状況 👩‍👩‍👧 é'.repeat(30))) {
      expect(widthOf(line)).toBeLessThanOrEqual(Math.max(columns - 1, 1));
    }
  }
});

test('of hundreds of running tasks as many are shown as fit, and the others are counted', () => {
  const names = Array.from({ length: 300 }, (_, index) => `t${index}`);
  const story = new Story(workflow(names.map((name) => task(name))));
  for (const name of names) story.starts(name);
  const frame = story.frame(60, 10);
  expect(frame).toHaveLength(8);
  expect(frame.at(-2)).toBe('  … and 294 more that run or wait');
  expect(frame.at(-1)).toContain('0/300 done · 300 running');
});

test('a retry is told with its reason and its next time', () => {
  const story = new Story(three).starts('a').ends('a', 'failed');
  const until = story.at + 5_000;
  story.happens({ type: 'task.delayed', task: 'a', data: { until, reason: 'attempt 1 failed: no route' } });
  expect(story.said.at(-1)).toBe('⟳ a: attempt 1 failed: no route; tries again in 5.0s');
  expect(story.frame()[0]).toBe('◔ a  in 5s: attempt 1 failed: no route');
  story.starts('a', 2);
  expect(story.said.at(-1)).toBe('▸ a is tried again (attempt 2)');
});

test('what waits for a person is told with the commands to type, quoted for a shell', () => {
  const story = new Story(workflow([task("it's")]));
  story.happens({ type: 'gate.opened', task: "it's", data: { gate: 'g', text: 'Really?' } });
  expect(story.said.at(-1)).toBe(
    [
      "? it's waits for your approval: Really?",
      String.raw`piton approve r1 'it'\''s'`,
      String.raw`piton reject r1 'it'\''s'`,
    ].join('\n'),
  );
  expect(story.view.waitsForPerson).toBe(true);
  story.happens({ type: 'gate.decided', task: "it's", data: { gate: 'g', approved: true, comment: 'go' } });
  expect(story.said.at(-1)).toBe("✓ it's is approved (go)");
  expect(story.view.waitsForPerson).toBe(false);
});

test('a run does not wait for a person while something runs or is delayed', () => {
  const story = new Story(workflow([task('a'), task('b')])).starts('b');
  story.happens({ type: 'task.held', task: 'a', data: { reason: 'why', actions: ['retry', 'skip'] } });
  expect(story.view.waitsForPerson).toBe(false);
  story
    .ends('b', 'failed')
    .happens({ type: 'task.delayed', task: 'b', data: { until: story.at + 1, reason: 'r' } });
  expect(story.view.waitsForPerson).toBe(false);
  story.happens({ type: 'task.skipped', task: 'b', data: { reason: 'r' } });
  expect(story.view.waitsForPerson).toBe(true);
});

test('after a recovery it is said in words what was adopted, harvested and started again', () => {
  const of = workflow(['done', 'alive', 'over', 'gone', 'early'].map((name) => task(name)));
  const story = new Story(of).starts('done').ends('done', 'succeeded');
  for (const name of ['alive', 'over', 'gone', 'early']) story.starts(name);
  story.happens({ type: 'lease.taken', data: { epoch: 2, host: 'h', pid: 8, instance: 'j' } });
  const before = story.said.length;
  story.happens({ type: 'attempt.recovered', task: 'alive', attempt: 'alive-1', data: { how: 'adopted' } });
  story.happens({ type: 'attempt.recovered', task: 'over', attempt: 'over-1', data: { how: 'harvested' } });
  story.ends('over', 'succeeded', 0).ends('gone', 'interrupted', 0).starts('gone', 2);
  story.happens({
    type: 'attempt.ended',
    task: 'early',
    attempt: 'early-1',
    data: { outcome: 'interrupted', neverBegan: true },
  });
  story.starts('early', 2);
  expect(story.said.slice(before)).toEqual([
    '↻ alive was still running: adopted, not started again',
    '↻ over had ended meanwhile: what it left is harvested',
    '✓ over 0ms',
    '! gone was interrupted',
    '↻ gone is started again after an interruption',
    '- early had not begun yet when the driver ended',
    '▸ early is tried again (attempt 2)',
  ]);
  const { settledBefore, adopted, harvested, restarted } = story.view.found;
  expect([settledBefore, [...adopted], [...harvested], [...restarted]]).toEqual([
    1,
    ['alive'],
    ['over'],
    ['gone'],
  ]);
});

test('breakers and a jump of the clock are told', () => {
  const story = new Story(three);
  story.happens({
    type: 'breaker.opened',
    data: { resource: 'api', until: story.at + 2_000, reason: '5 failures' },
  });
  expect(story.said.at(-1)).toBe(
    '! api seems to be down (5 failures): what uses it waits and tries again in 2.0s',
  );
  expect(story.frame().at(-1)).toContain('api down');
  story.happens({ type: 'breaker.closed', data: { resource: 'api' } });
  expect(story.frame().at(-1)).not.toContain('api');
  story.happens({
    type: 'breaker.opened',
    data: { resource: 'agent:claude', until: story.at + 2_000, reason: 'claude is at its usage limit' },
  });
  expect(story.said.at(-1)).toBe('! claude is asked again in 2.0s: claude is at its usage limit');
  expect(story.frame().at(-1)).toContain('claude down');
  story.happens({ type: 'clock.jumped', data: { ms: 3_600_000 } });
  expect(story.said.at(-1)).toBe('! the clock jumped by +1h 00m: deadlines were shifted by as much');
});

test('a request that the driver refuses is told with the reason', () => {
  const story = new Story(three).starts('a');
  const data = { id: 'c1', command: 'skip', answer: 'a is running' };
  story.happens({ type: 'command.decided', data: { ...data, accepted: false } });
  expect(story.said.at(-1)).toBe('! refused to skip: a is running');
  const { length } = story.said;
  story.happens({ type: 'command.decided', data: { ...data, accepted: true } });
  expect(story.said).toHaveLength(length);
});

test('an event as a line of JSON has the promised keys and no others', () => {
  const [created, , started] = new Story(three).starts('a').events;
  expect(JSON.parse(eventLine(started!))).toEqual({
    run: 'r1',
    seq: 3,
    at: start,
    type: 'attempt.started',
    task: 'a',
    attempt: 'a-1',
    data: { number: 1 },
  });
  expect(Object.keys(JSON.parse(eventLine(created!)))).toEqual(['run', 'seq', 'at', 'type', 'data']);
});

test('on a terminal nothing above the frame is touched, and closing takes the frame away and brings the cursor back', () => {
  const terminal = new SmallTerminal(40, 10);
  terminal.write('what was there before\n');
  const screen = new LiveScreen(terminal);
  screen.draw(['one', 'two', 'three']);
  expect(terminal.isCursorShown).toBe(false);
  screen.print(['finished a']);
  screen.draw(['four']);
  expect(terminal.text).toBe('what was there before\nfinished a\nfour');
  screen.draw(['x'.repeat(39), 'five']);
  screen.close();
  expect(terminal.text).toBe('what was there before\nfinished a');
  expect(terminal.isCursorShown).toBe(true);
});

test('a terminal that was made narrower while a frame was on it is cleared of all its rows', () => {
  const terminal = new SmallTerminal(40, 12);
  const screen = new LiveScreen(terminal);
  screen.print(['kept']);
  screen.draw(['x'.repeat(39), 'y'.repeat(39)]);
  // As terminals do it: lines that no longer fit are wrapped.
  const [kept, ...wide] = terminal.lines.filter((line) => line !== '');
  terminal.columns = 20;
  terminal.write('\u001b[99A\u001b[J');
  terminal.write(`${kept}\n${wide.join('\n')}\n`);
  screen.draw(['small']);
  expect(terminal.text).toBe('kept\nsmall');
});

/** Output as the commands have it, on a stream that stands for a terminal or a file. */
function outputOn(terminal: SmallTerminal, isTTY: boolean, isJson = false): ReturnType<typeof createOutput> {
  const stream = {
    isTTY,
    on: () => stream,
    once: () => stream,
    off: () => stream,
    write: (text: string) => terminal.write(text),
    get columns() {
      return terminal.columns;
    },
  } as unknown as NodeJS.WriteStream;
  return createOutput({ stdout: stream, stderr: stream, env: { NO_COLOR: '1' } }, isJson);
}

test('JSON on a terminal moves no cursor and turns no line, and is the same to who parses it', () => {
  let written = '';
  const terminal = { columns: 80, write: (text: string) => (written += text) } as unknown as SmallTerminal;
  const value = { said: 'a\u009b2J \u202eb\u2028c\u001b[0m' };
  outputOn(terminal, true, true).json(value);
  expect(written).toMatch(/^[ -~\n]*$/);
  expect(JSON.parse(written)).toEqual(value);
});

test('live progress keeps what has ended, draws what runs, and leaves no timer and no frame behind', () => {
  vi.useFakeTimers({ now: start });
  onTestFinished(() => void vi.useRealTimers());
  const terminal = new SmallTerminal(60, 12);
  const progress = createProgress({ output: outputOn(terminal, true), lastLine: () => 'compiling' });
  const { events } = new Story(three).starts('a').ends('a', 'succeeded').starts('b');
  for (const event of events.slice(0, 3)) progress.tell(event, true);
  vi.advanceTimersByTime(2_000);
  expect(terminal.text).toContain('▶ a  2s  compiling');
  for (const event of events.slice(3)) progress.tell(event, true);
  vi.advanceTimersByTime(200);
  expect(terminal.text).toMatch(/^✓ a 1\.0s\n▶ b {2}1s {2}compiling\n█+░+ 33%/);
  progress.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(terminal.text).toBe('✓ a 1.0s');
  expect(terminal.isCursorShown).toBe(true);
});

test('whoever comes later sees at once what runs, before there is any news', () => {
  vi.useFakeTimers({ now: start });
  onTestFinished(() => void vi.useRealTimers());
  const terminal = new SmallTerminal(60, 12);
  const progress = createProgress({ output: outputOn(terminal, true), lastLine: () => 'compiling' });
  const { events } = new Story(three).starts('a').ends('a', 'succeeded').starts('b');
  for (const event of events) progress.tell(event, false);
  vi.advanceTimersByTime(200);
  expect(terminal.text).toMatch(/^▶ b {2}\ds {2}compiling\n█+░+ 33%/);
  progress.close();
  expect([vi.getTimerCount(), terminal.text]).toEqual([0, '']);
});

test('where nobody looks, each event of interest is a line with the time since the run began', () => {
  const terminal = new SmallTerminal(200, 100);
  const progress = createProgress({ output: outputOn(terminal, false), lastLine: () => undefined });
  const { events } = new Story(three).starts('a').ends('a', 'succeeded', 61_500);
  for (const event of events) progress.tell(event, true);
  progress.close();
  expect(terminal.text.split('\n')).toEqual(['00:00.0  ▸ a started', '01:01.5  ✓ a 1m 01s']);
});

test('history is taken into account, and not told again', () => {
  const terminal = new SmallTerminal(200, 100);
  const progress = createProgress({ output: outputOn(terminal, false), lastLine: () => undefined });
  const { events } = new Story(three).starts('a').ends('a', 'succeeded');
  for (const event of events) progress.tell(event, false);
  expect(terminal.text).toBe('');
  expect(progress.viewOf('r1').counts.succeeded).toBe(1);
});
