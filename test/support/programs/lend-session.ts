/** Takes the session of a task, says `lent`, and keeps it until it is killed: `lend-session <folder> <run> <task>`. */
import { join } from 'node:path';
import { open } from '../../../src/index.ts';

const [folder, id, task] = process.argv.slice(2) as [string, string, string];
const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
await (await piton.find(id)).lend(task);
console.log('lent');
setInterval(() => undefined, 1_000_000);
