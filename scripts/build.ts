/** Builds dist/ from scratch. */
import { join } from 'node:path';
import { buildPackage } from './package.ts';

await buildPackage(join(import.meta.dirname, '..', 'dist'));
