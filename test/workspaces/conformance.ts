/** The conformance suite of places: every promise of `PlaceAdapter`, for every adapter. */
import { describe } from 'vitest';
import type { Inabilities, MakeBench, PlaceBench } from './conformance/bench.ts';
import {
  cleanContract,
  furtherCleanContract,
  furtherOrderContract,
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

export type { Inabilities, PlaceBench } from './conformance/bench.ts';

type Make = () => PlaceBench | Promise<PlaceBench>;

/** All promises. `make` is called in each test, and may use `temporaryFolder`. */
export function describePlaces(name: string, make: Make, cannot: Inabilities = {}): void {
  describeMainPromises(name, make, cannot);
  describeFurtherPromises(name, make, cannot);
}

/** One promise of each kind. */
export function describeMainPromises(name: string, make: Make, cannot: Inabilities = {}): void {
  const makeBench: MakeBench = async () => make();
  describe(`${name}, as a kind of places,`, { timeout: 180_000 }, () => {
    lifeContract(makeBench);
    cleanContract(makeBench);
    lookContract(makeBench);
    orderContract(makeBench);
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

/** What is left of them, and a kill after each kind of effect. */
export function describeFurtherPromises(name: string, make: Make, cannot: Inabilities = {}): void {
  const makeBench: MakeBench = async () => make();
  describe(`${name}, as a kind of places,`, { timeout: 180_000 }, () => {
    furtherLifeContract(makeBench);
    furtherCleanContract(makeBench);
    furtherOrderContract(makeBench);
    unless(cannot.replacing, () => furtherReplacingContract(makeBench));
    unless(cannot.copies, () => furtherCopiesContract(makeBench));
    unless(cannot.kills, () => killsContract(makeBench));
  });
}

function unless(reason: string | undefined, promise: () => void): void {
  if (reason === undefined) promise();
}
