import { WatchedRun, type RunEvent } from '../../../../library/index.ts';
import { taskNames } from './project.ts';

/** What the journal and the ledger say of the demo's run. */
export interface Findings {
  readonly doneBefore: readonly string[];
  readonly adopted: readonly string[];
  readonly harvested: readonly string[];
  readonly restarted: readonly string[];
  readonly startedAfter: readonly string[];
  /** Tasks that did not do their work exactly once, and how often they did. */
  readonly wrong: readonly string[];
  readonly isSucceeded: boolean;
}

export function findingsOf(events: readonly RunEvent[], ledger: readonly string[]): Findings {
  const view = new WatchedRun(events[0]?.run ?? '');
  let doneBefore: string[] = [];
  for (const event of events) {
    if (event.type === 'lease.taken') doneBefore = settledIn(view);
    view.add(event);
  }
  const { adopted, harvested, restarted } = view.found;
  const known = new Set([...doneBefore, ...adopted, ...harvested, ...restarted]);
  return {
    doneBefore,
    adopted: [...adopted],
    harvested: [...harvested],
    restarted: [...restarted],
    startedAfter: taskNames.filter((name) => !known.has(name)),
    wrong: wrongIn(ledger),
    isSucceeded: view.status === 'succeeded',
  };
}

function settledIn(view: WatchedRun): string[] {
  return [...view.tasks()].filter(({ status }) => status === 'succeeded').map(({ address }) => address);
}

function wrongIn(ledger: readonly string[]): string[] {
  const counts = Map.groupBy(ledger, (name) => name);
  return [...new Set([...taskNames, ...ledger])]
    .map((name) => ({ name, count: counts.get(name)?.length ?? 0 }))
    .filter(({ name, count }) => count !== 1 || !taskNames.includes(name))
    .map(({ name, count }) => `${name} ${count} times`);
}
