/** A project in a repository with a run that has ended, for the commands that take its result. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { standInGh, type StandInGh } from '../support/stand-in-gh.ts';
import { copyRepository } from '../support/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newProject, type Answer, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';

export const edits = (file: string, text: string): object[] => [{ edit: { file, text } }, { answer: 'done' }];

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

/** A repository of one commit, with `.piton` ignored. */
export function inRepository(): Project {
  const project = newProject();
  copyRepository({ name: 'delivered', make }, project.folder);
  return project;
}

function make(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'user.name', 'Ada');
  git(folder, 'config', 'user.email', 'ada@example.org');
  writeFileSync(join(folder, '.gitignore'), '.piton/\n');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
}

/** Its run `r1` has added `b.txt`. */
export async function withRun(): Promise<Project> {
  const project = inRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  const { code, stderr } = await project.piton(['run', 'flow', '--id', 'r1']);
  if (code !== 0) throw new Error(`the run failed: ${stderr}`);
  return project;
}

export interface Reviewed extends Project {
  readonly remote: string;
  readonly gh: StandInGh;
  /** Calls `piton` with the stand-in for `gh` on the PATH. */
  call(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Beside a bare remote repository and a stand-in for `gh`. */
export function withRemote(project: Project): Reviewed {
  const folder = temporaryFolder();
  const remote = join(folder, 'remote.git');
  git(folder, 'clone', '-q', '--bare', '--single-branch', '--branch', 'main', project.folder, remote);
  git(project.folder, 'remote', 'add', 'origin', remote);
  const gh = standInGh(folder);
  const path = { PATH: `${gh.bin}${delimiter}${process.env['PATH']}` };
  return {
    ...project,
    remote,
    gh,
    call: (args, env = {}) => project.piton(args, { env: { ...path, ...env } }),
  };
}
