import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installInto } from '../scripts/package.ts';
import { interleave, median, type Sample } from './rounds.ts';
import { atMostMs, type Row } from './row.ts';

/** A project that has installed the package as it is published. */
export interface Installed {
  /** Where `import 'piton'` works. */
  readonly folder: string;
  /** The command. */
  readonly binary: string;
}

/** Once for all loads; it goes with this process. */
export function install(): Promise<Installed> {
  return (installing ??= installNow());
}
let installing: Promise<Installed> | undefined;

async function installNow(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'piton-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const place = await installInto(folder);
  writeFileSync(join(folder, 'report.cjs'), report);
  return { folder, binary: join(place, 'bin/piton.js') };
}

/** Milliseconds: since the start of the process, and of processors. Required, since an import of its own would cost. */
const report = `const { writeSync } = require('fs');
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ elapsed: performance.now(), processor: (user + system) / 1000 }));
});`;

export interface Cost {
  readonly elapsed: number;
  readonly processor: number;
}

/** What it costs to start Node with these arguments, to the end of the process. `compiled`: where Node keeps what it compiles. */
export function costOf({ folder }: Installed, args: readonly string[], compiled = 'none'): Cost {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  const { output, status } = spawnSync(process.execPath, ['--require', './report.cjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...inherited, XDG_CACHE_HOME: join(folder, compiled) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${output[2]}`);
  return JSON.parse(output[3]!) as Cost;
}

/** One start is short, and jumps more than a long load. */
const startsPerRound = 3;

interface Starts<Name extends string> {
  readonly rounds: number;
  readonly measures: Readonly<Record<NoInfer<Name> | 'bare', () => number>>;
  readonly rows: Readonly<Record<Name, { readonly load: string; readonly limitMs?: number }>>;
}

/** One row for each, of what it takes above bare Node, which is the floor. */
export async function rowsOfStarts<Name extends string>(starts: Starts<Name>): Promise<Row[]> {
  const { rounds, measures } = starts;
  const samples: readonly Sample<Name | 'bare'>[] = await interleave(rounds * startsPerRound, measures);
  const floor = median(samples.map(({ bare }) => bare));
  return (Object.keys(starts.rows) as Name[]).map((name) => {
    const { load, limitMs } = starts.rows[name];
    const ours = Math.max(0, median(samples.map((sample) => sample[name] - sample.bare)));
    const target = limitMs === undefined ? {} : { target: atMostMs(ours, limitMs) };
    return { load, durability: 'none', unit: 'ms above bare Node', ours, floor, ...target };
  });
}
