/** A small mistake that somebody could make in the sources, and the tests that have to notice it. */
export interface Defect {
  /** What goes wrong for a user. */
  readonly name: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files, of which at least one must fail. */
  readonly tests: readonly string[];
  /** Run only tests whose name matches this regular expression: quicker, and the right test has to catch it. */
  readonly named?: string;
  /** Why no test can catch it, if so. */
  readonly explained?: string;
}
