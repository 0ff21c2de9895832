import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { printedBy } from '../child.ts';
import { builtFolder } from '../library.ts';
import { interleave, medianOf } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import type { Settings } from '../settings.ts';

/** `import 'piton'` in a new process, of the files that are published. */
export async function importing({ rounds }: Settings): Promise<Row[]> {
  const library = pathToFileURL(join(builtFolder, 'index.js')).href;
  const time = `const startedAt = performance.now();
    await import(process.argv[1]);
    console.log(performance.now() - startedAt);`;
  const measure = (module: string) => () =>
    printedBy(['--input-type=module', '--eval', time, module]) as number;
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
