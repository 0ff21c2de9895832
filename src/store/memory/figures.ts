import type { StoreFigures } from '../contract.ts';
import type { Medium } from './medium.ts';

export function figuresOf({ runs, blobs }: Medium): StoreFigures {
  const all = [...runs.values()];
  const counts = Map.groupBy(all, ({ record }) => record.status);
  const times = all.map(({ record }) => record);
  return {
    runs: Object.fromEntries([...counts].map(([status, found]) => [status, found.length])),
    commits: sum(all.map(({ commits }) => commits.length)),
    blobs: blobs.size,
    snapshots: sum(all.map(({ snapshots }) => snapshots.length)),
    quarantined: sum(all.map(({ quarantined }) => quarantined.length)),
    ...(all.length > 0 && {
      oldestAt: Math.min(...times.map(({ createdAt }) => createdAt)),
      newestAt: Math.max(...times.map(({ updatedAt }) => updatedAt)),
    }),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
