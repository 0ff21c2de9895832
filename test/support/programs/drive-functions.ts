/** Starts a run of functions in the repository of a fixture that is being made, and drives it: `drive-functions <root> <run>`. */
import { join } from 'node:path';
import { open } from '../../../src/index.ts';
import { functionsIn } from '../interrupted/functions.ts';

const [root, id] = process.argv.slice(2) as [string, string];
await using piton = await open({ store: `sqlite:${join(root, 'repository/.piton/piton.db')}` });
const run = await piton.start(functionsIn(root), { id, origin: { directory: join(root, 'repository') } });
await run.result();
