/** Prints by how many bytes a run of so many tasks has made the live heap and the process larger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../library.ts';
import { layers, runOnce } from '../workloads.ts';

const [tasks = '1'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'piton-bench-'));
const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
await runOnce(piton, layers(1, 1));
const before = look();
let grown = { heap: 0, rss: 0 };
await runOnce(
  piton,
  layers(Number(tasks), 1_000, () => {
    const now = look();
    grown = { heap: now.heap - before.heap, rss: now.rss - before.rss };
  }),
);
await piton.close();
rmSync(folder, { recursive: true });
console.log(JSON.stringify(grown));

function look(): { heap: number; rss: number } {
  globalThis.gc!();
  return { heap: process.memoryUsage().heapUsed, rss: process.resourceUsage().maxRSS * 1024 };
}
