import { relative } from 'node:path';
import { askGit } from '../../base/index.ts';

export interface CommittedFile {
  readonly isExecutable: boolean;
  readonly id: string;
}

/** The files that a worktree will hold: those of the commit that a run begins from, whatever is in the checkout. */
export class CommittedFiles {
  readonly #root: string;
  readonly #base: string;
  readonly #known = new Map<string, CommittedFile | undefined>();
  #commit: string | undefined;

  constructor(root: string, base = 'HEAD') {
    this.#root = root;
    this.#base = base;
  }

  /** `path`: absolute, below the root. Undefined: it is not there. */
  find(path: string): CommittedFile | undefined {
    const way = relative(this.#root, path);
    if (!this.#known.has(way)) this.#known.set(way, this.#look(way));
    return this.#known.get(way);
  }

  text(path: string): string | undefined {
    const found = this.find(path);
    return found && askGit(['cat-file', 'blob', found.id], this.#root);
  }

  #look(way: string): CommittedFile | undefined {
    const name = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${this.#base}^{commit}`];
    this.#commit ??= askGit(name, this.#root)?.trim() ?? '';
    const listed = askGit(['ls-tree', '-z', this.#commit, '--', `:(literal)${way}`], this.#root) ?? '';
    const [, mode, id] = /^(\d+) blob ([0-9a-f]+)\t/.exec(listed) ?? [];
    return id === undefined ? undefined : { isExecutable: mode !== '100644', id };
  }
}
