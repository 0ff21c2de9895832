import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const isDeep = process.env['PITON_TESTS'] === 'deep';

/** `npm test`; with `PITON_TESTS=deep`, as `npm run test:deep` has it: only the large matrices. */
export default defineConfig({
  test: {
    include: [isDeep ? 'test/**/*.deep.test.ts' : 'test/**/*.test.ts'],
    // `npm run test:agents`; and what a Stryker that was killed has left.
    exclude: ['test/live/**', 'test/mutants/**', ...(isDeep ? [] : ['test/**/*.deep.test.ts'])],
    // Only what hangs is ended: tests wait for events, and on a busy machine these take their time.
    testTimeout: 600_000,
    typecheck: { enabled: false },
    env: {
      // Tests write their projects themselves. What it is like without is for test/security to show.
      PITON_TRUST: '1',
      // Not into the home of whoever runs the tests.
      XDG_STATE_HOME: join(tmpdir(), 'piton-test-state'),
      XDG_CONFIG_HOME: join(tmpdir(), 'piton-test-config'),
      PITON_SCRIPTED_HOME: join(tmpdir(), 'piton-scripted-sessions'),
      // Tests of the sandbox take this away: all others are the same on machines that have one and that have none.
      PITON_BWRAP: '/nowhere/bwrap',
      // Tests start thousands of processes, and compiling the sources would be most of what these do.
      // Not in the temporary folder: others could put there what we would then run.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/piton-compiled'),
    },
    globalSetup: 'test/setup/build.ts',
    setupFiles: [
      'test/setup/kill-guard.ts',
      ...(process.env['PITON_COVERAGE'] === undefined ? [] : ['test/setup/coverage.ts']),
    ],
    // Node reads the sources itself, once for all test files of a worker.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    // Most tests wait for processes of their own: as many workers as cores would leave a small machine idle.
    maxWorkers: 3,
  },
});
