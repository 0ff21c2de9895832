/** The conformance suite of places: every promise of `PlaceAdapter`, for every adapter. */
import { describe } from 'vitest';
import type { Inabilities, MakeBench, PlaceBench } from './conformance/bench.ts';
import {
  cleanContract,
  lookContract,
  noSaveContract,
  orderContract,
  saveContract,
  slotContract,
} from './conformance/clean.ts';
import { artifactsContract, cachesContract, copiesContract, portsContract } from './conformance/filling.ts';
import { killsContract, lifeContract, replacingContract } from './conformance/life.ts';

export type { Inabilities, PlaceBench } from './conformance/bench.ts';

/** `make` is called in each test, and may use `temporaryFolder`. */
export function describePlaces(
  name: string,
  make: () => PlaceBench | Promise<PlaceBench>,
  cannot: Inabilities = {},
): void {
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
    unless(cannot.kills, () => killsContract(makeBench));
  });
}

function unless(reason: string | undefined, promise: () => void): void {
  if (reason === undefined) promise();
}
