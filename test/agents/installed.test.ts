import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testedPrograms } from '../support/agent-clis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('where no agent CLI is installed, the tests with real ones name each that is missing, and fail', () => {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'test-agents.ts');
  const env = { ...process.env, PITON_AGENTS: temporaryFolder() };
  const { stdout, status } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
  for (const { name } of testedPrograms) expect(stdout).toContain(`MISSING ${name}: not tested`);
  expect(stdout).toContain('--install');
  expect(status).toBe(1);
});
