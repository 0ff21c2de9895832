import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../scripts/bundle.ts';

/**
 * What is measured is what is published: sources would be stripped of their types at every start, of threads too.
 * Processes started from here use the same.
 */
const builtFolder: string = (process.env['PITON_BENCH_BUILD'] ??= await build());

const { open, stateGraph, workflow } = (await importBuilt('index.js')) as typeof import('../src/index.ts');
const { openSqliteStore } = (await importBuilt(
  'store/sqlite/index.js',
)) as typeof import('../src/store/sqlite/index.ts');
const { systemClock } = (await importBuilt('base/index.js')) as typeof import('../src/base/index.ts');

export { open, openSqliteStore, stateGraph, systemClock, workflow };
export type { Definition, Piton, Store } from '../src/index.ts';

async function build(): Promise<string> {
  const folder = join(import.meta.dirname, 'results', `build-${process.pid}`);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const source = join(import.meta.dirname, '..', 'src');
  const inner = ['store/sqlite/index', 'base/index'];
  await bundle(folder, Object.fromEntries(inner.map((name) => [name, join(source, `${name}.ts`)])));
  return folder;
}

function importBuilt(file: string): Promise<unknown> {
  return import(pathToFileURL(join(builtFolder, file)).href);
}
