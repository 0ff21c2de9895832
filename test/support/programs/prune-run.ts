/** Removes the run `run` of a folder. */
import { join } from 'node:path';
import { open } from '../../../src/index.ts';

const { folder, isMirrored } = JSON.parse(process.argv[2]!) as {
  readonly folder: string;
  readonly isMirrored: boolean;
};
await using piton = await open({
  store: `sqlite:${join(folder, 'piton.db')}`,
  durability: 'process',
  ...(isMirrored && { mirror: join(folder, 'mirror') }),
});
const { runs } = await piton.prune({ runs: ['run'] });
console.log(`pruned ${runs}`);
