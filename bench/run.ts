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
import { sandbox } from './loads/sandbox.ts';
import { views } from './loads/views.ts';
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
  views,
  worktrees,
  'worktree-tasks': worktreeTasks,
  'git-processes': gitProcesses,
  sandbox,
};

const usage = `npm run bench -- [load …] [--quick] [--rounds 5] [--scale 1] [--json file]
  loads: ${Object.keys(loads).join(', ')}
  Exits with 1 if a ratio misses its target; targets in milliseconds depend on the machine, and are only reported.
  --quick: one round without a warm-up, to see that a load works; its figures are noise.
  --scale: larger or smaller loads. Neither checks the targets.`;
const { values, positionals } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const settings: Settings = {
  rounds: values.quick ? 1 : Number(values.rounds),
  scale: Number(values.scale),
  isQuick: values.quick,
};
const wanted = positionals.length > 0 ? positionals : Object.keys(loads);
const unknown = wanted.find((name) => loads[name] === undefined);
if (unknown !== undefined) leave(`There is no load ${unknown}.`);
if (!(settings.rounds >= 1) || !(settings.scale > 0))
  leave('--rounds must be at least 1, and --scale more than 0.');
const rows: Row[] = [];
for (const name of wanted) {
  process.stderr.write(`${name} …\n`);
  const startedAt = performance.now();
  rows.push(...(await loads[name]!(settings)));
  process.stderr.write(`  took ${figure((performance.now() - startedAt) / 1000)} s\n`);
}
console.log(tableOf(rows));
const areChecked = !settings.isQuick && settings.scale === 1;
const json = values.json ?? (areChecked ? 'bench/results/bench.json' : undefined);
if (json !== undefined) {
  mkdirSync(dirname(json), { recursive: true });
  const result = { node: process.version, cpu: cpus()[0]?.model, ...settings, rows };
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\nResults: ${json}`);
}
const { text, hasFailed } = verdictOf(rows);
console.log(areChecked ? `\n${text}` : '\nTargets are not checked with --quick or --scale.');
if (areChecked && hasFailed) process.exitCode = 1;

function readArguments() {
  const options = {
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
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
