/** A small mistake that somebody could make in the sources, and the tests that have to notice it. */
export interface Defect {
  /** What goes wrong for a user. */
  readonly name: string;
  readonly file: string;
  /** Must be there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Files of tests of which at least one has to go red. */
  readonly tests: readonly string[];
  /** Only the tests whose names match: a defect is quicker to try, and is found where it is expected to be. */
  readonly named?: string;
  /** Why no test goes red, if none can. */
  readonly explained?: string;
}
