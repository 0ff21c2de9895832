/** For `npm run test:coverage`: what a worker has executed is written down after each of its files. */
import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

// The processes that tests start are not counted.
delete process.env['NODE_V8_COVERAGE'];

afterAll(() => takeCoverage());
