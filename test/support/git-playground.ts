/** A repository of a user, with real git, to let the git layer loose on. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  Git,
  taskBranch,
  type GitOptions,
  type RepositoryPlace,
  type WorktreeOrder,
} from '../../src/workspaces/git/index.ts';
import { plainEnvironment } from './git-orders.ts';
import { copyRepository, type Template } from './template.ts';
import { temporaryFolder } from './temporary-folder.ts';

const user = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '@1700000000 +0000',
  GIT_COMMITTER_DATE: '@1700000000 +0000',
};

/** Git as a user or an agent calls it. */
export function shell(cwd: string, ...args: string[]): string {
  const env = plainEnvironment({ ...user, GIT_EDITOR: 'false' });
  return execFileSync('git', args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export function commit(folder: string, files: Readonly<Record<string, string>>, message = 'work'): string {
  write(folder, files);
  shell(folder, 'add', '--all', '--force');
  shell(folder, 'commit', '--quiet', '--allow-empty', '-m', message);
  return shell(folder, 'rev-parse', 'HEAD');
}

export interface Playground {
  readonly folder: string;
  /** The user's checkout. */
  readonly root: string;
  readonly repository: RepositoryPlace;
  readonly base: string;
  readonly git: Git;
  order(task?: string, more?: Partial<WorktreeOrder>): WorktreeOrder;
}

export const firstFiles = {
  'README.md': 'Hello\n',
  'src/a.txt': 'one\ntwo\nthree\n',
  'src/b.txt': 'b\n',
  '.gitignore': 'dist/\nnode_modules/\n*.log\n',
};

/** What is in the repository at first. */
const first: Template = { name: 'playground', make: makeFirst };

/** A repository with more in it than others have at first. */
export function furtherTemplate(name: string, make: (root: string) => void): Template {
  return {
    name,
    make: (root) => {
      makeFirst(root);
      make(root);
    },
  };
}

export function playground(name = 'repo', template = first): Playground {
  const folder = realpathSync(temporaryFolder());
  const root = join(folder, name);
  copyRepository(template, root);
  const base = readFileSync(join(root, '.git/refs/heads/main'), 'utf8').trim();
  const repository = { commonDir: join(root, '.git') };
  return {
    folder,
    root,
    repository,
    base,
    git: testGit(),
    order: (task = 'build', more = {}) => ({
      repository,
      path: join(folder, 'worktrees', task),
      branch: taskBranch('run-1', task),
      base,
      run: 'run-1',
      task,
      token: 'token-1',
      ...more,
    }),
  };
}

function makeFirst(root: string): void {
  shell(root, 'init', '--quiet', '--initial-branch=main');
  commit(root, firstFiles, 'first');
}

export function testGit(more: Partial<GitOptions> = {}): Git {
  return new Git({ environment: plainEnvironment(), durability: 'process', staleLockMs: 50, ...more });
}

/** Every file below a folder, with its content and mode, as one text: two are equal if nothing has changed. */
export function fingerprint(folder: string, isLeftOut: (path: string) => boolean = () => false): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const name = relative(folder, path);
    if (name !== '' && isLeftOut(name)) return;
    const found = lstatSync(path);
    lines.push(`${name} ${found.mode.toString(8)} ${contentOf(path)}`);
    if (found.isDirectory()) for (const entry of readdirSync(path).sort()) visit(join(path, entry));
  };
  visit(folder);
  return lines.join('\n');
}

function contentOf(path: string): string {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return readlinkSync(path);
  return found.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
}

/** What is the user's own: the checkout, and in `.git` the index, HEAD, branches, stash, configuration and hooks. */
export function userState(root: string): string {
  const own =
    /^(objects|worktrees|refs\/piton|refs\/heads\/piton|logs\/refs\/heads\/piton|logs\/refs\/piton)/;
  return [
    fingerprint(root, (path) => path === '.git' || path === '.piton'),
    fingerprint(join(root, '.git'), (path) => own.test(path)),
  ].join('\n');
}

const own = ['refs/heads/piton', 'refs/heads/piton-tasks', 'refs/piton'];

/** All refs of Piton's, and what they hold. */
export function ownRefs(root: string): string {
  return shell(root, 'for-each-ref', '--format=%(refname) %(objectname)', ...own);
}

export function fsck(root: string): string {
  return shell(root, 'fsck', '--strict', '--no-dangling', '--no-progress');
}

export function treeOf(root: string, commitish: string): Record<string, string> {
  const names = shell(root, 'ls-tree', '-r', '-z', '--name-only', commitish).split('\0').filter(Boolean);
  return Object.fromEntries(
    names.map((name) => [name, shell(root, 'cat-file', '-p', `${commitish}:${name}`)]),
  );
}

/** An environment whose `git` is a shell script, which finds the real one in `$GIT`. */
export function gitBehind(
  script: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const folder = temporaryFolder();
  const file = join(folder, 'git');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(file, `#!/bin/sh\nGIT='${real}'\n${script}\n`);
  chmodSync(file, 0o755);
  return plainEnvironment({ PATH: `${folder}:${process.env['PATH']}`, ...more });
}
