/**
 * Runs all tests, the deep ones too, and tells which lines of src/ they have not executed, by folder.
 * `npm run test:coverage -- test/kernel` runs only some; `--lines` also lists the lines. Code that only runs in processes
 * which the tests start is not counted.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Shares of lines. The rest of src/ is reported, but has no target. */
const targets: Readonly<Record<string, number>> = {
  kernel: 0.9,
  engine: 0.9,
  store: 0.9,
  spool: 0.9,
  library: 0.9,
};

if (process.argv.some((arg) => arg === '--help' || arg === '-h')) {
  console.log(
    'npm run test:coverage -- [test file …] [--lines]   --lines lists the lines that no test executes',
  );
  process.exit(0);
}

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
const listsLines = process.argv.includes('--lines');
const args = process.argv.slice(2).filter((arg) => arg !== '--lines');

const reports = mkdtempSync(join(tmpdir(), 'piton-coverage-'));
try {
  const suites = args.length === 0 ? ['', 'deep'] : [process.env['PITON_TESTS'] ?? ''];
  const failed = suites.filter((suite) => !isGreen(suite));
  const files = measure(readReports());
  for (const line of tableOf(files)) console.log(line);
  // A partial run says nothing about all sources.
  const missed = args.length === 0 ? missedTargets(files) : [];
  for (const line of missed) console.log(line);
  process.exitCode = failed.length > 0 || missed.length > 0 ? 1 : 0;
} finally {
  rmSync(reports, { recursive: true });
}

function isGreen(suite: string): boolean {
  const env = { ...process.env, NODE_V8_COVERAGE: reports, PITON_COVERAGE: '1', PITON_TESTS: suite };
  return spawnSync('vitest', ['run', ...args], { cwd: root, env, stdio: 'inherit' }).status === 0;
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** Of each file of src/, the offsets that were executed by anybody. */
function readReports(): Map<string, Uint8Array> {
  const executed = new Map<string, Uint8Array>();
  const prefix = pathToFileURL(source).href;
  for (const name of readdirSync(reports)) {
    const { result } = JSON.parse(readFileSync(join(reports, name), 'utf8')) as { result: Script[] };
    for (const script of result) {
      if (!script.url.startsWith(`${prefix}/`)) continue;
      const file = join(source, script.url.slice(prefix.length + 1));
      executed.set(file, either(executed.get(file), offsetsOf(script)));
    }
  }
  return executed;
}

/** Inner ranges come later, and count instead of outer ones. */
function offsetsOf({ functions }: Script): Uint8Array {
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const offsets = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges)
    offsets.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return offsets;
}

function either(a: Uint8Array | undefined, b: Uint8Array): Uint8Array {
  if (a === undefined) return b;
  for (let offset = 0; offset < a.length; offset++) if (b[offset] === 1) a[offset] = 1;
  return a;
}

interface Measured {
  readonly file: string;
  readonly lines: number;
  readonly uncovered: readonly number[];
}

function measure(executed: ReadonlyMap<string, Uint8Array>): Measured[] {
  return globSync('**/*.ts', { cwd: source })
    .toSorted()
    .filter((name) => args.length === 0 || executed.has(join(source, name)))
    .map((name) => {
      const lines = linesOf(readFileSync(join(source, name), 'utf8'));
      const offsets = executed.get(join(source, name));
      const uncovered = lines.filter(({ start, end }) => !isExecuted(offsets, start, end));
      return { file: name, lines: lines.length, uncovered: uncovered.map(({ number }) => number) };
    });
}

/** The span of code in each line that has any; types and comments are none. */
function linesOf(text: string): { readonly number: number; readonly start: number; readonly end: number }[] {
  let start = 0;
  return stripTypeScriptTypes(text)
    .split('\n')
    .flatMap((line, index) => {
      const from = start + (line.length - line.trimStart().length);
      const to = start + line.trimEnd().length;
      start += line.length + 1;
      const isCode = /\w/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line);
      return isCode ? [{ number: index + 1, start: from, end: to }] : [];
    });
}

function isExecuted(offsets: Uint8Array | undefined, start: number, end: number): boolean {
  return offsets !== undefined && offsets.subarray(start, end).every((flag) => flag === 1);
}

function folderOf({ file }: Measured): string {
  return file.includes('/') ? file.split('/')[0]! : '.';
}

function shareOf(files: readonly Measured[]): number {
  const all = files.reduce((sum, { lines }) => sum + lines, 0);
  const uncovered = files.reduce((sum, file) => sum + file.uncovered.length, 0);
  return all === 0 ? 1 : 1 - uncovered / all;
}

function tableOf(files: readonly Measured[]): string[] {
  const lines: string[] = [];
  for (const [folder, inside] of Map.groupBy(files, folderOf)) {
    lines.push(`${percent(shareOf(inside)).padStart(6)}  src/${folder === '.' ? '*.ts' : folder}`);
    for (const file of inside.filter(({ uncovered }) => uncovered.length > 0)) {
      if (listsLines) lines.push(`          ${file.file}: ${spansOf(file.uncovered).join(', ')}`);
    }
  }
  return [...lines, `${percent(shareOf(files)).padStart(6)}  all of ${relative(root, source)}`];
}

function missedTargets(files: readonly Measured[]): string[] {
  return Object.entries(targets).flatMap(([folder, target]) => {
    const share = shareOf(files.filter((file) => folderOf(file) === folder));
    return share >= target
      ? []
      : [`Missed: src/${folder} has ${percent(share)}, and should have ${percent(target)}`];
  });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function spansOf(numbers: readonly number[]): string[] {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
}
