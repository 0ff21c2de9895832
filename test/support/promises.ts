/** What Piton promises about every run, whatever was killed: each broken promise is named. */
import { isDeepStrictEqual, inspect } from 'node:util';
import type { Execution } from './executions.ts';
import type { Ending, Journalled, Sight } from './sight.ts';

export interface Evidence {
  /** Right after the kill. */
  readonly before: Sight;
  /** When the run had ended. */
  readonly after: Sight;
  readonly ending: Ending;
  /** A run of the same shape that nobody interrupted. */
  readonly untouched: Untouched;
}

/** Names where it was found, and what, unless it is as expected. */
export function unlike(expected: unknown, found: unknown, where: string): string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  return [`${where}: ${inspect(found, { depth: 5 })} instead of ${inspect(expected, { depth: 5 })}`];
}

export interface Untouched {
  readonly sight: Sight;
  readonly ending: Ending;
}

const settling = new Set(['task.succeeded', 'task.failed', 'task.skipped', 'task.cancelled']);

/** With the policy `every-task`. */
export function brokenPromises(evidence: Evidence): string[] {
  const { journal, executed } = evidence.after;
  const traced = new Set(evidence.untouched.sight.executed.map(({ task }) => task));
  return [
    ...brokenByAnyPolicy(evidence),
    ...executed.flatMap((execution) => unlawful(execution, executed, journal)),
    ...journal.filter(({ task }) => traced.has(task!)).flatMap((event) => untraced(event, executed, journal)),
  ];
}

/** Whatever the checkpoint policy: the same end, and nothing that the journal shows as settled is done again. */
export function brokenByAnyPolicy({ before, after, ending, untouched }: Evidence): string[] {
  const settled = new Set(settlements(before.journal));
  const later = after.executed.slice(before.executed.length);
  return [
    ...(isDeepStrictEqual(ending, untouched.ending)
      ? []
      : [`it ended otherwise: ${inspect(ending, { depth: 5 })}`]),
    ...later.filter(({ task }) => settled.has(task)).map(({ task }) => `${task} had settled and ran again`),
    ...repeated(settlements(after.journal)).map((task) => `${task} settled twice`),
  ];
}

function settlements(journal: readonly Journalled[]): string[] {
  return journal.filter(({ type }) => settling.has(type)).map(({ task }) => task!);
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Nothing runs that was not committed before, nothing runs twice under one attempt, and the key stays the same. */
function unlawful(execution: Execution, all: readonly Execution[], journal: readonly Journalled[]): string[] {
  const { task, attempt, key } = execution;
  const started = attemptsOf(task, journal);
  const isKnown = started.some(({ data }) => data['number'] === attempt);
  const isTwice = all.some((other) => other !== execution && isSame(other, execution));
  return [
    ...(isKnown ? [] : [`${task} ran as attempt ${attempt}, of which the journal knows nothing`]),
    ...(isTwice ? [`${task} ran twice as attempt ${attempt}`] : []),
    ...(key === started[0]?.attempt ? [] : [`${task} got another key in attempt ${attempt}`]),
  ];
}

function isSame(one: Execution, other: Execution): boolean {
  return one.task === other.task && one.attempt === other.attempt;
}

function attemptsOf(task: string | undefined, journal: readonly Journalled[]): Journalled[] {
  return journal.filter((event) => event.type === 'attempt.started' && event.task === task);
}

/** What the journal says to have ended by itself did run. */
function untraced(
  event: Journalled,
  executed: readonly Execution[],
  journal: readonly Journalled[],
): string[] {
  if (event.type !== 'attempt.ended' || event.data['outcome'] === 'interrupted') return [];
  const started = attemptsOf(event.task, journal).find(({ attempt }) => attempt === event.attempt);
  const number = started?.data['number'];
  return executed.some(({ task, attempt }) => task === event.task && attempt === number)
    ? []
    : [`${event.task} is said to have ended attempt ${String(number)}, but did not run`];
}
