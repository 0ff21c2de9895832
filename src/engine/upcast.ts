import { journalVersion } from '../model/index.ts';

/** Brings the events of one commit from one version of the journal to the next. Written ones are never changed. */
export type Upcaster = (events: readonly unknown[]) => readonly unknown[];

/** `upcasters[v]` reads what version v wrote. A change of an event's shape raises `journalVersion` and adds one here. */
const upcasters: Readonly<Record<number, Upcaster>> = {};

export function upcast(
  events: readonly unknown[],
  version: number,
  steps: Readonly<Record<number, Upcaster>> = upcasters,
): readonly unknown[] {
  let current = events;
  for (let from = version; from < journalVersion; from++) current = steps[from]?.(current) ?? current;
  return current;
}
