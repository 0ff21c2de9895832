import type { Workflow } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { Defaults } from './file-schema.ts';
import type { SharedByProcesses } from './task-keys.ts';

/** What converting a task takes from around it. */
export interface Conversion {
  readonly findings: Finding[];
  readonly defaults: Defaults;
  /** `env`, `secrets`, `inherit-env` and `setup` of the file. */
  readonly shared: SharedByProcesses;
  /** Loop variables with hyphens that expressions see; in the workflow they have `_` instead. */
  readonly variables: ReadonlySet<string>;
  /** Names of functions, if they are known. */
  readonly functions: readonly string[] | undefined;
  /** The workflow in another file; undefined if it cannot be had, which has been reported. */
  use(path: string, at: Path): Workflow | undefined;
  /** The text of another file; undefined as above. */
  readPrompt(path: string, at: Path): string | undefined;
  /** Title and body of a pull request, from another file that is named at `at`; neither of them as above. */
  readTemplate(path: string, at: Path): { readonly title?: string; readonly body?: string };
}
