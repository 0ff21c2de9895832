import { describe, expect, test, vi } from 'vitest';
import { stateGraph, workflow, type Definition, type RunResult } from '../../src/index.ts';
import { openPiton } from '../support/open-piton.ts';

async function resultOf(definition: Definition): Promise<RunResult<unknown, unknown>> {
  const piton = await openPiton();
  return (await piton.start(definition as Definition<object>)).result();
}

function payCustomer(): never {
  throw new RangeError('no such account', { cause: new TypeError('the card is null') });
}

/** Deep enough to fill any journal. */
function recurse(depth: number): number {
  if (depth === 0) payCustomer();
  return recurse(depth - 1) + 1;
}

describe('the stack of an error that a function throws', () => {
  const failing: readonly (readonly [string, Definition])[] = [
    ['a task', workflow('w').task('a', () => payCustomer())],
    ['an async task', workflow('w').task('a', async () => payCustomer())],
    ['an item', workflow('w').task('a', { forEach: { in: () => [1] } }, () => payCustomer())],
    [
      'a nested workflow',
      workflow('w').task(
        'a',
        {},
        workflow('c').task('b', () => payCustomer()),
      ),
    ],
    [
      'a condition',
      workflow('w')
        .task('a', () => 1)
        .task('b', { needs: ['a'], if: () => payCustomer() }, () => 1),
    ],
    [
      'the outputs',
      workflow('w')
        .task('a', () => 1)
        .outputs(() => payCustomer()),
    ],
    [
      'a node',
      stateGraph('g')
        .node('a', () => payCustomer())
        .edge('a', 'end'),
    ],
    [
      'an edge',
      stateGraph('g')
        .node('a', () => undefined)
        .edge('a', 'end', () => payCustomer()),
    ],
  ];

  test.each(failing)('is in the result of the run, with its cause: %s', async (_, definition) => {
    const { status, error } = await resultOf(definition);
    expect(status).toBe('failed');
    expect(error!.stack).toMatch(/^RangeError: no such account\n +at payCustomer .*stacks\.test\.ts/);
    expect(error!.stack).toMatch(
      /\nCaused by: TypeError: the card is null\n +at payCustomer .*stacks\.test\.ts/,
    );
    expect(error!.stack).not.toMatch(/src\/(engine|kernel|library|definition)\//);
  });

  test('is bounded, however long the message and deep the recursion', async () => {
    const deep = await resultOf(workflow('w').task('a', () => recurse(500)));
    expect(deep.error!.stack!.split('\n').length).toBeLessThan(30);
    const long = await resultOf(
      workflow('w').task('a', () => {
        throw new Error('x'.repeat(100_000));
      }),
    );
    expect(long.error!.stack!.length).toBeLessThan(5_000);
    const causes = await resultOf(
      workflow('w').task('a', () => {
        const error = new Error('first');
        throw Array.from({ length: 50 }).reduce<Error>((cause) => new Error('next', { cause }), error);
      }),
    );
    expect(causes.error!.stack!.match(/Caused by/g)).toHaveLength(3);
  });

  test('goes in circles no more than its causes do', async () => {
    const { error } = await resultOf(
      workflow('w').task('a', () => {
        const circular: Error = new Error('again');
        circular.cause = circular;
        throw circular;
      }),
    );
    expect(error!.stack).toMatch(/^Error: again\n/);
    expect(error!.stack).not.toContain('Caused by');
  });

  test('is left out where Piton itself refuses what a function gave', async () => {
    const { error } = await resultOf(workflow('w').task('a', (): unknown => new Date()));
    expect(error!.message).toContain('output is a Date');
    expect(error).not.toHaveProperty('stack');
  });

  function refusePayment(): never {
    throw new Error(`401 for Bearer ${process.env['PAYMENT_TOKEN']}`);
  }
  const secrets = { secrets: ['PAYMENT_TOKEN'] };

  test.each<readonly [string, Definition]>([
    ['task', workflow('w').command('unused', secrets, 'true').task('a', refusePayment)],
    [
      'condition',
      workflow('w')
        .command('unused', secrets, 'true')
        .task('a', { if: refusePayment }, () => 1),
    ],
    [
      'list of items',
      workflow('w')
        .command('unused', secrets, 'true')
        .task('a', { forEach: { in: refusePayment } }, () => 1),
    ],
    ['outputs', workflow('w').command('used', secrets, 'true').outputs(refusePayment)],
    ['edge', stateGraph('g').command('used', secrets, 'true').edge('used', 'end', refusePayment)],
  ])('shows no secret, nor does the message: %s', async (_, definition) => {
    vi.stubEnv('PAYMENT_TOKEN', 'correct horse battery');
    try {
      const { error } = await resultOf(definition);
      expect(error!.message).toContain('401 for Bearer ***');
      expect(error!.stack).toContain('401 for Bearer ***');
      expect(JSON.stringify(error)).not.toContain('battery');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
