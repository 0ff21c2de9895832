/** The conformance suite of places: every promise of `PlaceAdapter`, for every adapter. */
import { describe } from 'vitest';
import type { Inabilities, MakeBench, PlaceBench } from './conformance/bench.ts';
import {
  cleanContract,
  furtherCleanContract,
  lookContract,
  noSaveContract,
  orderContract,
  saveContract,
  slotContract,
} from './conformance/clean.ts';
import {
  artifactsContract,
  cachesContract,
  copiesContract,
  furtherCopiesContract,
  portsContract,
} from './conformance/filling.ts';
import {
  furtherLifeContract,
  furtherReplacingContract,
  killsContract,
  lifeContract,
  replacingContract,
} from './conformance/life.ts';

export type { Inabilities } from './conformance/bench.ts';

type Make = () => PlaceBench | Promise<PlaceBench>;

/** All promises. `make` is called in each test, and may use `temporaryFolder`. */
export function describePlaces(name: string, make: Make, cannot: Inabilities = {}): void {
  describeMainPromises(name, make, cannot);
  describeFurtherPromises(name, make, cannot);
}

/** Being made, found, saved, looked at, filled and cleaned. */
export function describeMainPromises(name: string, make: Make, cannot: Inabilities = {}): void {
  const makeBench: MakeBench = async () => make();
  describe(`${name}, as a kind of places,`, { timeout: 180_000 }, () => {
    lifeContract(makeBench);
    cleanContract(makeBench);
    lookContract(makeBench);
    if (cannot.save === undefined) saveContract(makeBench);
    else noSaveContract(makeBench, cannot.save);
    unless(cannot.replacing, () => replacingContract(makeBench));
    unless(cannot.slots, () => slotContract(makeBench));
    unless(cannot.copies, () => copiesContract(makeBench));
    unless(cannot.caches, () => cachesContract(makeBench));
    unless(cannot.artifacts, () => artifactsContract(makeBench));
    unless(cannot.ports, () => portsContract(makeBench));
  });
}

/** The others: other names, policies, what a person wants, and a kill after each kind of effect. */
export function describeFurtherPromises(name: string, make: Make, cannot: Inabilities = {}): void {
  const makeBench: MakeBench = async () => make();
  describe(`${name}, as a kind of places,`, { timeout: 180_000 }, () => {
    furtherLifeContract(makeBench);
    furtherCleanContract(makeBench);
    orderContract(makeBench);
    unless(cannot.replacing, () => furtherReplacingContract(makeBench));
    unless(cannot.copies, () => furtherCopiesContract(makeBench));
    unless(cannot.kills, () => killsContract(makeBench));
  });
}

function unless(reason: string | undefined, promise: () => void): void {
  if (reason === undefined) promise();
}
