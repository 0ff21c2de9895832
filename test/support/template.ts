/** Folders that many tests begin with are made once, and copied: git would take four processes for each repository. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Goes away with what was built for the tests: see `test/setup/build.ts`. */
const build = process.env['PITON_TEST_BUILD'];

export interface Template {
  /** One for each content. */
  readonly name: string;
  /** Puts a repository into a folder that is empty. */
  make(folder: string): void;
}

/** The repository is as if it had been made in this folder. */
export function copyRepository({ name, make }: Template, folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (build === undefined) return make(folder);
  const made = join(build, 'templates', name);
  if (!existsSync(made)) makeOnce(made, make);
  cpSync(made, folder, { recursive: true, preserveTimestamps: true });
  // To git every file has changed: it would look at them all, and write its index anew in the middle of a test.
  execFileSync('git', ['update-index', '-q', '--refresh'], { cwd: folder });
}

/** By renaming: another worker may be at it at the same time. */
function makeOnce(made: string, make: (folder: string) => void): void {
  mkdirSync(join(made, '..'), { recursive: true });
  const draft = mkdtempSync(`${made}-`);
  make(draft);
  try {
    renameSync(draft, made);
  } catch (cause) {
    if (!existsSync(made)) throw cause;
    rmSync(draft, { recursive: true });
  }
}
