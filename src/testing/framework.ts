/** What a suite needs of a test framework. `node:test` and Vitest both have these functions, with these names. */
export interface TestFramework {
  /** Groups the tests that the body registers. */
  describe(name: string, body: () => void): unknown;
  /** Registers a test, which fails if its body throws or rejects. */
  test(name: string, body: () => Promise<void> | void): unknown;
  /** Called before each test of the group. */
  beforeEach(body: () => Promise<void> | void): unknown;
  /** Called after each test of the group, also after one that has failed. */
  afterEach(body: () => Promise<void> | void): unknown;
}
