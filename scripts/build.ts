/** Builds dist/ from scratch: bundled JavaScript with its source maps, and the declarations of the library. */
import { spawnSync } from 'node:child_process';
import { bundle } from './bundle.ts';

await bundle('dist');
process.exit(spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' }).status ?? 1);
