import { defineConfig } from 'vitest/config';

/** For Stryker: the tests that it runs for each change. `npm run test:mutants -- stryker` says which. */
export default defineConfig({
  test: {
    include: listed('PITON_MUTANT_TESTS'),
    exclude: ['test/**/*.deep.test.ts', ...listed('PITON_MUTANT_OMITTED')],
    // Stryker learns by hooks of each file which tests cover a line: files that share modules have none after the first.
    isolate: true,
    // On a busy machine all take their time; whether a change hangs is Stryker's to say.
    testTimeout: 600_000,
    env: { PITON_PROPERTY_RUNS: '20' },
  },
});

function listed(variable: string): string[] {
  return (process.env[variable] ?? '').split(';').filter((entry) => entry !== '');
}
