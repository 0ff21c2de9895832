/** Prints by how many bytes a run of so many tasks has made the heap, or the process, larger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../library.ts';
import { layers, runOnce } from '../workloads.ts';

const [tasks = '1', what = 'heap'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'piton-bench-'));
const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
await runOnce(piton, layers(1, 1));
const before = look();
let grown = 0;
await runOnce(
  piton,
  layers(Number(tasks), 1_000, () => (grown = look() - before)),
);
await piton.close();
rmSync(folder, { recursive: true });
console.log(grown);

function look(): number {
  globalThis.gc!();
  return what === 'heap' ? process.memoryUsage().heapUsed : process.resourceUsage().maxRSS * 1024;
}
