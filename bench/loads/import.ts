import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { numberFrom } from '../child.ts';
import { interleave, medianOf } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import type { Settings } from '../settings.ts';

/** Inside the repository, so that the built files find their dependencies. */
const built = fileURLToPath(new URL('../results/build/', import.meta.url));

/** `import 'piton'` in a new process, of the files that are published. */
export async function importing({ rounds }: Settings): Promise<Row[]> {
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--declaration', 'false', '--outDir', built]);
  const library = pathToFileURL(`${built}index.js`).href;
  const time = `const startedAt = performance.now();
    await import(process.argv[1]);
    console.log(performance.now() - startedAt);`;
  const measure = (module: string) => () => numberFrom(['--input-type=module', '--eval', time, module]);
  const samples = await interleave(rounds, { ours: measure(library), floor: measure('node:sqlite') });
  const ours = medianOf(samples, 'ours');
  return [
    {
      load: 'import (floor: node:sqlite alone)',
      durability: 'none',
      unit: 'ms',
      ours,
      floor: medianOf(samples, 'floor'),
      target: atMost(ours, 80, 'ms'),
    },
  ];
}
