import type { ProcessIdentity } from '../base/index.ts';
import type { Event } from './events.ts';

/**
 * What a reader has to know: every commit carries the version of its writer, and one of a higher version is not read. It is
 * raised, once for each release, when anything changes that is stored: an event, a field, one more of several texts, what one of
 * them means, or a key of a definition (decision 0033). Version 1 had several forms, of which readers left out what they did not know.
 */
export const journalVersion = 2;

/** One durable row of a run's journal: all events of one transition. */
export interface Commit {
  readonly run: string;
  /** 1 for the first. */
  readonly seq: number;
  /** Wall-clock milliseconds. */
  readonly at: number;
  /** Of the lease under which it was written. */
  readonly epoch: number;
  readonly version: number;
  readonly events: readonly Event[];
}

/** A commit as it is stored: `hash` = sha256(previous hash + body), so the stored bytes themselves are what is verified. */
export interface StoredCommit {
  readonly run: string;
  readonly seq: number;
  /** JSON of the commit, with big values replaced by references to blobs. */
  readonly body: string;
  readonly hash: string;
}

/** Who may drive: exactly one process at a time. */
export interface LeaseOwner extends ProcessIdentity {
  /** Random; one per opened store, so that two engines in one process are two owners. */
  readonly instance: string;
}

/** The right to write to a run, or to use something else that only one may use at a time. Only writes that show its token count. */
export interface Lease {
  /** As whoever takes it calls what is leased. */
  readonly name: string;
  readonly owner: LeaseOwner;
  /** +1 at each taking. */
  readonly epoch: number;
  /** Random; every write under the lease shows it. */
  readonly token: string;
  readonly takenAt: number;
  /** When it ends unless it is renewed, for people. */
  readonly expiresAt: number;
  /** By the clock of the store, when it was last looked at. */
  readonly isExpired: boolean;
}
