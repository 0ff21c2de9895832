import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  commandLineOf,
  hasVariable,
  processesSince,
} from '../../base/index.ts';
import { markerOf } from './environment.ts';
import { files, readExit, readOrigin, readWrapper, type ExitRecord, type Origin } from '../layout.ts';
import type { Sighting } from '../order.ts';
import type { StoreKey } from '../store-key.ts';

export interface Place {
  readonly folder: string;
  readonly attempt: string;
  readonly key: StoreKey;
}

export function lookAt(place: Place, process?: ProcessIdentity): Sighting {
  const { folder, attempt } = place;
  if (!existsSync(folder)) return { type: 'absent' };
  const sighting = lookForWrapper(place, process);
  // While its wrapper lives, a record is not its own: that writes it as the last thing it does.
  if (sighting.type === 'alive') return sighting;
  // Whoever is gone now may have gone on until a moment ago: what it wrote is read after its death was seen.
  const exit = readExit(folder, attempt);
  if (exit !== undefined && place.key.isNonceOf(attempt, exit)) {
    return { type: 'exited', exit: { code: exit.code, timedOut: exit.timedOut } };
  }
  if (sighting.type === 'elsewhere') return sighting;
  if (exit !== undefined) return { type: 'vanished', doubt: doubtOf(place, exit) };
  const isBegun = sighting.type === 'vanished' || readWrapper(folder, attempt) !== undefined;
  return isBegun ? { type: 'vanished' } : sighting;
}

function doubtOf({ key }: Place, { nonce }: ExitRecord): string {
  const what = nonce === '' ? 'has no nonce' : 'has a wrong nonce';
  const why = nonce === '' ? 'an earlier version, or somebody else, wrote it' : 'somebody else wrote it';
  return `its exit record ${what}: ${why}, or the key of the store (${key.file() ?? 'none was made'}) is not the one it was started with`;
}

function lookForWrapper(place: Place, process?: ProcessIdentity): Sighting {
  const named = [process, readWrapper(place.folder, place.attempt)].filter((one) => one !== undefined);
  const seen = named.map((one) => ({ one, liveness: livenessOf(one) }));
  const living = seen.find(({ liveness }) => liveness === 'alive' || liveness === 'stopped');
  if (living !== undefined) return { type: 'alive', process: living.one };
  const hidden = seen.find(({ liveness }) => liveness === 'unknown');
  if (hidden !== undefined) return { type: 'elsewhere', host: hidden.one.host };
  // One that has said who it is, and is dead: whoever else carries its marker is what it left behind.
  return readWrapper(place.folder, place.attempt) === undefined
    ? lookForNameless(place)
    : { type: 'vanished' };
}

/** No wrapper that we know by name lives. One that has just made its claim may not yet have written who it is. */
function lookForNameless(place: Place): Sighting {
  const origin = readOrigin(place.folder);
  if (origin === undefined) return { type: 'unclaimed' };
  const here = ownIdentity();
  if (mayHaveLostClaim(place)) {
    return origin.host === here.host ? { type: 'vanished' } : { type: 'elsewhere', host: origin.host };
  }
  if (!isClaimed(place)) return { type: 'unclaimed' };
  if (origin.pidNamespace !== here.pidNamespace) return { type: 'elsewhere', host: origin.host };
  const process = findNameless(place, origin);
  return process === undefined ? { type: 'unclaimed' } : { type: 'alive', process };
}

/** The wrapper cannot sync what it writes: after a power failure a missing claim proves nothing. */
export function mayHaveLostClaim({ folder }: Place): boolean {
  const origin = readOrigin(folder);
  return origin !== undefined && origin.bootId !== ownIdentity().bootId;
}

function isClaimed({ folder }: Place): boolean {
  return existsSync(join(folder, files.claim));
}

function findNameless({ attempt }: Place, origin: Origin): ProcessIdentity | undefined {
  const leaders = processesSince(origin.bornMs).filter(({ pid, group }) => pid === group);
  const found = leaders.find(({ pid }) => isOfAttempt(pid, attempt));
  return found && { ...ownIdentity(), pid: found.pid, startTime: found.startTime };
}

/** By the marker alone, where processes show their environment; elsewhere by the arguments the wrapper was given. */
function isOfAttempt(pid: number, attempt: string): boolean {
  return process.platform === 'linux'
    ? hasVariable(pid, markerOf(attempt))
    : commandLineOf(pid).includes(` ${attempt} `);
}
