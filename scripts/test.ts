/**
 * Runs the tests, tells where the time went, and ends with one plain line: how many passed and failed. Arguments go to
 * vitest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { makeMemoryFolder } from './memory-folder.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly duration?: number | null }[];
  }[];
}

const slowestFiles = 15;
/** Of a few files, vitest has told the times itself. */
const manyFiles = 20;

const args = process.argv.slice(2);
const deep = args.filter((arg) => arg.includes('.deep.'));
if (deep.length > 0 && process.env['PITON_TESTS'] !== 'deep') {
  console.error(`These are deep tests: npm run test:deep -- ${deep.join(' ')}`);
  process.exit(2);
}

const memory = makeMemoryFolder();
const folder = mkdtempSync(join(memory ?? tmpdir(), 'piton-test-'));
const file = join(folder, 'report.json');
const { status } = spawnSync(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...args],
  { stdio: 'inherit', env: { ...process.env, ...(memory !== undefined && { TMPDIR: memory }) } },
);
// Vitest has said what is wrong.
if (!existsSync(file)) process.exit(cleanUp(status ?? 1));
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
if (report.testResults.length >= manyFiles) for (const line of whereTheTimeWent(report)) console.log(line);
for (const line of summaryOf(report)) console.log(line);
process.exit(cleanUp(status ?? 1));

function cleanUp(code: number): number {
  rmSync(memory ?? folder, { recursive: true, force: true });
  return code;
}

/** Failed files first: in a long output nobody finds them above. */
function summaryOf({ testResults, ...report }: Report): string[] {
  const failed = testResults.filter((result) => result.status === 'failed');
  const broken = failed.filter((result) => result.assertionResults.every((test) => test.status !== 'failed'));
  const counts = [
    `${report.numPassedTests} passed`,
    `${report.numFailedTests} failed`,
    ...(report.numPendingTests > 0 ? [`${report.numPendingTests} skipped`] : []),
    ...(broken.length > 0 ? [`${broken.length} of the files could not be run`] : []),
  ];
  return [...failed.map(({ name }) => `FAILED  ${relative(process.cwd(), name)}`), counts.join(', ')];
}

/** So that a slow test is seen in every run. */
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
    'Where the time went: seconds, folder, tests (several files run at a time)',
    ...linesOf(folders),
    `The slowest of ${byFile.length} files`,
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
