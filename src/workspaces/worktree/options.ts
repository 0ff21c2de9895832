import type { Filling } from '../contract.ts';
import type { Git } from '../git/index.ts';

export interface WorktreeOptions {
  readonly git: Git;
  /** Where worktrees are made, a folder for each run. */
  readonly folder: string;
  /** Folders that can be made again and need not be kept, by name. */
  readonly caches: readonly string[];
  readonly filling: Filling;
}
