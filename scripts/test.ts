/**
 * Runs the tests, tells where the time went, and ends with one plain line: how many passed and failed. Arguments go to
 * vitest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly duration?: number | null }[];
  }[];
}

const slowestFiles = 15;

const folder = mkdtempSync(join(tmpdir(), 'piton-test-'));
const file = join(folder, 'report.json');
const { status } = spawnSync(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
// Vitest has said what is wrong.
if (!existsSync(file)) process.exit(leave(status ?? 1));
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
for (const line of whereTheTimeWent(report)) console.log(line);
const skipped = report.numPendingTests > 0 ? `, ${report.numPendingTests} skipped` : '';
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped}`);
process.exit(leave(status ?? 1));

function leave(code: number): number {
  rmSync(folder, { recursive: true });
  return code;
}

/** So that it is seen when it grows. */
function whereTheTimeWent({ testResults }: Report): string[] {
  const byFile = testResults.map(({ name, assertionResults }) => ({
    name: relative(process.cwd(), name),
    tests: assertionResults.length,
    seconds: assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000,
  }));
  const byFolder = Map.groupBy(byFile, ({ name }) => name.split('/').slice(0, 2).join('/'));
  const folders = Array.from(byFolder, ([name, files]) => ({
    name,
    tests: total(files.map(({ tests }) => tests)),
    seconds: total(files.map(({ seconds }) => seconds)),
  }));
  return [
    'Where the time went, in seconds (three files run at a time):',
    ...linesOf(folders),
    `The slowest of ${byFile.length} files:`,
    ...linesOf(byFile, slowestFiles),
  ];
}

interface Share {
  readonly name: string;
  readonly tests: number;
  readonly seconds: number;
}

function linesOf(shares: readonly Share[], most = Infinity): string[] {
  return shares
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, most)
    .map(({ name, tests, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${name} (${tests})`);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
