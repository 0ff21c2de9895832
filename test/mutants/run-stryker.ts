import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

interface Part {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Tests of these that take long, or change what belongs to the whole process. */
  readonly omitted?: readonly string[];
}

/** What is tested without any other process, and by what. */
const parts: Readonly<Record<string, Part>> = {
  kernel: {
    mutate: ['src/kernel/**/*.ts'],
    tests: ['test/kernel/**/*.test.ts'],
    // A hundred thousand tasks, and two thousand random lives, for each change.
    omitted: ['test/kernel/cost.test.ts', 'test/kernel/lifecycle.test.ts'],
  },
  definition: {
    mutate: ['src/definition/**/*.ts'],
    tests: ['test/definition/**/*.test.ts'],
    // Both start processes, which takes most of the time.
    omitted: ['test/definition/{loading,shell-text}.test.ts'],
  },
  store: {
    mutate: ['src/store/**/*.ts', '!src/store/**/*-worker.ts'],
    tests: ['test/store/**/*.test.ts'],
    // Starts processes, and acts as another user, which a thread cannot.
    omitted: ['test/store/sqlite-faults.test.ts'],
  },
  views: {
    mutate: [
      'src/interfaces/cli/{conversation,output,progress,graph,usage}/*.ts',
      'src/interfaces/cli/drive/{ending,plan*,read-inputs,selection}.ts',
      '!src/interfaces/cli/progress/live-*.ts',
    ],
    tests: [
      'test/cli/{agent-events,conversation,decisions,endings,watched-events,frame,inputs,markdown,output,place-events,place-preview,times}.test.ts',
      'test/cli/{progress,progress-of-a-run,progress-of-any-run}.test.ts',
      'test/cli/{agent-plans,drawings,logs,reading,usage,workflow-files}.test.ts',
      'test/cli/{frames,plans,streams,terminal-conversation}.test.ts',
    ],
  },
};

/** Messages may be worded differently, and most `?.` are there for the compiler. */
const notMutated = ['StringLiteral', 'Regex', 'OptionalChaining'];

/**
 * Lets Stryker change the sources of these parts, default: all, and runs their tests each time. `share` is which of how
 * many shares of the files (`2/4`). Gives the exit code.
 */
export function runStryker(names: readonly string[], share = '1/1'): number {
  const wanted = names.length === 0 ? Object.keys(parts) : names;
  const unknown = wanted.find((name) => parts[name] === undefined);
  if (unknown !== undefined) {
    console.error(`There is no part ${unknown}; known are ${Object.keys(parts).join(', ')}.`);
    return 2;
  }
  const [which = 1, of = 1] = share.split('/').map(Number);
  if (!(which >= 1 && which <= of)) {
    console.error(`--share is which of how many shares of the files, as in 1/4, not ${share}.`);
    return 2;
  }
  return Math.max(
    ...wanted.map((name) => {
      const files = filesOf(parts[name]!).filter((_, index) => index % of === which - 1);
      return runPart(name, { ...parts[name]!, mutate: files });
    }),
  );
}

function filesOf({ mutate }: Part): string[] {
  const [left, taken] = [true, false].map((isLeft) =>
    mutate.filter((glob) => glob.startsWith('!') === isLeft),
  );
  return globSync(taken!, { cwd: root, exclude: left!.map((glob) => glob.slice(1)) }).toSorted();
}

/** Reports, and what was found the last time, so that the next time only what has changed since is tried. */
function runPart(name: string, { mutate, tests, omitted = [] }: Part): number {
  const folder = resolve(root, 'node_modules/.cache/stryker', name);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'stryker.json');
  writeFileSync(config, JSON.stringify(configFor(folder, mutate)));
  console.log(`${name}: reports are in ${folder}`);
  const file = `test/mutants/${name}.generated.test.ts`;
  writeFileSync(join(root, file), allIn(tests, [...omitted, 'test/**/*.deep.test.ts']));
  try {
    const env = { ...process.env, PITON_MUTANT_TESTS: file };
    return spawnSync('stryker', ['run', config], { cwd: root, stdio: 'inherit', env }).status ?? 1;
  } finally {
    rmSync(join(root, file));
  }
}

/** One file that has them all: loading each by itself would take most of the time. */
function allIn(tests: readonly string[], exclude: readonly string[]): string {
  const files = globSync([...tests], { cwd: root, exclude: [...exclude] }).toSorted();
  return files.map((file) => `import '../../${file}';\n`).join('');
}

function configFor(folder: string, mutate: readonly string[]): object {
  return {
    mutate,
    mutator: { excludedMutations: notMutated },
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutants.config.ts', related: false },
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 5_000,
    incremental: true,
    incrementalFile: join(folder, 'incremental.json'),
    reporters: ['clear-text', 'html', 'json', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    htmlReporter: { fileName: join(folder, 'report.html') },
    jsonReporter: { fileName: join(folder, 'report.json') },
    // Not below node_modules, where Node does not read TypeScript: threads could not be started.
    tempDirName: '.stryker-tmp',
    thresholds: { high: 95, low: 85, break: 85 },
    // Stryker would rewrite both by the compiler API of TypeScript, which 7 does not offer yet.
    disableTypeChecks: false,
    tsconfigFile: 'none',
    ignorePatterns: ['bench'],
  };
}
