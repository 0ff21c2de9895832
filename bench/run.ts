/** `npm run bench -- chain runs --quick --json bench/results/today.json` */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { chain } from './loads/chain.ts';
import { commandLine } from './loads/command-line.ts';
import { dag } from './loads/dag.ts';
import { fanOut } from './loads/fan-out.ts';
import { flat } from './loads/flat.ts';
import { gitProcesses } from './loads/git-processes.ts';
import { growing } from './loads/growing.ts';
import { importing } from './loads/import.ts';
import { memory } from './loads/memory.ts';
import { resume } from './loads/resume.ts';
import { runs } from './loads/runs.ts';
import { worktreeTasks } from './loads/worktree-tasks.ts';
import { worktrees } from './loads/worktrees.ts';
import { figure, tableOf, verdictOf, type Row } from './row.ts';
import type { Settings } from './settings.ts';

const loads: Readonly<Record<string, (settings: Settings) => Promise<Row[]> | Row[]>> = {
  chain,
  runs,
  'fan-out': fanOut,
  growing,
  dag,
  flat,
  resume,
  memory,
  import: importing,
  cli: commandLine,
  worktrees,
  'worktree-tasks': worktreeTasks,
  'git-processes': gitProcesses,
};

const usage = `npm run bench -- [load …] [--quick] [--rounds 5] [--scale 1] [--json file]
  loads: ${Object.keys(loads).join(', ')}
  Exits with 1 if a ratio misses its target; targets in milliseconds depend on the machine, and are only reported.`;
const { values, positionals } = readArguments();
const settings: Settings = {
  rounds: values.quick ? 1 : Number(values.rounds),
  scale: Number(values.scale),
};
const wanted = positionals.length > 0 ? positionals : Object.keys(loads);
const unknown = wanted.find((name) => loads[name] === undefined);
if (unknown !== undefined) leave(`There is no load ${unknown}.`);
if (!(settings.rounds >= 1) || !(settings.scale > 0)) leave('--rounds and --scale are numbers.');
const rows: Row[] = [];
for (const name of wanted) {
  process.stderr.write(`${name} …\n`);
  const startedAt = performance.now();
  rows.push(...(await loads[name]!(settings)));
  process.stderr.write(`  took ${figure((performance.now() - startedAt) / 1000)} s\n`);
}
console.log(tableOf(rows));
mkdirSync(dirname(values.json), { recursive: true });
writeFileSync(
  values.json,
  `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model, ...settings, rows }, null, 2)}\n`,
);
const { text, hasFailed } = verdictOf(rows);
console.log(`\n${text}`);
if (hasFailed) process.exitCode = 1;

function readArguments() {
  const options = {
    json: { type: 'string', default: 'bench/results/bench.json' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
  } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return leave((error as Error).message);
  }
}

function leave(why: string): never {
  console.error(`${why}\n${usage}`);
  process.exit(2);
}
