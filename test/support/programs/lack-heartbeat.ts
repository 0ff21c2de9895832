/**
 * Drives a run with no open file left for the thread that renews leases. Prints what is started, why it stalls, and that the
 * first task has ended; gives the files back when it is told to on its standard input, and prints how the run ends.
 */
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { open, workflow } from '../../../src/index.ts';

const folder = process.argv[2]!;
const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, leaseMs: 1_500 });
const stalled = Promise.withResolvers<void>();
piton.observe((seen) => {
  if (seen.type === 'attempt.started') console.log(`started ${seen.task}`);
  if (seen.type === 'task.succeeded' && seen.task === 'first') console.log('first succeeded');
  if (seen.type !== 'run.stalled') return;
  console.log(`stalled: ${seen.reason}`);
  stalled.resolve();
});
const flow = workflow('flow')
  .task('first', () => stalled.promise)
  .task('second', { needs: ['first'] }, () => 2)
  .outputs(({ second }) => second);

// Once, so that whatever is opened at the first use is open.
await (
  await piton.start(
    workflow('before').task('task', () => 1),
    { id: 'before' },
  )
).result();
const taken = takeAllFiles();
const run = await piton.start(flow, { id: 'run' });
await once(process.stdin, 'data');
for (const file of taken) closeSync(file);
console.log(JSON.stringify(await run.result()));
await piton.close();
process.exit(0);

function takeAllFiles(): number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync(folder, 'r'));
  } catch {
    return files;
  }
}
