import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/index.ts';
import { TimelineReader, type Timeline } from '../../src/views/index.ts';

type Told = readonly [type: string, data?: object];

/** Each a second after the one before; `attempt.*` are of the attempt `a`. */
function timelineOf(...told: readonly Told[]): Timeline {
  const reader = new TimelineReader();
  for (const [index, [type, data = {}]] of told.entries()) {
    const of = type.startsWith('attempt.') ? { task: 'fix', attempt: 'a' } : {};
    reader.add({ run: 'r', seq: index + 1, at: index * 1_000, type, ...of, data } as unknown as RunEvent);
  }
  return reader.timeline;
}

const taken: Told = ['lease.taken', { epoch: 1, host: 'here', pid: 1 }];
const started: Told = ['attempt.started', { number: 1 }];
const adopted: Told = ['attempt.recovered', { how: 'adopted' }];
const harvested: Told = ['attempt.recovered', { how: 'harvested' }];
const ended = (outcome: string, more: object = {}): Told => ['attempt.ended', { outcome, ...more }];

const fatesOf = ({ drives }: Timeline): string[][] => drives.map(({ left }) => left.map(({ fate }) => fate));
const endsOf = ({ drives }: Timeline): string[] => drives.map(({ end }) => end);

test.each<[string, readonly Told[]]>([
  ['adopted', [adopted, ended('succeeded')]],
  // It was stopped later, by who had adopted it.
  ['adopted', [adopted, ended('interrupted')]],
  ['harvested', [harvested, ended('failed')]],
  // Work that was brought in is found to be there.
  ['harvested', [ended('succeeded')]],
  ['interrupted', [ended('interrupted')]],
  ['interrupted', [harvested, ended('interrupted')]],
  ['interrupted', [ended('cancelled')]],
  ['never-began', [ended('interrupted', { neverBegan: true })]],
  ['unknown', []],
])('what was left under way is %s by what the next driver tells of it: %j', (fate, next) => {
  const timeline = timelineOf(taken, started, taken, ...next);
  expect([fatesOf(timeline), endsOf(timeline)]).toEqual([
    [[fate], []],
    ['died', 'last'],
  ]);
});

test('each driver that leaves an attempt has what became of it after that one', () => {
  const timeline = timelineOf(taken, started, taken, adopted, taken, ended('interrupted'));
  expect(fatesOf(timeline)).toEqual([['adopted'], ['interrupted'], []]);
  expect(endsOf(timeline)).toEqual(['died', 'died', 'last']);
});

test('who comes in between, and does not take up what was left, has not left it', () => {
  const timeline = timelineOf(taken, started, taken, ['workspace.cleaned'], taken, adopted);
  expect([fatesOf(timeline), endsOf(timeline)]).toEqual([
    [['adopted'], [], []],
    ['died', 'let-go', 'last'],
  ]);
});

test('when a run has ended, nobody has to drive it, until tasks of it are done again', () => {
  const timeline = timelineOf(
    taken,
    started,
    ended('failed'),
    ['run.failed'],
    taken,
    ['run.delivered'],
    taken,
    ['tasks.reopened'],
  );
  expect([endsOf(timeline), timeline.gaps]).toEqual([['finished', 'finished', 'last'], []]);
  expect(endsOf(timelineOf(taken, ['run.succeeded']))).toEqual(['finished']);
});

test('nobody has driven a run from the last commit of one driver to the first of the next, whoever repaired it meanwhile', () => {
  const { drives, gaps } = timelineOf(taken, started, ['run.repaired'], taken, taken);
  expect(gaps).toEqual([
    { from: 1_000, to: 3_000 },
    { from: 3_000, to: 4_000 },
  ]);
  expect(drives.map(({ from, to }) => [from, to])).toEqual([
    [0, 1_000],
    [3_000, 3_000],
    [4_000, 4_000],
  ]);
});
