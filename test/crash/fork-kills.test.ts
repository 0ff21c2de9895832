import { expect, test } from 'vitest';
import { newProject } from '../cli/command-line.ts';
import { ledgerOf, writeTraced } from '../cli/live-command.ts';
import { harmOfKill, killedAt, runsIn, someKills } from './fork-kills.ts';

test.for(someKills)('whoever forks a run is killed at %s: there is a whole fork, or none', async (kill) => {
  expect(await harmOfKill(kill)).toEqual([]);
});

test.each([
  ['before:run.paused#1', 'held', []],
  ['after:run.paused#1', 'paused', []],
  ['after:run.forked#1', 'paused', ['v1-2']],
] as const)(
  'a run that a fork was to take the place of, killed at %s, is never gone on with twice',
  async (point, status, forks) => {
    const project = newProject();
    writeTraced(project, { build: {}, ask: { needs: ['build'], approval: 'Sure?' } });
    expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(3);
    const back = ['resume', 'v1', '--from', 'build', '--yes'];
    await killedAt(project, point, back);

    expect(await runsIn(project)).toEqual([...forks, 'v1']);
    expect(await project.json(['status', 'v1'])).toMatchObject({ status });
    await project.piton(['resume', '--all']);
    expect(ledgerOf(project)).toEqual(forks.length === 0 ? ['build'] : ['build', 'build']);
    if (forks.length === 0) await project.piton(back);
    expect(ledgerOf(project)).toEqual(['build', 'build']);
  },
);
