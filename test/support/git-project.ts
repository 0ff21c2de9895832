/** A project of the command line in a git repository of one commit. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newProject, type Project } from '../cli/command-line.ts';
import { copyRepository } from './template.ts';

export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

export function projectInRepository(): Project {
  const project = newProject();
  copyRepository({ name: 'git-project', make }, project.folder);
  return project;
}

function make(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, '.gitignore'), '.piton/\n');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
}

/** Steps of a scripted agent that writes one file. */
export function edits(file: string, text: string): object[] {
  return [{ edit: { file, text } }, { answer: 'done' }];
}
