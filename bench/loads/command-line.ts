import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../library.ts';
import { interleave, medianOf } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { inFolder, type Settings } from '../settings.ts';
import { runOnce, taskChain } from '../workloads.ts';

const binary = fileURLToPath(new URL('../../bin/piton.js', import.meta.url));
const report = `import { writeSync } from 'node:fs';
process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(2, String((user + system) / 1000)); });`;

/** What a call costs a person who waits for it, from the start of the process to its end. Floor: Node doing nothing. */
export function commandLine({ rounds }: Settings): Promise<Row[]> {
  return inFolder(async (folder) => {
    const piton = await open({ store: `sqlite:${join(folder, '.piton/piton.db')}`, durability: 'process' });
    await runOnce(piton, taskChain(40));
    await piton.close();
    const call =
      (...args: string[]) =>
      (): number =>
        processorMs(folder, [binary, ...args]);
    const measurements = {
      version: call('--version'),
      status: call('status'),
      floor: () => processorMs(folder, ['-e', '0']),
    };
    // Once before it counts: what Node has compiled, it keeps.
    for (const measure of Object.values(measurements)) measure();
    const samples = await interleave(rounds, measurements);
    const floor = medianOf(samples, 'floor');
    return [
      rowOf('--version', { ours: medianOf(samples, 'version'), floor, limit: 150 }),
      rowOf('status', { ours: medianOf(samples, 'status'), floor, limit: 250 }),
    ];
  });
}

function rowOf(command: string, { ours, floor, limit }: { ours: number; floor: number; limit: number }): Row {
  const load = `piton ${command}: processor time`;
  return { load, durability: 'none', unit: 'ms', ours, floor, target: atMost(ours, limit, 'ms') };
}

function processorMs(folder: string, args: readonly string[]): number {
  const options = ['--import', `data:text/javascript,${encodeURIComponent(report)}`];
  const { stderr, status } = spawnSync(process.execPath, [...options, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(stderr);
}
