/** A repository in which a person is at work while runs go on: all of that has to stay as it is. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyRepository } from './template.ts';

export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return execFileSync('git', [...identity, ...args], options).trim();
}

/** For drivers: agents that commit by themselves have a name. */
export const agentEnvironment = {
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@localhost',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@localhost',
};

/** Lines of what git prints; none if that is nothing. */
export function gitLines(folder: string, ...args: string[]): string[] {
  const text = git(folder, ...args);
  return text === '' ? [] : text.split('\n');
}

type Files = Readonly<Record<string, string>>;

/** Changes that are staged, that are not, and that are stashed, files that git does not know, and a branch of their own. */
export function makeUserRepository(folder: string, files: Files = {}): void {
  const name = `user-repository-${createHash('sha256').update(JSON.stringify(files)).digest('hex')}`;
  copyRepository({ name, make: (draft) => make(draft, files) }, folder);
}

function make(folder: string, files: Files): void {
  git(folder, 'init', '-q', '-b', 'main');
  write(folder, { '.gitignore': 'dist\n', 'a.txt': 'one\n', 'mine.txt': 'mine\n', 'staged.txt': 'before\n' });
  write(folder, files);
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  git(folder, 'branch', 'side');
  appendFileSync(join(folder, '.git/info/exclude'), '.piton/\n.env\n');
  write(folder, { 'mine.txt': 'to be stashed\n' });
  git(folder, 'stash', '-q');
  write(folder, { 'staged.txt': 'staged\n' });
  git(folder, 'add', 'staged.txt');
  write(folder, { 'mine.txt': 'not committed\n', 'untracked.txt': 'untracked\n', '.env': 'KEY=1\n' });
}

export function writeWorkflow(folder: string, workflow: object): void {
  write(folder, { '.piton/workflows/flow.yaml': JSON.stringify({ name: 'flow', ...workflow }) });
}

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
