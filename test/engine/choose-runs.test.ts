import { describe, expect, test } from 'vitest';
import { chooseRuns, type Choices, type PruneLimits } from '../../src/engine/choose-runs.ts';
import type { RunRecord } from '../../src/store/index.ts';

const dayMs = 86_400_000;
const now = 100 * dayMs;

/** `'a1 ship succeeded 10'`: run, workflow, how it ended, and how many days ago. */
function record(text: string): RunRecord {
  const [run = '', workflow = '', status = '', age = ''] = text.split(' ');
  const at = now - Number(age) * dayMs;
  const rest = { workflowHash: 'h', settled: 1, total: 1, seq: 1, hash: 'h', incarnation: 1 };
  return { ...rest, run, workflow, status: status as 'failed', createdAt: at, updatedAt: at };
}

const ended = [
  'a5 ship succeeded 50',
  'a4 ship failed 40',
  'a3 ship succeeded 30',
  'a2 ship succeeded 20',
  'a1 ship failed 10',
  'b1 test cancelled 45',
].map(record);
const sizes = new Map(ended.map(({ run }) => [run, { journal: 10, payloads: 100 }]));
const all: Choices = { ended, needed: new Map(), sizes, gains: new Map(), usedBytes: 660, now };

function chosen(limits: PruneLimits, more: Partial<Choices> = {}): string[] {
  return chooseRuns(limits, { ...all, ...more }).chosen.map(({ record: { run }, what }) =>
    what === 'run' ? run : `${what} of ${run}`,
  );
}

const before = (days: number): number => now - days * dayMs;
const gains = new Map(ended.map(({ run }) => [run, 80]));

const rows: readonly [limits: PruneLimits, gone: string][] = [
  [{}, ''],
  [{ before: before(25) }, 'a5 b1 a4 a3'],
  [{ before: before(1) }, 'a5 b1 a4 a3 a1'],
  [{ keep: 2 }, 'a5 a4 a3'],
  [{ keep: 0 }, 'a5 b1 a4 a3 a1'],
  [{ keep: 2, before: before(35) }, 'a5 a4'],
  [{ keep: 1, workflow: 'test' }, ''],
  [{ keep: 0, workflow: 'test' }, 'b1'],
  [{ keep: 0, status: ['failed'] }, 'a4 a1'],
  [{ maxBytes: 1_000 }, ''],
  [{ maxBytes: 500 }, 'a5 b1'],
  [{ maxBytes: 500, keep: 1 }, 'a5 a4'],
  [{ maxBytes: 0 }, 'a5 b1 a4 a3 a1'],
  [{ maxBytes: 0, keep: 5 }, ''],
  [{ maxBytes: 0, status: ['cancelled'] }, 'b1'],
  [{ runs: ['a2', 'b1'] }, 'b1 a2'],
  [{ runs: ['a2', 'b1'], before: before(30) }, 'b1'],
  [{ payloadsBefore: before(35) }, ''],
];

test.each(rows)('%o: goes %s', (limits, gone) => {
  expect(chosen(limits).join(' ')).toBe(gone);
});

describe('payloads', () => {
  test('go before journals, of the oldest first', () => {
    expect(chosen({ maxBytes: 600 }, { gains })).toEqual(['payloads of a5']);
    expect(chosen({ maxBytes: 200 }, { gains })).toEqual([
      'a5',
      'b1',
      'payloads of a4',
      'payloads of a3',
      'payloads of a1',
    ]);
  });

  test('go by their age, of all but the newest that succeeded', () => {
    expect(chosen({ payloadsBefore: before(1) }, { gains })).toEqual(
      ['a5', 'b1', 'a4', 'a3', 'a1'].map((run) => `payloads of ${run}`),
    );
    expect(chosen({ payloadsBefore: before(15), before: before(42) }, { gains })).toEqual([
      'a5',
      'b1',
      'payloads of a4',
      'payloads of a3',
    ]);
  });

  test('stay where that saves nothing', () => {
    expect(chosen({ payloadsBefore: before(1) }, { gains: new Map([['a4', 1]]) })).toEqual([
      'payloads of a4',
    ]);
  });
});

test('what is needed stays, and everything that stays has a reason', () => {
  const needed = new Map([['a5', 'somebody works on it']]);
  const { kept } = chooseRuns({ before: before(25), status: ['succeeded'] }, { ...all, needed });
  expect(Object.fromEntries(kept.map(({ run, reason }) => [run, reason]))).toEqual({
    a5: 'somebody works on it',
    b1: 'it has cancelled',
    a4: 'it has failed',
    a2: 'it is the newest of ship that succeeded',
    a1: 'it has failed',
  });
});
