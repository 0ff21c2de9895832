/**
 * Drives the run `run` of `flow.yaml` in a folder with hardly any open file left, and prints what becomes of its first
 * attempt: `task.delayed` or `task.failed`.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { loadWorkflow, open } from '../../../src/index.ts';

const folder = process.argv[2]!;
const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
const definition = await loadWorkflow(join(folder, 'flow.yaml'));
piton.observe(({ type }) => {
  if (type === 'attempt.started') closeSync(takeAllFiles());
  else if (type === 'task.delayed' || type === 'task.failed') process.stdout.write(`${type}\n`, leave);
});
await piton.start(definition, { id: 'run', origin: { directory: folder } });

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
