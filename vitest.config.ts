import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:agents`
    exclude: ['test/live/**'],
    // Only what hangs is ended: tests wait for events, and on a busy machine these take their time.
    testTimeout: 600_000,
    typecheck: { enabled: false },
    env: {
      // Not into the home of whoever runs the tests.
      PITON_SCRIPTED_HOME: join(tmpdir(), 'piton-scripted-sessions'),
      // Tests start thousands of processes, and compiling the sources would be most of what these do.
      NODE_COMPILE_CACHE: join(tmpdir(), 'piton-compile-cache'),
    },
    pool: 'forks',
    // Most tests wait for processes of their own: one worker would leave a small machine idle.
    maxWorkers: 2,
  },
});
