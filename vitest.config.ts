import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:agents`
    exclude: ['test/live/**'],
    testTimeout: 60_000,
    typecheck: { enabled: false },
    pool: 'forks',
    // Most tests wait for processes of their own: one worker would leave a small machine idle.
    maxWorkers: 2,
  },
});
