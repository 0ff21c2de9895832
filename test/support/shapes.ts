/** The workflows that the crash suite kills: small, deterministic, and each of another form. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  chain,
  parallel,
  stateGraph,
  workflow,
  type ChainStep,
  type CheckpointOption,
  type Definition,
  type StepContext,
} from '../../src/index.ts';

/** What the tasks of a shape do besides giving back a value. The process that drives the run provides it. */
export interface Hands {
  /** Leaves a trace outside of Piton that the task ran, then may wait. */
  ran(context: StepContext): Promise<void>;
  /** Has the run paused, and resolves when that was accepted. */
  pauseRun(): Promise<void>;
  cancelRun(): Promise<void>;
  /** Resolves when the test opens that gate, rejects when the task is to stop. */
  gate(name: string, signal: AbortSignal): Promise<void>;
}

export interface Shape {
  readonly definition: Definition;
  readonly inputs?: unknown;
}

export type ShapeName = keyof typeof shapes;

/** Long enough to be a wait also on a busy machine: else a retry would begin in the commit of the failure, and places be missing. */
const backoff = { attempts: 3, backoff: 60, factor: 1, jitter: 0 };

export const shapes = {
  chain: ({ ran }: Hands): Shape => ({
    definition: workflow('chain')
      .task('fetch', async (context) => (await ran(context), 'a'))
      .task(
        'build',
        { needs: ['fetch'] },
        async ({ needs, ...context }) => (await ran(context), `${needs.fetch}b`),
      )
      .task(
        'ship',
        { needs: ['build'] },
        async ({ needs, ...context }) => (await ran(context), `${needs.build}c`),
      ),
  }),

  diamond: ({ ran }: Hands): Shape => ({
    definition: workflow('diamond')
      .task('top', async (context) => (await ran(context), 1))
      .task('left', { needs: ['top'] }, async ({ needs, ...context }) => (await ran(context), needs.top + 1))
      .task(
        'right',
        { needs: ['top'] },
        async ({ needs, ...context }) => (await ran(context), needs.top + 10),
      )
      .task('bottom', { needs: ['left', 'right'] }, async ({ needs, ...context }) => {
        await ran(context);
        return needs.left + needs.right;
      }),
  }),

  'wide fan-out': ({ ran }: Hands): Shape => ({
    definition: parallel('fan-out', async (item: number, context) => (await ran(context), item * item)),
    inputs: { items: Array.from({ length: 20 }, (_, index) => index) },
  }),

  'for-each': ({ ran }: Hands): Shape => ({
    definition: workflow<{ parts: string[] }>('for-each')
      .task(
        'parts',
        {
          forEach: { in: ({ inputs }) => inputs.parts, key: (part) => part },
          with: ({ item }) => ({ part: item }),
        },
        workflow<{ part: string }>('part')
          .task('write', async ({ inputs, ...context }) => (await ran(context), inputs.part.toUpperCase()))
          .task('check', { needs: ['write'] }, async ({ needs, ...context }) => {
            await ran(context);
            return needs.write.length;
          }),
      )
      .task('join', { needs: ['parts'] }, async ({ needs, ...context }) => {
        await ran(context);
        return needs.parts.map((part) => part.write).join('+');
      }),
    inputs: { parts: ['api', 'ui', 'docs'] },
  }),

  retry: ({ ran }: Hands): Shape => ({
    definition: workflow('retry')
      .task('flaky', { retry: backoff }, async (context) => {
        await ran(context);
        if (context.attempt <= 2) throw new Error('not yet');
        return 'at last';
      })
      .task('after', { needs: ['flaky'] }, async (context) => (await ran(context), 'done')),
  }),

  skip: ({ ran }: Hands): Shape => ({
    definition: workflow('skip')
      .task('look', async (context) => (await ran(context), { isWanted: false }))
      .task('unwanted', { needs: ['look'], if: ({ needs }) => needs.look.isWanted }, (context) =>
        ran(context),
      )
      .task('after-unwanted', { needs: ['unwanted'] }, (context) => ran(context))
      .task('breaks', { needs: ['look'] }, async (context) => {
        await ran(context);
        throw Object.assign(new Error('broken'), { code: 'BROKEN' });
      })
      .task(
        'rescue',
        { needs: ['breaks'], if: 'failure' },
        async (context) => (await ran(context), 'rescued'),
      )
      .task('clean-up', { needs: ['breaks', 'unwanted'], if: 'always' }, async (context) => {
        await ran(context);
        return 'clean';
      }),
  }),

  cycle: ({ ran }: Hands): Shape => ({
    definition: stateGraph<{ draft: string; rounds: number }>('cycle', { state: { draft: '', rounds: 0 } })
      .node('write', async (state, context) => (await ran(context), { draft: `${state.draft}x` }))
      .node('review', async (state, context) => (await ran(context), { rounds: state.rounds + 1 }))
      .edge('write', 'review')
      .edge('review', 'end', (state) => state.rounds === 3)
      .edge('review', 'write'),
  }),

  'nested chain and parallel': (hands: Hands): Shape => ({
    definition: workflow('nested')
      .task('sums', { with: () => ({ items: [[1, 2], [3]], initial: 0 }) }, chainOfParallel(hands))
      .task(
        'words',
        { needs: ['sums'], with: () => ({ items: [['a', 'b'], ['c']] }) },
        parallelOfChain(hands),
      ),
  }),

  'child workflow': ({ ran }: Hands): Shape => ({
    definition: workflow('parent')
      .task('before', async (context) => (await ran(context), 2))
      .task(
        'child',
        { needs: ['before'], with: ({ needs }) => ({ number: needs.before }) },
        workflow<{ number: number }>('child')
          .task('double', async ({ inputs, ...context }) => (await ran(context), inputs.number * 2))
          .task(
            'again',
            { needs: ['double'] },
            async ({ needs, ...context }) => (await ran(context), needs.double * 2),
          )
          .outputs(({ again }) => ({ again })),
      )
      .task(
        'after',
        { needs: ['child'] },
        async ({ needs, ...context }) => (await ran(context), needs.child.again + 1),
      ),
  }),

  pause: ({ ran, pauseRun }: Hands): Shape => ({
    definition: workflow('pause')
      .task('first', async (context) => (await ran(context), 1))
      .task('middle', { needs: ['first'] }, async ({ needs, ...context }) => {
        await ran(context);
        await pauseRun();
        return needs.first + 1;
      })
      .task(
        'last',
        { needs: ['middle'] },
        async ({ needs, ...context }) => (await ran(context), needs.middle + 1),
      ),
  }),

  /** One that is a task, one that a function asks, and one that nobody answers. */
  questions: ({ ran }: Hands): Shape => ({
    definition: workflow('questions')
      .ask('port', { type: 'integer' }, 'Which port?')
      .task('inside', { needs: ['port'] }, async ({ needs, ask, ...context }) => {
        await ran({ ask, ...context });
        const place = await ask('Where to?', { choices: ['here', 'there'] });
        return `${place}:${needs.port}`;
      })
      .ask('late', { needs: ['inside'], default: 'nobody', deadline: 60 }, 'Who is there?')
      .task(
        'last',
        { needs: ['inside', 'late'] },
        async ({ needs, ...context }) => (await ran(context), `${needs.inside} ${needs.late}`),
      ),
  }),

  cancel: ({ ran, cancelRun }: Hands): Shape => ({
    definition: workflow('cancel')
      .task('first', async (context) => (await ran(context), 1))
      .task('middle', { needs: ['first'] }, async (context) => {
        await ran(context);
        await cancelRun();
        await aborted(context.signal);
        throw new Error('stopped');
      })
      .task('beside', { needs: ['first'] }, async (context) => {
        await ran(context);
        await aborted(context.signal);
        throw new Error('stopped');
      })
      .task('last', { needs: ['middle'] }, async (context) => (await ran(context), 'never')),
  }),

  'checkpoint every 3': (hands: Hands): Shape => ({ definition: steps({ every: 3 }, hands) }),
  'checkpoint manual': (hands: Hands): Shape => ({ definition: steps('manual', hands) }),
  'checkpoint off': (hands: Hands): Shape => ({ definition: steps('off', hands) }),

  /** Functions, commands and a question under each policy. */
  'mixed, every task': (hands: Hands): Shape => ({ definition: mixed('every-task', hands) }),
  'mixed, every 3': (hands: Hands): Shape => ({ definition: mixed({ every: 3 }, hands) }),
  'mixed, every 2ms': (hands: Hands): Shape => ({ definition: mixed({ every: '2ms' }, hands) }),
  'mixed, on gates': (hands: Hands): Shape => ({ definition: mixed('on-gates', hands) }),
  'mixed, manual': (hands: Hands): Shape => ({ definition: mixed('manual', hands) }),
  'mixed, off': (hands: Hands): Shape => ({ definition: mixed('off', hands) }),

  'removed on success': ({ ran }: Hands): Shape => ({
    definition: workflow('removed', { checkpoint: { preserve: 'remove-on-success' } })
      .task('one', async (context) => (await ran(context), 1))
      .command('two', { needs: ['one'] }, 'echo two >> ledger; echo 2'),
  }),

  /** Its first output is too big for the journal, and is dropped when the run has succeeded. */
  'dropped payloads': ({ ran }: Hands): Shape => ({
    definition: workflow('dropped-payloads', { checkpoint: { preserve: false } })
      .task('big', async (context) => (await ran(context), 'x'.repeat(20_000)))
      .task(
        'size',
        { needs: ['big'] },
        async ({ needs, ...context }) => (await ran(context), needs.big.length),
      )
      .outputs(({ size }) => ({ size })),
  }),

  /** So many steps that a snapshot is saved on the way. */
  'more than a thousand steps': ({ ran }: Hands): Shape => ({
    definition: chain<number, number>('long', async ({ result, item }, context) => {
      await ran(context);
      return result + item;
    }),
    inputs: { items: Array.from({ length: 1_020 }, (_, index) => index), initial: 0 },
  }),

  /** Forty tasks of ten milliseconds, four at a time. */
  forty: ({ ran }: Hands): Shape => ({
    definition: parallel('forty', lane(ran), { maxWorkers: 4 }),
    inputs: { items: Array.from({ length: 8 }, (_, index) => `lane-${index}`) },
  }),

  /** Its first task keeps the event loop to itself for a while. */
  blocking: ({ ran }: Hands): Shape => ({
    definition: workflow('blocking')
      .task('blocks', async (context) => {
        await ran(context);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
      })
      .task('after', { needs: ['blocks'] }, (context) => ran(context)),
  }),

  /** Waits at its second task until the gate `second` is opened. */
  gated: ({ ran, gate }: Hands): Shape => ({
    definition: workflow('gated')
      .task('first', async (context) => (await ran(context), 1))
      .task('second', { needs: ['first'] }, async ({ needs, ...context }) => {
        await ran(context);
        await gate('second', context.signal);
        return needs.first + 1;
      })
      .task(
        'third',
        { needs: ['second'] },
        async ({ needs, ...context }) => (await ran(context), needs.second + 1),
      ),
  }),
};

/** Seven tasks, two of them side by side; the fourth asks for a checkpoint. */
function steps(checkpoint: CheckpointOption, { ran }: Hands): Definition {
  return workflow('steps', { checkpoint })
    .task('one', async (context) => (await ran(context), 1))
    .task('two-a', { needs: ['one'] }, async ({ needs, ...context }) => (await ran(context), needs.one + 1))
    .task('two-b', { needs: ['one'] }, async ({ needs, ...context }) => (await ran(context), needs.one + 2))
    .task('three', { needs: ['two-a', 'two-b'] }, async ({ needs, ...context }) => {
      await ran(context);
      await context.checkpoint();
      return needs['two-a'] + needs['two-b'];
    })
    .task(
      'four',
      { needs: ['three'] },
      async ({ needs, ...context }) => (await ran(context), needs.three * 2),
    )
    .task('five', { needs: ['four'] }, async ({ needs, ...context }) => (await ran(context), needs.four * 2))
    .task('six', { needs: ['five'] }, async ({ needs, ...context }) => (await ran(context), needs.five * 2));
}

/** Each command leaves a line in `ledger`. */
function mixed(checkpoint: CheckpointOption, { ran }: Hands): Definition {
  return workflow('mixed', { checkpoint })
    .task('one', async (context) => (await ran(context), 1))
    .task('two', { needs: ['one'] }, async ({ needs, ...context }) => (await ran(context), needs.one + 1))
    .command('three', { needs: ['two'] }, 'echo three >> ledger; echo 3')
    .task('four', { needs: ['three'] }, async ({ needs, ...context }) => {
      await ran(context);
      await context.checkpoint();
      return `${needs.three}4`;
    })
    .ask('five', { needs: ['four'], type: 'integer' }, 'Which port?')
    .task('six', { needs: ['five'] }, async ({ needs, ...context }) => (await ran(context), needs.five + 1))
    .task('seven', { needs: ['six'] }, async ({ needs, ...context }) => (await ran(context), needs.six + 1))
    .command('eight', { needs: ['seven'] }, 'echo eight >> ledger; echo 8')
    .task('nine', { needs: ['eight'] }, async ({ needs, ...context }) => (await ran(context), needs.eight));
}

function chainOfParallel({ ran }: Hands) {
  const squares = parallel('squares', async (item: number, context) => (await ran(context), item * item));
  const step = workflow<ChainStep<number[], number>>('step')
    .task('squares', { with: ({ inputs }) => ({ items: inputs.item }) }, squares)
    .outputs(({ squares: each }, { inputs }) => each.reduce((sum, square) => sum + square, inputs.result));
  return chain<number[], number>('sums', step);
}

function parallelOfChain({ ran }: Hands) {
  const letters = chain<string, string>('letters', async ({ item, result }, context) => {
    await ran(context);
    return result + item;
  });
  const worker = workflow<{ item: string[] }>('worker')
    .task('letters', { with: ({ inputs }) => ({ items: inputs.item, initial: '' }) }, letters)
    .outputs(({ letters: word }) => word);
  return parallel('words', worker);
}

function lane(ran: Hands['ran']) {
  const steps = chain<number, number>('steps', async ({ item, result }, context) => {
    await ran(context);
    await pause(10);
    return result * 10 + item;
  });
  return workflow<{ item: string }>('lane')
    .task('steps', { with: () => ({ items: [1, 2, 3, 4, 5], initial: 0 }) }, steps)
    .outputs(({ steps: result }, { inputs }) => `${inputs.item}: ${result}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
