/** Decisions that were made on what a run was before somebody else decided about it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Piton } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { edits, projectInRepository } from '../support/git-project.ts';
import { newProject, type Answer, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';
import { lookOnly } from './stale-command.ts';

export interface Scene {
  readonly what: string;
  /** Makes a run that these commands have something to decide about. */
  make(): Promise<Project>;
  /** By name, with the arguments. Those that always hold come last: they may end the run. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** Somebody goes on with the run meanwhile, who answers. */
  readonly isDriven?: boolean;
  /** What holds all the same for whoever comes second: it does no harm, and depends on nothing that was seen. */
  readonly harmless?: readonly string[];
}

/** The lines that tasks have written: each is one execution. */
export function executions({ folder }: Project): string {
  const file = join(folder, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\n', '') : '';
}

/**
 * All commands of a scene have looked at the run; then `first` is called, from look to end, and when that has had its effect, all
 * others go on with what they know. Gives those that were refused.
 */
export async function race(scene: Scene, first: string): Promise<readonly string[]> {
  const refused: string[] = [];
  const project = await scene.make();
  const act = async (): Promise<void> => {
    const names = Object.keys(scene.commands);
    const looking = await Promise.all(
      names.map(async (name) => ({ name, command: await lookOnly(project, scene.commands[name]!) })),
    );
    const winner = await project.piton(scene.commands[first]!);
    expect({ first, ...winner }).not.toMatchObject({ stderr: expect.stringContaining('error:') });
    await atRest(project);
    for (const { name, command } of looking) {
      const before = executions(project);
      const answer = await command.goOn();
      if (isRefused(answer)) refused.push(name);
      await atRest(project);
      expect({ name, ran: executions(project) }).toEqual({ name, ran: before });
    }
  };
  await (scene.isDriven === true ? project.withStore((piton) => driven(piton, act)) : act());
  return refused.filter((name) => scene.harmless?.includes(name) !== true);
}

/** All that must not count any more when another has come first. */
export function deciding({ commands, harmless = [] }: Scene): readonly string[] {
  return Object.keys(commands).filter((name) => !harmless.includes(name));
}

function isRefused(answer: Answer): boolean {
  if (answer.code !== 4) return false;
  // What happened, and what to do next.
  expect(answer.stderr).toMatch(
    /since you looked|already|has ended|not held|waits for no|is skipped|has not failed/,
  );
  expect(answer.stderr).toMatch(/→ .*piton/);
  return true;
}

async function driven(piton: Piton, act: () => Promise<void>): Promise<void> {
  const { definition } = await piton.definitionOf('r');
  await piton.resume(definition, 'r');
  await act();
}

/** Nothing of the run is under way any more. */
async function atRest(project: Project): Promise<void> {
  await project.withStore(async (piton) => {
    const run = await piton.find('r');
    await eventually('nothing is under way', async () => {
      const { tasks } = await run.checkpoint();
      return Object.values(tasks).every(({ status }) => status !== 'running' && status !== 'queued');
    });
  });
}

const failing = `name: flow
tasks:
  a:
    run: echo a >> ran; test -e mended
  b:
    needs: [a]
    run: echo b >> ran
`;

async function brokenRun(): Promise<Project> {
  const project = newProject();
  project.write('.piton/workflows/flow.yaml', failing);
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(1);
  return project;
}

export async function failedRun(): Promise<Project> {
  const project = await brokenRun();
  project.write('mended', '');
  return project;
}

const asking = `name: flow
tasks:
  ship:
    approval: Ship it?
    run: echo s >> ran
  later:
    approval: And that?
    run: echo l >> ran
`;

export async function askingRun(): Promise<Project> {
  const project = newProject();
  project.write('.piton/workflows/flow.yaml', asking);
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  return project;
}

const risky = `name: flow
tasks:
  push:
    on-interrupt: ask
    run: echo p >> ran; test -e mended || kill -9 $PPID
  later:
    approval: And that?
    run: echo l >> ran
`;

/** A run with a task that was interrupted, and may have done its work; it is again, whenever it is tried. */
async function hauntedRun(): Promise<Project> {
  const project = newProject();
  project.write('.piton/workflows/flow.yaml', risky);
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  return project;
}

export async function heldRun(): Promise<Project> {
  const project = await hauntedRun();
  project.write('mended', '');
  return project;
}

/** Two tasks have changed the same line: `two` is held, with both sides in its place. */
export async function conflictingRun(): Promise<Project> {
  const project = projectInRepository();
  const branchMoves = `until git -C '${project.folder}' grep -q mine piton/r -- a.txt; do sleep 0.05; done`;
  writeFlow(project, {
    one: played([edits('a.txt', 'mine\n')]),
    two: played([[{ run: `timeout 60 sh -c "${branchMoves}"` }, ...edits('a.txt', 'yours\n')]]),
  });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  // Nothing is left to be done by hand: what is to become of it is decided.
  writeFileSync(join(project.folder, '.piton/worktrees/r/two/a.txt'), 'ours\n');
  return project;
}

const ofFailure: Omit<Scene, 'what' | 'make'> = {
  commands: {
    retry: ['retry', 'r'],
    'retry a': ['retry', 'r', 'a'],
    'retry --fresh': ['retry', 'r', 'a', '--fresh'],
    skip: ['skip', 'r', 'a'],
    'resume --redo': ['resume', 'r', '--redo', 'a'],
    done: ['done', 'r', 'a', '-m', 'seen'],
  },
};

const ofGate: Omit<Scene, 'what'> = {
  make: askingRun,
  commands: {
    approve: ['approve', 'r', 'ship'],
    reject: ['reject', 'r', 'ship'],
    skip: ['skip', 'r', 'ship'],
    cancel: ['cancel', 'r'],
  },
  harmless: ['cancel'],
};

const ofHold: Omit<Scene, 'what' | 'make'> = {
  commands: {
    retry: ['retry', 'r'],
    'retry push': ['retry', 'r', 'push'],
    skip: ['skip', 'r', 'push'],
    done: ['done', 'r', 'push', '-m', 'seen'],
    cancel: ['cancel', 'r'],
  },
  harmless: ['cancel'],
};

export const scenes: readonly Scene[] = [
  { what: 'a run that has failed', make: failedRun, ...ofFailure },
  { what: 'a run that fails again', make: brokenRun, ...ofFailure },
  { what: 'a question that waits', ...ofGate },
  { what: 'a question that waits in a run that is driven', ...ofGate, isDriven: true },
  { what: 'a task that is held', make: heldRun, ...ofHold },
  { what: 'a task that is held again', make: hauntedRun, ...ofHold },
  { what: 'a task that is held again in a run that is driven', make: hauntedRun, ...ofHold, isDriven: true },
];

const place = (action: string): readonly string[] => ['workspace', action, 'r', 'two'];

export const places: Scene = {
  what: 'a conflict in the place of a task',
  make: conflictingRun,
  commands: {
    retry: ['retry', 'r', 'two'],
    recreate: place('recreate'),
    restore: place('restore'),
    adopt: place('adopt'),
    discard: place('discard'),
    resolve: ['resolve', 'r', 'two', '--done'],
    skip: ['skip', 'r', 'two'],
  },
};
