import { WatchedRun } from '../../src/views/index.ts';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/index.ts';
import { drawFrame } from '../../src/interfaces/cli/progress/frame.ts';
import { describeEvent } from '../../src/interfaces/cli/progress/index.ts';
import type { AgentWork, CheckSpec, Event } from '../../src/model/index.ts';
import { task, workflow } from '../support/workflows.ts';

const work: AgentWork = {
  type: 'agent',
  agents: ['claude'],
  prompt: 'Mend it.',
  permissions: 'edit',
  args: [],
  env: {},
  secrets: [],
};
const check = {
  work: { type: 'command', run: 'npm test' },
  revise: 2,
  onInterrupt: 'restart',
} as unknown as CheckSpec;

/** A run of one task that is done by an agent and checked; its events are told one after the other, a second apart. */
function told() {
  const view = new WatchedRun('r1');
  let seq = 0;
  const tell = (event: Event): ReturnType<typeof describeEvent> => {
    const happened = { ...event, run: 'r1', seq: ++seq, at: seq * 1_000 } as RunEvent;
    view.add(happened);
    return describeEvent(view, happened);
  };
  const say = (event: Event): string | undefined => tell(event)?.text;
  const frame = (): string =>
    drawFrame(view, { columns: 80, rows: 24, now: view.at, lastLine: () => 'ok 3 of 9' })[0]!.text;
  say({ type: 'run.created', data: { workflow: workflow([task('fix', { work, check })]), inputs: {} } });
  return { tell, say, frame, view };
}

function starts(number: number, kind?: 'check' | 'revision'): Event {
  const agent = { name: 'claude', session: 's', how: number === 1 ? 'new' : 'continue' } as const;
  const data = { number, ...(kind !== undefined && { kind }), ...(kind !== 'check' && { agent }) };
  return { type: 'attempt.started', task: 'fix', attempt: `a${number}`, data };
}

function ends(number: number, outcome: 'succeeded' | 'failed' | 'interrupted' | 'asked'): Event {
  return { type: 'attempt.ended', task: 'fix', attempt: `a${number}`, data: { outcome } };
}

test('work, check and revision are told apart, in lines and on the screen, and the end tells how often it was revised', () => {
  const { say, frame } = told();
  expect(say(starts(1))).toBe('fix started with claude');
  say(ends(1, 'succeeded'));
  expect(say({ type: 'work.finished', task: 'fix', data: {} })).toBe('fix is done, says its agent');
  expect(say(starts(2, 'check'))).toBe('fix is checked');
  expect(frame()).toBe('▶ fix  is checked  0s  ok 3 of 9');
  say(ends(2, 'failed'));
  expect(say({ type: 'check.failed', task: 'fix', data: { report: 'a\nb\n2 failed\n', revision: 1 } })).toBe(
    'fix did not pass its check: 2 failed; revision 1 follows',
  );
  expect(say(starts(3, 'revision'))).toBe('fix is revised (revision 1)');
  expect(frame()).toBe('▶ fix  revision 1  0s');
  say(ends(3, 'succeeded'));
  say({ type: 'work.finished', task: 'fix', data: {} });
  say(starts(4, 'check'));
  say(ends(4, 'succeeded'));
  expect(say({ type: 'task.succeeded', task: 'fix', data: {} })).toBe('fix (1 revision) 4.0s');
});

test('a check that finds something after the last revision announces no other', () => {
  const { say } = told();
  say(starts(1));
  say(ends(1, 'succeeded'));
  say(starts(2, 'check'));
  expect(say({ type: 'check.failed', task: 'fix', data: { report: '', revision: 0 } })).toBe(
    'fix did not pass its check: it said nothing',
  );
});

test('a check after which the task is held announces no revision', () => {
  const { say } = told();
  say(starts(1));
  say(ends(1, 'succeeded'));
  say(starts(2, 'check'));
  const data = { report: 'exit code 1\nred', revision: 3, isHeld: true };
  expect(say({ type: 'check.failed', task: 'fix', data })).toBe('fix did not pass its check: red');
});

test('only the attempt that follows an interruption is said to be one after an interruption', () => {
  const { say } = told();
  say(starts(1));
  say(ends(1, 'succeeded'));
  say(starts(2, 'check'));
  say(ends(2, 'interrupted'));
  expect(say(starts(3, 'check'))).toBe('fix is checked again after an interruption');
  say(ends(3, 'failed'));
  say({ type: 'check.failed', task: 'fix', data: { report: 'no', revision: 1 } });
  expect(say(starts(4, 'revision'))).toBe('fix is revised (revision 1)');
});

test('a question of an agent names the call and what to type, and the answer says what it was about', () => {
  const { tell, frame } = told();
  tell(starts(1));
  expect(tell(ends(1, 'asked'))).toBeUndefined();
  const call = { tool: 'Bash', input: { command: 'npm\npublish' } };
  expect(
    tell({ type: 'gate.opened', task: 'fix', data: { gate: 'g', text: 'May it?', call } }),
  ).toMatchObject({
    text: 'fix asks whether it may use Bash: npm publish',
    commands: ['piton approve r1 fix', 'piton reject r1 fix'],
  });
  expect(frame()).toBe('? fix  waits for you: May it?');
  const decided = (approved: boolean): Event => ({
    type: 'gate.decided',
    task: 'fix',
    data: { gate: 'g', approved, comment: 'says Ada' },
  });
  expect(tell(decided(true))!.text).toBe('fix may use Bash: npm publish (says Ada)');
  tell({ type: 'gate.opened', task: 'fix', data: { gate: 'g', text: 'May it?', call } });
  expect(tell(decided(false))!.text).toBe('fix may not use Bash: npm publish (says Ada)');
  tell({ type: 'gate.opened', task: 'fix', data: { gate: 'g', text: 'Begin?' } });
  expect(tell(decided(true))!.text).toBe('fix is approved (says Ada)');
});

test('what a person says to an agent is told, and when a person has its session', () => {
  const { say, tell } = told();
  const message = { text: `Mind\nthe ${'long '.repeat(100)}road.` };
  expect(say({ type: 'message.added', task: 'fix', data: message })).toMatch(
    /^fix is told: Mind the long .*…$/,
  );
  expect(say({ type: 'message.added', task: 'fix', data: { text: 'Stop.', now: true } })).toBe(
    'fix is told at once: Stop.',
  );
  const lent = { session: 's', from: 1_000, host: 'here', pid: 7, token: 't' };
  expect(say({ type: 'session.lent', task: 'fix', data: lent })).toBe(
    'the session of fix is open in process 7 on here',
  );
  const waits = { reason: 'its session is open', actions: ['skip'], lent: 's' };
  expect(tell({ type: 'task.held', task: 'fix', data: waits })!.commands).toEqual([
    'piton resume r1',
    'piton skip r1 fix',
  ]);
  const back = { session: 's', from: 1_000, to: 61_000 };
  expect(say({ type: 'session.returned', task: 'fix', data: back })).toBe('the session of fix is back');
  expect(say({ type: 'session.returned', task: 'fix', data: { ...back, abandoned: true } })).toBe(
    'the session of fix is back: whoever had it open is gone',
  );
});

test('a version that is not tested is named once', () => {
  const { say } = told();
  say(starts(1));
  const process = { host: 'h', pid: 7, startTime: '1', bootId: 'b', pidNamespace: 'n' };
  const place = { task: 'fix', attempt: 'a1' };
  const text = 'Claude Code 9.9.9 is not tested with Piton (2.1.325 is): see `piton agents`';
  expect(say({ type: 'attempt.spawned', ...place, data: { process, version: '9.9.9' } })).toBe(text);
  say(starts(2));
  expect(
    say({ type: 'attempt.spawned', task: 'fix', attempt: 'a2', data: { process, version: '9.9.9' } }),
  ).toBe(undefined);
});

test('an agent that has printed nothing for a while is said to be silent', () => {
  const { say, view } = told();
  say(starts(1));
  const frame = (silentMs: number): string =>
    drawFrame(view, {
      columns: 80,
      rows: 24,
      now: view.at,
      lastLine: () => undefined,
      lastOutputAt: () => view.at - silentMs,
    })[0]!.text;
  expect(frame(59_000)).not.toContain('silent');
  expect(frame(6 * 60_000 + 1)).toContain('silent for 6 min');
  expect(frame(90 * 60_000)).toContain('silent for 1 h 30 min');
});

test('a raised budget is told with the amount, who raised it and why', () => {
  const { say } = told();
  expect(say({ type: 'budget.raised', task: 'fix', data: { of: 'run', usd: 5 } })).toContain(
    'the budget of the run was raised by $5.00',
  );
  expect(
    say({
      type: 'budget.raised',
      task: 'fix',
      data: { of: 'task', tokens: 2_000, by: 'ann', comment: 'nearly done' },
    }),
  ).toMatch(/the budget of the task was raised by 2000 tokens by ann: nearly done$/);
});

test('an agent that does not reach its model is told apart from one that is down', () => {
  const { say } = told();
  const data = { resource: 'agent:claude', reason: 'no route to host', until: 60_000 };
  expect(say({ type: 'breaker.opened', data: { ...data, network: true } })).toContain(
    'claude does not reach its model (no route to host)',
  );
  expect(say({ type: 'breaker.opened', data })).toContain('claude is asked again');
});
