/** Runs the tests and ends with one plain line: how many passed and failed. Arguments go to vitest. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'piton-test-'));
const report = join(folder, 'report.json');
const { status } = spawnSync(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
const counts = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
rmSync(folder, { recursive: true });
const skipped = counts['numPendingTests'] ? `, ${counts['numPendingTests']} skipped` : '';
console.log(`${counts['numPassedTests']} passed, ${counts['numFailedTests']} failed${skipped}`);
process.exit(status ?? 1);
