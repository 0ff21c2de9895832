/**
 * Installs the agent CLIs that the tests talk to, outside of the repository: they are large, some are proprietary, and
 * Piton never depends on them. What is there already stays. `node scripts/install-agents.ts [claude codex …]`
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  agentsFolder,
  installedVersion,
  testedPrograms,
  type TestedProgram,
} from '../test/support/agent-clis.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !testedPrograms.some((cli) => cli.name === name));
if (unknown.length > 0) {
  console.error(
    `unknown: ${unknown.join(', ')}; known are ${testedPrograms.map((cli) => cli.name).join(', ')}`,
  );
  process.exit(2);
}
console.log(`folder: ${agentsFolder()}`);
const chosen = testedPrograms.filter((cli) => wanted.length === 0 || wanted.includes(cli.name));
const results = chosen.map((cli) => report(cli));
process.exit(results.every(Boolean) ? 0 : 1);

function report(cli: TestedProgram): boolean {
  const before = installedVersion(cli);
  const problem = before === cli.version ? undefined : install(cli);
  const after = installedVersion(cli);
  const how = before === after ? 'there' : 'installed';
  if (after === cli.version) console.log(`ok      ${cli.name} ${after} (${how})`);
  else console.log(`FAILED  ${cli.name} ${cli.version}: ${problem ?? `it says it is ${after ?? 'nothing'}`}`);
  return after === cli.version;
}

/** Undefined when all went well. */
function install(cli: TestedProgram): string | undefined {
  const folder = join(agentsFolder(), cli.name);
  mkdirSync(folder, { recursive: true });
  const npm = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--save-exact'];
  const problem = run('npm', [...npm, `${cli.package}@${cli.version}`], folder);
  if (problem !== undefined || installedVersion(cli) === cli.version || cli.setup === undefined)
    return problem;
  // npm may leave out install scripts that nobody approved; these two put the native program in place.
  return run(process.execPath, [cli.setup], dirname(join(folder, 'node_modules', cli.package, cli.setup)));
}

function run(command: string, args: readonly string[], cwd: string): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').slice(-5).join('\n        ');
}
