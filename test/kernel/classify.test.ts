import { describe, expect, test } from 'vitest';
import { classify, taskAt } from '../../src/kernel/index.ts';
import type { ErrorClass, ErrorRule, Failure, Outcome } from '../../src/model/index.ts';
import { simulate } from '../support/simulate.ts';
import { stubEvaluator } from '../support/stub-evaluator.ts';
import { task, tries, workflow } from '../support/workflows.ts';

const { finds } = stubEvaluator();

function failure(given: Partial<Failure>): Failure {
  return { code: 'COMMAND_FAILED', message: 'it went wrong', retryable: true, ...given };
}

describe('what is known in general', () => {
  test.for<[ErrorClass, Partial<Failure>]>([
    ['permanent', { exit: 126 }],
    ['permanent', { exit: 127 }],
    ['permanent', { exit: 64 }],
    ['permanent', { exit: 78 }],
    ['transient', { exit: 75 }],
    ['transient', { exit: 69 }],
    ['unknown', { exit: 1 }],
    ['unknown', { exit: 2, message: 'usage: it [options]' }],
    ['permanent', { code: 'SECRET_MISSING' }],
    ['permanent', { code: 'NOT_SERIALISABLE' }],
    ['permanent', { retryable: false }],
    ['transient', { code: 'ECONNRESET' }],
    ['transient', { code: 'ECONNREFUSED' }],
    ['transient', { code: 'ETIMEDOUT' }],
    ['transient', { message: 'getaddrinfo EAI_AGAIN example.org' }],
    ['transient', { message: 'write EPIPE' }],
    ['transient', { message: 'connect ENETUNREACH 10.0.0.1' }],
    ['transient', { message: 'exit code 1: API rate limit exceeded' }],
    ['transient', { message: 'You are being rate-limited' }],
    ['transient', { message: 'Too Many Requests' }],
    ['transient', { message: 'the service is temporarily unavailable' }],
    ['transient', { message: 'Overloaded' }],
    ['transient', { message: 'the connection timed out' }],
    ['transient', { message: 'request failed with status code 429' }],
    ['transient', { message: 'HTTP/1.1 503 Service Unavailable' }],
    ['transient', { message: 'HTTP 502' }],
    ['transient', { message: 'status: 504' }],
    ['unknown', { message: 'found 429 problems' }],
    ['unknown', { message: 'HTTP 404' }],
    ['unknown', { code: 'TIMEOUT', message: 'it did not end in time: the connection timed out' }],
    ['unknown', { code: 'MYECONNRESETTER' }],
    ['unknown', {}],
  ])('%s: %o', ([expected, given]) => {
    expect(classify(failure(given), [], finds)).toBe(expected);
  });
});

describe('rules of a task', () => {
  const rules: ErrorRule[] = [
    { exit: [3, 4], match: '/busy/', class: 'transient' },
    { exit: [4], class: 'permanent' },
    { match: 'ECONNRESET', class: 'permanent' },
    { match: '/quota/i', class: 'permanent' },
  ];

  test.for<[ErrorClass, Partial<Failure>]>([
    ['transient', { exit: 3, message: 'busy' }],
    ['unknown', { exit: 3 }],
    ['permanent', { exit: 4 }],
    ['transient', { exit: 4, message: 'busy' }],
    ['permanent', { code: 'ECONNRESET' }],
    ['permanent', { message: 'Quota exceeded, too many requests' }],
    ['transient', { message: 'too many requests' }],
  ])('the first that fits in all it says counts: %s for %o', ([expected, given]) => {
    expect(classify(failure(given), rules, finds)).toBe(expected);
  });

  test('a failure that says its class keeps it, unless a rule says otherwise', () => {
    expect(classify(failure({ class: 'transient', exit: 127 }), [], finds)).toBe('transient');
    expect(classify(failure({ class: 'transient', exit: 4 }), rules, finds)).toBe('permanent');
  });
});

function end(given: Partial<Failure>): Outcome {
  return { type: 'failed', failure: failure(given) };
}

describe('a task that failed', () => {
  test('has the class of its failure in the journal', () => {
    const simulation = simulate(workflow([task('a')]));
    simulation.end('a', end({ exit: 75 }));
    expect(simulation.all('attempt.ended')[0]!.data).toEqual({ outcome: 'failed', class: 'transient' });
    expect(simulation.all('task.failed')[0]!.data.failure).toMatchObject({ class: 'transient', exit: 75 });
  });

  test('is not tried again if the failure is permanent, unless `on` names it', () => {
    const errors: ErrorRule[] = [{ exit: [9], class: 'permanent' }];
    const simulation = simulate(
      workflow([
        task('a', { errors, retry: tries(3) }),
        task('b', { errors, retry: tries(3, { on: ['COMMAND_FAILED'] }) }),
      ]),
    );
    simulation.end('a', end({ exit: 9 }));
    simulation.end('b', end({ exit: 9 }));
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'delayed' });
  });

  test('that is delayed says which attempt failed, and how', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(3) })]));
    simulation.end('a', end({ exit: 75 }));
    expect(taskAt(simulation.state, 'a').life).toEqual({
      status: 'delayed',
      until: simulation.now + 1_000,
      reason: 'attempt 1 failed (transient): it went wrong',
      waitsFor: { type: 'time' },
    });
    simulation.wake();
    simulation.end('a', end({}));
    expect(taskAt(simulation.state, 'a').life).toMatchObject({ reason: 'attempt 2 failed: it went wrong' });
  });
});
