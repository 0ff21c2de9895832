import { expect, test } from 'vitest';
import type { Json } from '../../src/base/index.ts';
import { simulate } from '../support/simulate.ts';
import { task, uses, workflow } from '../support/workflows.ts';

const child = workflow([task('step')], {
  name: 'child',
  inputs: {
    ref: { schema: { type: 'string' }, required: true },
    depth: { schema: { type: 'number' }, required: false, default: 3 },
    note: { schema: { type: 'string' }, required: false },
  },
});

function openedWith(given: Json): unknown {
  const simulation = simulate(workflow([task('call', { work: uses(child, given) })]));
  const events = simulation.journal.flatMap((commit) => commit.events);
  return events.find(({ type }) => type === 'scope.opened')?.data;
}

test('a child workflow gets what it is given, and its own defaults for the rest', () => {
  expect(openedWith({ ref: 'main' })).toEqual({ inputs: { ref: 'main', depth: 3 } });
  expect(openedWith({ ref: 'main', depth: 0, note: '' })).toEqual({
    inputs: { ref: 'main', depth: 0, note: '' },
  });
});

test('a child workflow that misses an input, or is given no object, fails and says which', () => {
  for (const [given, message] of [
    [undefined, 'call gives no input ref, which child requires. Add ref to its `with`.'],
    [{ depth: 1 }, 'call gives no input ref, which child requires. Add ref to its `with`.'],
    [['main'], '`with` of call must give an object of inputs.'],
  ] as const) {
    const simulation = simulate(workflow([task('call', { work: uses(child, given as Json) })]));
    expect(simulation.state.tasks.get('call')!.life).toMatchObject({
      status: 'failed',
      failure: { code: 'INPUT_INVALID', message },
    });
    expect(simulation.status).toBe('failed');
  }
});
