/** What the CLIs say of their troubles, in the words they were heard to use, and what is made of it. */
import { describe, expect, test } from 'vitest';
import { agentNamed, type AgentEvent, type FailureKind } from '../../src/agents/index.ts';

const startedAt = Date.parse('2026-11-15T08:00:00Z');

/** What an agent's end means, of which nothing is known but an exit code and what it has complained of. */
function endOf(agent: string, words: string): readonly AgentEvent[] {
  const parser = agentNamed(agent).parser({ now: startedAt, timeZone: 'UTC' });
  return parser.end({ code: 1, timedOut: false }, words);
}

const heard: readonly (readonly [string, FailureKind, string])[] = [
  [
    'claude',
    'session-missing',
    'No conversation found with session ID: 3fc31a96-89f3-4089-930a-4df22d021ece',
  ],
  ['claude', 'session-in-use', 'Error: Session ID b2389d4c-6bdb-44ac-84c3-9e98a19edd20 is already in use.'],
  [
    'codex',
    'session-missing',
    'Error: thread/resume: thread/resume failed: no rollout found for thread id 01a1 (code -32600)',
  ],
  [
    'codex',
    'session-missing',
    'Error: thread/resume: thread/resume failed: failed to read thread: thread-store internal error: failed to read session metadata /home/dev/rollout-01a1.jsonl: stream did not contain valid UTF-8 (code -32603)',
  ],
  [
    'codex',
    'session-missing',
    'Error: thread/resume: thread/resume failed: failed to read thread: thread-store internal error: failed to read session metadata /home/dev/rollout-01a1.jsonl: rollout at /home/dev/rollout-01a1.jsonl is empty (code -32603)',
  ],
  [
    'codex',
    'session-in-use',
    'Error: thread/resume: thread/resume failed: thread 01a1deb2-ca44-73f2-b8c1-de62e3527a90 already has an active writer (code -32600)',
  ],
  ['gemini', 'session-missing', 'Error resuming session: No previous sessions found for this project.'],
  [
    'gemini',
    'session-in-use',
    'Error starting session: Session ID "c98d0ae7-febd-4fb9-a8d4-0a2664ec64b6" already exists. Use --resume to resume it, or provide a different ID.',
  ],
  ['opencode', 'session-missing', '\u001b[91m\u001b[1mError: \u001b[0mSession not found'],
];

/** Not heard yet, but easily taken for a usage limit, which would be waited for again and again. */
const similar: readonly (readonly [string, FailureKind, string])[] = [
  ['claude', 'truncated', 'Context limit reached · /compact or /clear to continue'],
  ['gemini', 'max-turns', 'Turn limit reached.'],
  ['opencode', 'error', 'EDQUOT: disk quota exceeded, write'],
];

test.each([...heard, ...similar])('%s means %s by: %s', (agent, kind, words) => {
  expect(endOf(agent, words)).toMatchObject([{ type: 'failure', kind }]);
});

describe('what is not said by the end of a process', () => {
  test('is a missing key, which Codex tells as an error of the turn', () => {
    const parser = agentNamed('codex').parser({ now: startedAt });
    const message = 'Missing environment variable: `OPENAI_API_KEY`.';
    const line = JSON.stringify({ type: 'turn.failed', error: { message } });
    expect(parser.line(line)).toMatchObject([{ type: 'failure', kind: 'auth', message }]);
  });

  test('is a model that OpenCode does not know: the stream says to look into the log', () => {
    const parser = agentNamed('opencode').parser({ now: startedAt });
    const data = { message: 'Unexpected server error. Check server logs for details.', ref: 'err_1' };
    parser.line(JSON.stringify({ type: 'error', sessionID: 'ses_1', error: { name: 'UnknownError', data } }));
    const log =
      'level=ERROR message="share subscriber failed" cause="Cause(…)"\n' +
      'level=ERROR message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: a/b." cause="…"';
    expect(parser.end({ code: 1, timedOut: false }, log)).toMatchObject([
      { kind: 'model-unknown', message: expect.stringContaining('Model not found: a/b.') },
    ]);
  });
});

describe('a limit', () => {
  function limitOf(resetsAt: number): AgentEvent | undefined {
    const parser = agentNamed('claude').parser({ now: startedAt, timeZone: 'UTC' });
    const info = { status: 'rejected', resetsAt: resetsAt / 1_000, rateLimitType: 'five_hour' };
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 429,
      result: 'Limit.',
    };
    const lines = [{ type: 'rate_limit_event', rate_limit_info: info }, result];
    const events = lines.flatMap((line) => [...parser.line(JSON.stringify(line))]);
    return events.find(({ type }) => type === 'limit');
  }

  test('ends when the stream says so', () => {
    expect(limitOf(startedAt + 3_600_000)).toMatchObject({ until: startedAt + 3_600_000 });
  });

  test('that was over before the agent was started is told by another clock, which is not believed', () => {
    expect(limitOf(startedAt - 3_600_000)).toEqual({ type: 'limit', text: 'Limit.' });
    expect(limitOf(startedAt + 400 * 86_400_000)).toEqual({ type: 'limit', text: 'Limit.' });
  });
});

test('who is told of a failure is told what to do, after the words of the CLI', () => {
  const [failure] = endOf('codex', 'Error: the model `nope` does not exist');
  expect(failure).toMatchObject({
    kind: 'model-unknown',
    message: expect.stringMatching(
      /`nope` does not exist\. Put one that it knows into `model` of the task\.$/,
    ),
  });
});
