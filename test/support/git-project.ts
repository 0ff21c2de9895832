/** A project of the command line in a git repository of one commit. */
import { execFileSync } from 'node:child_process';
import { newProject, type Project } from '../cli/command-line.ts';

export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

export function projectInRepository(): Project {
  const project = newProject();
  git(project.folder, 'init', '-q', '-b', 'main');
  project.write('.gitignore', '.piton/\n');
  project.write('a.txt', 'one\n');
  git(project.folder, 'add', '.');
  git(project.folder, 'commit', '-qm', 'first');
  return project;
}

/** Steps of a scripted agent that writes one file. */
export function edits(file: string, text: string): object[] {
  return [{ edit: { file, text } }, { answer: 'done' }];
}
