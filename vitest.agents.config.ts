import { defineConfig } from 'vitest/config';

/** What talks to the real agent CLIs: slow, and only where they are installed. `npm run test:agents` */
export default defineConfig({
  test: {
    include: ['test/live/**/*.test.ts'],
    testTimeout: 180_000,
    typecheck: { enabled: false },
    pool: 'forks',
    maxWorkers: 2,
  },
});
