/** Runs of the scripted agent in a git repository, with the store beside it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenOptions } from '../../src/index.ts';
import { openPlace, type Place } from './scripted-place.ts';
import { copyRepository } from './template.ts';
import { temporaryFolder } from './temporary-folder.ts';

export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

export interface RepositoryPlace extends Place {
  /** What lies around the repository: the store, the worktrees. */
  readonly root: string;
  readonly repository: string;
}

/** A repository with one commit of `a.txt`; `dist/` is ignored. Piton's own files are beside it. */
export async function openRepository(options: Partial<OpenOptions> = {}): Promise<RepositoryPlace> {
  const root = temporaryFolder();
  const repository = join(root, 'repository');
  copyRepository({ name: 'repository-place', make }, repository);
  const place = await openPlace({ store: `sqlite:${join(root, 'piton.db')}`, ...options }, repository);
  return { ...place, root, repository };
}

function make(repository: string): void {
  git(repository, 'init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(repository, '.git/info/exclude'), 'dist/\n');
  git(repository, 'add', '.');
  git(repository, 'commit', '-qm', 'first');
}

/** All that a person sees of their own checkout. */
export function checkoutOf(repository: string): string {
  return [
    git(repository, 'status', '--porcelain', '--untracked-files=all'),
    git(repository, 'rev-parse', 'HEAD', 'main'),
    git(repository, 'symbolic-ref', 'HEAD'),
    git(repository, 'stash', 'list'),
    readFileSync(join(repository, 'a.txt'), 'utf8'),
  ].join('\n');
}

export const edit = (file: string, text: string): object => ({ edit: { file, text } });
