import type { RunFilter, RunRecord } from './contract.ts';

type Wanted = Pick<RunFilter, 'group' | 'labels' | 'name'>;

/** Whether runs are chosen by what their operators say of them. */
export function asksForAbout({ group, labels = {}, name }: Wanted): boolean {
  return group !== undefined || name !== undefined || Object.keys(labels).length > 0;
}

/** One implementation for all stores, so that all of them choose the same runs. */
export function isAbout(
  { about = {} }: Pick<RunRecord, 'about'>,
  { group, labels = {}, name }: Wanted,
): boolean {
  if (group !== undefined && about.group !== group) return false;
  if (name !== undefined && about.name?.toLowerCase().includes(name.toLowerCase()) !== true) return false;
  return Object.entries(labels).every(([key, value]) => about.labels?.[key] === value);
}
