/** Removes runs of a folder, and payloads of others, as it is told. */
import { join } from 'node:path';
import { open, type PruneOptions } from '../../../src/index.ts';

const { folder, options } = JSON.parse(process.argv[2]!) as {
  readonly folder: string;
  readonly options: PruneOptions;
};
await using piton = await open({
  store: `sqlite:${join(folder, 'piton.db')}`,
  durability: 'process',
  mirror: join(folder, 'mirror'),
});
const { gone } = await piton.prune(options);
console.log(`gone ${gone.length}`);
