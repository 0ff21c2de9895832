import { defineConfig } from 'vitest/config';

/** For Stryker: the file with the tests that it runs for each change. `npm run test:mutants -- stryker` writes it. */
export default defineConfig({
  test: {
    include: [process.env['PITON_MUTANT_TESTS'] ?? ''],
    // On a busy machine all take their time; whether a change hangs is Stryker's to say.
    testTimeout: 600_000,
    env: { PITON_PROPERTY_RUNS: '20' },
  },
});
