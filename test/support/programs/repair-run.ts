/** Repairs the run `run` of a folder whose commits are mirrored, and prints which tasks are held. */
import { join } from 'node:path';
import { open } from '../../../src/index.ts';

const folder = process.argv[2]!;
await using piton = await open({
  store: `sqlite:${join(folder, 'piton.db')}`,
  durability: 'process',
  mirror: join(folder, 'mirror'),
});
const { held } = await piton.repair('run');
console.log(held.join(' '));
