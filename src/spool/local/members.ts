import {
  identityOf,
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  hasVariable,
  ownLine,
  processesSince,
  startedMs,
  type ProcessEntry,
} from '../../base/index.ts';
import { markerOf } from './environment.ts';
import { readOrigin, readWrapper } from '../layout.ts';
import type { Place } from './look.ts';

/** All that can be known of an attempt's processes from outside. */
export interface Family {
  readonly attempt: string;
  readonly bornMs: number;
  /** The wrappers' pids, which are the numbers of their sessions and groups too. */
  readonly wrappers: readonly ProcessIdentity[];
}

/** Undefined if no process of the attempt can be here: not prepared, another boot, another host. */
export function familyOf(place: Place, process?: ProcessIdentity): Family | undefined {
  // Somebody may have deleted the folder while the process lives.
  const origin =
    readOrigin(place.folder) ?? (process && { ...process, bornMs: startedMs(process.startTime) });
  const here = ownIdentity();
  if (origin?.bootId !== here.bootId || origin.pidNamespace !== here.pidNamespace) return undefined;
  const wrappers = [process, readWrapper(place.folder, place.attempt)].filter((one) => one !== undefined);
  return { attempt: place.attempt, bornMs: origin.bornMs, wrappers };
}

/**
 * The living processes of an attempt: whoever carries its marker, is in a session or group of its wrapper, or descends from
 * one of these or of those `known` before; never this process or one above it. One that wiped its environment, left its
 * session and whose parent is gone cannot be told from a stranger, and is not found.
 */
export function findMembers(family: Family, known: readonly ProcessEntry[] = []): ProcessEntry[] {
  const spared = ownLine();
  const candidates = processesSince(family.bornMs).filter(({ pid }) => !spared.has(pid));
  const sessions = new Set(family.wrappers.filter(isStillNumbered).map(({ pid }) => pid));
  const isKnown = (entry: ProcessEntry): boolean =>
    known.some(({ pid, startTime }) => pid === entry.pid && startTime === entry.startTime);
  const marker = markerOf(family.attempt);
  const seeds = candidates.filter(
    (entry) =>
      sessions.has(entry.session) ||
      sessions.has(entry.group) ||
      isKnown(entry) ||
      hasVariable(entry.pid, marker),
  );
  return withDescendants(seeds, candidates);
}

/** A number is not given again while a session or group has it. If another process bears it now, both are gone. */
function isStillNumbered(wrapper: ProcessIdentity): boolean {
  const bearer = identityOf(wrapper.pid);
  return bearer === undefined || bearer.startTime === wrapper.startTime;
}

function withDescendants(
  seeds: readonly ProcessEntry[],
  candidates: readonly ProcessEntry[],
): ProcessEntry[] {
  const children = Map.groupBy(candidates, ({ parent }) => parent);
  const found = new Set(seeds);
  for (const { pid } of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
}

/** Whether a process of it has a session that is not its wrapper's. */
export function hasOwnSessions(family: Family): boolean {
  const own = new Set(family.wrappers.map(({ pid }) => pid));
  return findMembers(family).some(({ session }) => !own.has(session));
}

export function isWrapper(family: Family, { pid, startTime }: ProcessEntry): boolean {
  return family.wrappers.some((wrapper) => wrapper.pid === pid && wrapper.startTime === startTime);
}

export function isLiving({ pid, startTime }: ProcessEntry): boolean {
  return livenessOf({ ...ownIdentity(), pid, startTime }) !== 'dead';
}
