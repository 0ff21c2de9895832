/**
 * Drives the run `run` of `flow.yaml` in a folder with hardly any open file left, and prints what becomes of its first
 * attempt: `task.delayed` or `task.failed`.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadWorkflow, open, workflow } from '../../../src/index.ts';
import { eventually } from '../eventually.ts';

const folder = process.argv[2]!;
const file = join(folder, 'piton.db');
const piton = await open({ store: `sqlite:${file}`, durability: 'process', leaseMs: 300 });
const definition = await loadWorkflow(join(folder, 'flow.yaml'));
await untilLeasesAreRenewed();
piton.observe(({ run, type }) => {
  if (run !== 'run') return;
  if (type === 'attempt.started') closeSync(takeAllFiles());
  else if (type === 'task.delayed' || type === 'task.failed') process.stdout.write(`${type}\n`, leave);
});
await piton.start(definition, { id: 'run', origin: { directory: folder } });

/** The thread that does so opens files when it starts, and gives them back if it cannot: then the command would have one. */
async function untilLeasesAreRenewed(): Promise<void> {
  const waiting = workflow('waiting').task('task', () => new Promise(() => {}));
  await piton.start(waiting, { id: 'waiting' });
  using database = new DatabaseSync(file);
  const expiry = database.prepare('SELECT expires_at FROM leases');
  const first = expiry.get()!['expires_at'];
  await eventually('the lease is renewed', () => expiry.get()!['expires_at'] !== first);
}

/** Enough to write a file, not to start a process. */
function takeAllFiles(): number {
  let last = openSync(folder, 'r');
  try {
    for (;;) last = openSync(folder, 'r');
  } catch {
    return last;
  }
}

function leave(): void {
  process.exit(0);
}
