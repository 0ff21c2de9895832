import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { workflow, type Piton } from '../../src/index.ts';
import type { Context } from '../../src/interfaces/cli/context.ts';
import { decideGate } from '../../src/interfaces/cli/decide-gate.ts';
import { createOutput } from '../../src/interfaces/cli/output/index.ts';
import { eventually } from '../support/eventually.ts';
import { edits, git, projectInRepository } from '../support/git-project.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { newProject } from './command-line.ts';
import { played, writeFlow } from './played.ts';
import { askingRun, deciding, executions, failedRun, places, race, scenes } from './races.ts';
import { lookOnly } from './stale-command.ts';

describe.each(scenes)('of $what', (scene) => {
  test.each(Object.keys(scene.commands))(
    '%s counts once it has come first: whoever looked before is told, and nothing is done twice',
    async (first) => expect(await race(scene, first)).toEqual(deciding(scene)),
  );
});

// The others: races.deep.test.ts.
test('what is to become of the place of a task is decided once', async () => {
  expect(await race(places, 'adopt')).toEqual(deciding(places));
});

test('what is approved is what was shown, and nothing that is asked later', async () => {
  const piton = await openPiton();
  const mayEnd = latch();
  const flow = workflow('flow')
    .task('ship', { approval: 'Ship it?' }, () => 'shipped')
    .task('other', () => mayEnd.opened);
  const run = await piton.start(flow, { id: 'r' });
  const isAsked = async (): Promise<boolean> => (await run.checkpoint()).tasks['ship']?.gate !== undefined;
  await eventually('it is asked', isAsked);
  let looks = 0;
  // Between the look and the decision it is rejected, tried again, and asked anew.
  const find = async (id: string): ReturnType<Piton['find']> => {
    if (++looks === 2) {
      await run.reject('ship');
      await run.retry('ship');
      await eventually('it is asked anew', isAsked);
    }
    return piton.find(id);
  };
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const output = createOutput({ stdout: stream, stderr: stream, env: {} }, false);
  const seen = { findRecord: (prefix: string) => piton.findRecord(prefix), find };
  const context = { output, now: () => Date.now(), openExisting: async () => seen } as unknown as Context;
  const approving = decideGate(context, 'approve', {
    args: ['r', 'ship'],
    options: { drive: false },
  } as never);
  await expect(approving).rejects.toMatchObject({
    code: 'COMMAND_REFUSED',
    message: expect.stringContaining('ship asks something else by now'),
  });
  mayEnd.open();
});

test('of two decisions in the inbox the earlier counts, and each is told what became of its own, whoever drives the run', async () => {
  const project = await askingRun();
  const approving = await lookOnly(project, ['approve', 'r', 'ship'], 'inbox');
  const rejecting = await lookOnly(project, ['reject', 'r', 'ship'], 'inbox');
  // It drives the run with both of them, until that waits again.
  const { code, stderr } = await project.piton(['skip', 'r', 'ship']);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('Run r refuses: ship') });
  expect(executions(project)).toBe('s');
  const rejected = await rejecting.goOn();
  expect(rejected).toMatchObject({ code: 4, stderr: expect.stringContaining('approved already') });
  expect(await approving.goOn()).toMatchObject({ code: 3 });
  expect(executions(project)).toBe('s');
});

test('who finds the run driven by another is told what that one has decided', async () => {
  const project = await askingRun();
  const skipping = await lookOnly(project, ['skip', 'r', 'ship'], 'inbox');
  const approving = await lookOnly(project, ['approve', 'r', 'ship'], 'inbox');
  await project.withStore(async (piton) => {
    const { definition } = await piton.definitionOf('r');
    await piton.resume(definition, 'r');
    expect(await approving.goOn()).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('ship waits for no approval: it is skipped'),
    });
    expect(await skipping.goOn()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Run r: ship is skipped.'),
    });
  });
});

test('what is said to an agent is not for one that has begun from scratch since', async () => {
  const project = newProject();
  writeFlow(project, {
    build: played([[{ exit: 1 }], [{ exit: 1 }]]),
    later: { approval: 'And that?', run: 'true' },
  });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  const telling = await lookOnly(project, ['tell', 'r', 'build', 'the second of your ways']);
  await project.piton(['retry', 'r', 'build', '--fresh']);
  expect(await telling.goOn()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nobody drives') });
  const { stdout } = await project.piton(['resume', 'r']);
  expect(stdout).toMatch(/refused to tell: build has been begun from scratch since/);
});

test('a merge, and cleaning up, are judged by the run as it is when its lease is held', async () => {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(0);
  const merging = await lookOnly(project, ['merge', 'r', '--no-ff']);
  const again = await lookOnly(project, ['retry', 'r', 'fix', '--fresh', '--redo', '--yes']);
  expect(await project.piton(['merge', 'r', '--no-ff'])).toMatchObject({ code: 0 });
  const merged = git(project.folder, 'rev-parse', 'main');
  expect(await merging.goOn()).toMatchObject({ code: 0, stdout: expect.stringContaining('already') });
  expect(git(project.folder, 'rev-parse', 'main')).toBe(merged);
  // What was merged does not keep anybody from doing it again.
  expect(await again.goOn()).toMatchObject({ code: 0 });
});

test('a run that was removed meanwhile is told to be gone', async () => {
  const project = await failedRun();
  const retrying = await lookOnly(project, ['retry', 'r']);
  expect(await project.withStore((piton) => piton.prune({ runs: ['r'] }))).toMatchObject({ runs: 1 });
  expect(await retrying.goOn()).toMatchObject({ stderr: expect.stringContaining('RUN_NOT_FOUND') });
  expect(executions(project)).toBe('a');
});

test('--takeover ends the driver that was seen, and not one who has taken over since', async () => {
  const project = await askingRun();
  await project.withStore(async (first) => {
    const { definition } = await first.definitionOf('r');
    await first.resume(definition, 'r');
    const late = await lookOnly(project, ['resume', 'r', '--takeover']);
    const { since } = (await first.driver('r'))!;
    await eventually('the clock has moved on', () => Date.now() > since);
    await project.withStore(async (second) => {
      await second.resume(definition, 'r', { takeover: true });
      const driver = await second.driver('r');
      expect(await late.goOn()).toMatchObject({ code: 4, stderr: expect.stringContaining('RUN_DRIVEN') });
      expect(await second.driver('r')).toEqual(driver);
    });
  });
});

test('settled tasks are not opened beside a driver of the same process, which would never hear of it', async () => {
  const piton = await openPiton();
  const mayEnd = latch();
  let times = 0;
  const flow = workflow('flow')
    .task('a', () => ++times)
    .task('b', { needs: ['a'] }, () => mayEnd.opened);
  const run = await piton.start(flow, { id: 'r' });
  await expect(piton.resume(flow, 'r', { redo: ['a'] })).rejects.toMatchObject({ code: 'RUN_DRIVEN' });
  mayEnd.open();
  await run.result();
  expect(times).toBe(1);
});
