import { describe, expect, test } from 'vitest';
import { agentNamed, type AgentEvent } from '../../src/agents/index.ts';
import { outcomeOfAgent, type Judged } from '../../src/engine/agent-outcome.ts';
import type { Outcome } from '../../src/model/index.ts';
import { task } from '../support/workflows.ts';

const now = Date.parse('2026-11-15T08:00:00Z');
const minute = 60_000;

function judge(events: readonly AgentEvent[], more: Partial<Judged> = {}): Promise<Outcome> {
  const judged: Judged = {
    agent: agentNamed('claude'),
    spec: task('build'),
    how: 'new',
    now,
    redact: String,
    ...more,
  };
  return outcomeOfAgent(events, judged, { maxOutputBytes: 1_000 } as never);
}

describe('an agent at its usage limit', () => {
  const limit = (until: number): AgentEvent => ({ type: 'limit', until, text: `until ${until}` });
  const failure: AgentEvent = { type: 'failure', kind: 'limit', message: 'no more for now' };

  test('is waited for until the last limit it told of: earlier ones were over when it went on', async () => {
    expect(await judge([limit(now + 10 * minute), limit(now + 60 * minute), failure])).toEqual({
      type: 'delayed',
      until: now + 60 * minute,
      reason: `claude is at its usage limit: until ${now + 60 * minute}`,
      agent: 'claude',
    });
    expect(await judge([limit(now + 60 * minute), limit(now + 10 * minute), failure])).toMatchObject({
      until: now + 10 * minute,
    });
  });

  test('that does not tell when it ends is asked again after a while, in its own words', async () => {
    expect(await judge([failure])).toMatchObject({
      type: 'delayed',
      until: now + 15 * minute,
      reason: 'claude is at its usage limit: no more for now',
    });
  });

  test('that is over already is asked again, but not at once', async () => {
    expect(await judge([limit(now - minute), failure])).toMatchObject({ until: now + 1_000 });
  });
});

describe('a session that is missing', () => {
  const failure: AgentEvent = { type: 'failure', kind: 'session-missing', message: 'no such session' };

  test('is lost if it was to be gone on in: the work begins anew', async () => {
    for (const how of ['continue', 'fork'] as const) {
      expect(await judge([failure], { how })).toMatchObject({ type: 'interrupted', sessionLost: true });
    }
  });

  test('is a failure where a new one was to begin: it would be missed for ever', async () => {
    expect(await judge([failure])).toMatchObject({ type: 'failed', failure: { code: 'AGENT_FAILED' } });
  });
});

test('the money that a task may use up is no failure: a person may let it go on', async () => {
  const events: AgentEvent[] = [{ type: 'failure', kind: 'budget', message: 'out of money' }];
  expect(await judge(events)).toEqual({ type: 'interrupted', reason: 'out of money' });
});

test('a failure of the network is marked as one, with what was told of it', async () => {
  const message = 'connect ECONNREFUSED api.example:443';
  expect(await judge([{ type: 'failure', kind: 'network', message }])).toMatchObject({
    type: 'failed',
    failure: { network: true, class: 'transient', message: `Claude Code: ${message}` },
  });
});

test('an exit without a result is no success', async () => {
  expect(await judge([])).toMatchObject({
    type: 'failed',
    failure: { message: 'Claude Code: it ended without a result' },
  });
});
