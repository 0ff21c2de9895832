import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomId } from '../../src/base/index.ts';
import { processesMarked } from '../support/commands.ts';
import type { Defect } from './defect.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What hangs is ended then: a defect may well make a test wait for ever. On a busy machine all take their time. */
const patienceMs = { test: 90_000, defect: 240_000, all: 3_600_000 };

export interface TestRun {
  /** `broken`: no test has failed, they could not even be run. */
  readonly how: 'passed' | 'failed' | 'hung' | 'broken';
  readonly output: string;
}

const passed: TestRun = { how: 'passed', output: '' };

/** Which tests are run. */
export type Choice = Pick<Defect, 'tests' | 'named'>;

/** Not a part of `npm test`. */
export function isDeep(file: string): boolean {
  return file.endsWith('.deep.test.ts');
}

/** A copy of the working tree, as it is, to put defects into. Removed with the process, if not before. */
export class ScratchCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'piton-mutants-'));
  /** Inherited by whatever the tests start: what hangs has started processes that would outlive it. */
  readonly #marker = `PITON_MUTANTS_${randomId()}`;

  constructor() {
    process.once('exit', () => this.remove());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
    const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
    for (const file of files) {
      mkdirSync(join(this.#folder, dirname(file)), { recursive: true });
      cpSync(join(root, file), join(this.#folder, file), { verbatimSymlinks: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** With the defect in place. Undefined: what it replaces is not there once. */
  async runWith(defect: Defect): Promise<TestRun | undefined> {
    const { file, find, replace } = defect;
    const path = join(this.#folder, file);
    const text = readIfThere(path);
    if (text === undefined || text.split(find).length !== 2) return undefined;
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
    try {
      return await this.#run(defect, patienceMs.defect);
    } finally {
      writeFileSync(path, text);
    }
  }

  /** As it is. */
  runUnchanged(choice: Choice): Promise<TestRun> {
    return this.#run(choice, patienceMs.all);
  }

  /** The ordinary tests, and the deep ones if these have passed: vitest knows either the ones or the others. */
  async #run({ tests, named }: Choice, patience: number): Promise<TestRun> {
    const wait = patience === patienceMs.all ? [] : [`--testTimeout=${patienceMs.test}`];
    const options = named === undefined ? wait : [...wait, '-t', named];
    const deep = tests.filter(isDeep);
    const ordinary = tests.filter((file) => !isDeep(file));
    const run = ordinary.length === 0 ? passed : await this.#call([...ordinary, ...options], {}, patience);
    if (deep.length === 0 || run.how !== 'passed') return run;
    return this.#call([...deep, ...options], { PITON_TESTS: 'deep' }, patience);
  }

  async #call(args: readonly string[], more: Record<string, string>, patience: number): Promise<TestRun> {
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const child = spawn(process.execPath, [vitest, 'run', '--bail=1', '--reporter=dot', ...args], {
      cwd: this.#folder,
      env: { ...process.env, ...more, [this.#marker]: '1', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    let isHung = false;
    const timer = setTimeout(() => {
      isHung = true;
      this.#endAll();
    }, patience);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    this.#endAll();
    if (isHung || output.includes('Test timed out in')) return { how: 'hung', output };
    if (code === 0) return { how: 'passed', output };
    return { how: /FAIL .* > /.test(output) ? 'failed' : 'broken', output };
  }

  #endAll(): void {
    for (const pid of processesMarked(this.#marker)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone in the meantime.
      }
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
