import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * What is measured is what is published: sources would be stripped of their types at every start, of threads too.
 * Built inside the repository, so that the files find their dependencies. Processes started from here use the same.
 */
export const builtFolder: string = (process.env['PITON_BENCH_BUILD'] ??= build());

const { open, stateGraph, workflow } = (await importBuilt('index.js')) as typeof import('../src/index.ts');
const { openSqliteStore } = (await importBuilt(
  'store/sqlite/index.js',
)) as typeof import('../src/store/sqlite/index.ts');
const { systemClock } = (await importBuilt('base/index.js')) as typeof import('../src/base/index.ts');

export { open, openSqliteStore, stateGraph, systemClock, workflow };
export type { Definition, Piton, Store } from '../src/index.ts';

function build(): string {
  const folder = fileURLToPath(new URL(`./results/build-${process.pid}`, import.meta.url));
  const root = fileURLToPath(new URL('..', import.meta.url));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const options = ['-p', 'tsconfig.build.json', '--declaration', 'false', '--outDir', folder];
  execFileSync(join(root, 'node_modules/.bin/tsc'), options, { cwd: root, stdio: 'inherit' });
  return folder;
}

function importBuilt(file: string): Promise<unknown> {
  return import(pathToFileURL(join(builtFolder, file)).href);
}
