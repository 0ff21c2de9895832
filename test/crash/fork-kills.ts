/** Whoever forks a run is killed at every step of that: there is a whole fork, or none, and the other run is as it was. */
import { expect } from 'vitest';
import type { Project } from '../cli/command-line.ts';
import { git, inRepository } from '../cli/delivered.ts';
import { startPiton } from '../cli/live-command.ts';
import { played, writeFlow } from '../cli/played.ts';

export async function killedAt(project: Project, point: string, args: readonly string[]): Promise<void> {
  const { signal, stderr } = await startPiton(project, args, { PITON_CRASH_AT: point }).ended;
  expect([signal, stderr]).toEqual(['SIGKILL', expect.anything()]);
}

export async function runsIn(project: Project): Promise<readonly string[]> {
  return ((await project.json(['list'])) as { run: string }[]).map(({ run }) => run);
}

/** At each: whether the fork is there afterwards. */
export type ForkKill = readonly [point: string, isThere: boolean];

export const someKills: readonly ForkKill[] = [
  ['before:git.ref-moved#1', false],
  ['before:run.forked#1', false],
  ['after:run.forked#1', true],
];

export const otherKills: readonly ForkKill[] = [
  ['before:fork.kept#1', false],
  ['after:git.ref-moved#1', false],
  ['after:fork.kept#1', false],
  // The first one is the lease of its id.
  ['store:after-commit#1', false],
  ['store:before-commit#2', false],
  ['store:after-commit#2', true],
  ['after:lease.taken#1', true],
  ['after:attempt.spawned#1', true],
];

/** What is not as it should be after that, in words. */
export async function harmOfKill([point, isThere]: ForkKill): Promise<string[]> {
  const project = inRepository();
  writeFlow(project, {
    first: played([[{ edit: { file: 'one.txt', text: 'one\n' } }, { answer: 'done' }]]),
    second: played([[{ edit: { file: 'two.txt', text: 'two\n' } }, { answer: 'done' }]], {
      needs: ['first'],
    }),
  });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  const before = await project.json(['history', 'v1']);
  await killedAt(project, point, ['fork', 'v1@before:second']);

  const wrong: string[] = [];
  const look = (what: string, holds: boolean): void => void (holds || wrong.push(what));
  const isSound = async (): Promise<boolean> => (await project.piton(['verify'])).code === 0;
  const runs = (await runsIn(project)).join(' ');
  look(`there are ${runs}`, runs === (isThere ? 'v1-2 v1' : 'v1'));
  look('it is not sound', await isSound());
  const again = isThere ? ['resume', 'v1-2'] : ['fork', 'v1@before:second'];
  look('it does not go on', (await project.piton(again)).code === 0);
  look('there is another run', (await runsIn(project)).join(' ') === 'v1-2 v1');
  look('a file is missing', git(project.folder, 'show', 'piton/v1-2:two.txt') === 'two');
  const isSame = JSON.stringify(await project.json(['history', 'v1'])) === JSON.stringify(before);
  look('the other run has changed', isSame);
  look('it is not sound in the end', await isSound());
  return wrong;
}
