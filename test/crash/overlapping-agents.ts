/** Agents that write into the same lines of the same files at once. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newProject, type Project } from '../cli/command-line.ts';
import { startPiton } from '../cli/live-command.ts';
import { fsck, userState } from '../support/git-playground.ts';
import { lostIn } from '../support/repository-remains.ts';
import { played } from '../support/scripted-place.ts';
import {
  agentEnvironment,
  git,
  gitLines,
  makeUserRepository,
  writeWorkflow,
} from '../support/user-repository.ts';

const lines = Array.from({ length: 9 }, (_, index) => `line ${index}\n`).join('');
const files = { 'one.txt': lines, 'two.txt': lines, 'three.txt': lines, 'four.txt': lines };
const names = Object.keys(files);

function nameOf(number: number): string {
  return `agent-${number}`;
}

/** Each writes its name into a line of two files, which others want too, and into a file of its own. */
function partOf(folder: string, index: number): object {
  const name = nameOf(index);
  const into = (file: string, line: number): string => `sed -i '${line}s/.*/line of ${name}/' ${file}`;
  const work = [
    into(names[index % 4]!, 1 + (index % 3) * 4),
    into(names[(index + 1) % 4]!, 1 + (index % 5) * 2),
    `echo ${name} > ${name}.txt`,
    `touch "${folder}/.piton/${name}.ready"`,
  ];
  const solve = "sed -i '/^\\(<<<<<<<\\|=======\\|>>>>>>>\\||||||||\\)/d' one.txt two.txt three.txt four.txt";
  const turns = [
    [{ run: work.join('; ') }, { await: join(folder, '.piton/go') }, { answer: name }],
    [{ run: solve }, { answer: `${name} made it fit` }],
  ];
  return played(turns, index % 2 === 0 ? { 'on-conflict': 'agent' } : {});
}

function inRepository(numbers: readonly number[]): Project {
  const project = newProject();
  makeUserRepository(project.folder, files);
  const tasks = Object.fromEntries(numbers.map((number) => [nameOf(number), partOf(project.folder, number)]));
  writeWorkflow(project.folder, { tasks });
  return project;
}

/** All of them have written before the first is merged. */
async function runTogether(project: Project, agents: readonly string[]): Promise<number | null> {
  const { folder } = project;
  const command = startPiton(project, ['run', 'flow', '--id', 'run'], agentEnvironment);
  const isReady = (name: string): boolean => existsSync(join(folder, '.piton', `${name}.ready`));
  await command.until('all are at work', () => agents.every(isReady));
  writeFileSync(join(folder, '.piton/go'), '');
  return (await command.ended).code;
}

interface Held {
  readonly status: string;
  readonly reason?: string;
  readonly isConflicting?: boolean;
}

async function tasksOf(project: Project): Promise<Readonly<Record<string, Held>>> {
  return project.withStore(async (piton) => (await (await piton.find('run')).checkpoint()).tasks);
}

function isIn({ folder }: Project, commit: string, name: string): boolean {
  const own = gitLines(folder, 'ls-tree', '--name-only', commit).includes(`${name}.txt`);
  const shared = names.flatMap((file) => gitLines(folder, 'show', `${commit}:${file}`));
  return own && shared.filter((line) => line === `line of ${name}`).length === 2;
}

/**
 * What each wrote is in the branch of the run, or in a hold that names the conflict. Gives how many are. The number of an
 * agent says where it writes.
 */
export async function overlap(
  numbers: readonly number[],
): Promise<{ readonly held: number; readonly merged: number }> {
  const agents = numbers.map(nameOf);
  const project = inRepository(numbers);
  const { folder } = project;
  const user = userState(folder);
  expect(await runTogether(project, agents)).toBe(3);

  const tasks = await tasksOf(project);
  const held = agents.filter((name) => tasks[name]!.status === 'held');
  const merged = agents.filter((name) => tasks[name]!.status === 'succeeded');
  expect([...held, ...merged].sort()).toEqual([...agents].sort());
  for (const name of merged) expect([name, isIn(project, 'piton/run', name)]).toEqual([name, true]);
  for (const name of held) {
    expect(tasks[name]).toMatchObject({
      isConflicting: true,
      reason: expect.stringMatching(/(one|two|three|four)\.txt/),
    });
    expect([name, isIn(project, resultOf(project, name), name)]).toEqual([name, true]);
  }
  for (const file of names)
    expect(git(folder, 'show', `piton/run:${file}`)).not.toMatch(/^(<<<<<<<|>>>>>>>)/m);

  expect(fsck(folder)).toBe('');
  expect(lostIn(folder)).toEqual([]);
  expect(userState(folder)).toBe(user);
  expect(await unexplainedIn(project)).toEqual([]);
  return { held: held.length, merged: merged.length };
}

/** The last commit on its branch that holds its own work, without what was laid out on top for a person. */
function resultOf({ folder }: Project, name: string): string {
  const branch = `piton-tasks/run/${name}`;
  return git(folder, 'log', '-1', '--no-merges', '--format=%H', '--grep', `^Piton-Task: ${name}$`, branch);
}

/** Worktrees and folders of which `piton workspace list` says nothing. */
async function unexplainedIn(project: Project): Promise<string[]> {
  const { folder } = project;
  const listed = (await project.json(['workspace', 'list'])) as { path?: string; status: string }[];
  const standing = listed.filter(({ status }) => ['in use', 'ready', 'needs attention'].includes(status));
  const explained = new Set(standing.map(({ path }) => path));
  const there = gitLines(folder, 'worktree', 'list', '--porcelain').flatMap((line) =>
    line.startsWith('worktree ') && line !== `worktree ${folder}` ? [line.slice(9)] : [],
  );
  const places = join(folder, '.piton/worktrees/run');
  const folders = existsSync(places) ? readdirSync(places).map((name) => join(places, name)) : [];
  return [...there, ...folders].filter((path) => !explained.has(path));
}
