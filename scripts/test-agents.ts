/**
 * Tests Piton with the real agent CLIs that are installed, and says which are not. `--install` installs those first;
 * other arguments go to vitest: `npm run test:agents -- --install`, `npm run test:agents -- -t codex`
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { agentsFolder, installedVersion, testedPrograms } from '../test/support/agent-clis.ts';

const given = process.argv.slice(2);
if (given.includes('--install'))
  spawnSync(process.execPath, [join(import.meta.dirname, 'install-agents.ts')], { stdio: 'inherit' });

const there = testedPrograms.filter((cli) => installedVersion(cli) !== undefined);
const missing = testedPrograms.filter((cli) => !there.includes(cli)).map(({ name }) => name);
const status = there.length === 0 ? 1 : test(there.map(({ name }) => name));
for (const name of missing) console.log(`MISSING ${name}: not tested; it is not in ${agentsFolder()}`);
if (missing.length > 0) console.log('To install what is missing: npm run test:agents -- --install');
process.exit(status);

function test(names: readonly string[]): number {
  const { status: exit } = spawnSync(
    'vitest',
    ['run', '--config', 'vitest.agents.config.ts', ...given.filter((word) => word !== '--install')],
    { stdio: 'inherit', env: { ...process.env, PITON_TESTED_AGENTS: names.join(',') } },
  );
  return exit ?? 1;
}
