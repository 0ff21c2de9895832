import { journalVersion } from '../model/index.ts';

/** Brings the events of one commit from one version of the journal to the next. Written ones are never changed. */
export type Upcaster = (events: readonly unknown[]) => readonly unknown[];

/** `upcasters[v]` reads what version v wrote. One is added here when a shape changes otherwise than by what is optional. */
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
