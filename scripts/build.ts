/** Compiles src/ to dist/ (JavaScript and declarations), from scratch. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
process.exit(spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' }).status ?? 1);
