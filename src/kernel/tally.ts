/** What is counted of a task from its beginning on: it starts anew when the task is begun from scratch. */
export interface Tally {
  /** Those that count as tries. */
  readonly failures: number;
  /** Those of the network in a row, and when they began; they are not among the others. */
  readonly networkFailures?: { readonly count: number; readonly since: number };
  /** Interruptions in a row without any task of the run settling in between. */
  readonly interruptions: number;
  readonly settledAtInterruption: number;
  /** How the last failure looked, and how often in a row. */
  readonly sameness?: { readonly key: string; readonly times: number };
  /** How often it has revised its work for the check since it last failed. */
  readonly revisions: number;
  /** How often it has been revised because of conflicts. */
  readonly conflicts: number;
  /** With so many others at most it is merged at once; absent: with as many as there are. */
  readonly mergesWith?: number;
}

/** Shared by all that have not begun: a tally is replaced, never changed. */
export const newTally: Tally = Object.freeze({
  failures: 0,
  interruptions: 0,
  settledAtInterruption: -1,
  revisions: 0,
  conflicts: 0,
});
