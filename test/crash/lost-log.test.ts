import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executionsOf } from '../support/commands.ts';
import { killAt, repair } from '../support/kill.ts';
import { deleted, harmDoneBy, InterruptedRun, someDamagesOf } from './lost-log.ts';

test.each(['diamond', 'worktrees'] as const)(
  'of %s no command begins again whose end the log has lost, and after a repair it ends as if nothing was lost',
  async (flow) => {
    expect(await harmDoneBy({ flow, isMirrored: false }, someDamagesOf)).toEqual([]);
  },
);

test.each(['before:run.repaired', 'after:run.repaired'])(
  'a repair that is killed %s can be done again, or needs not',
  async (point) => {
    const run = await InterruptedRun.make({ flow: 'chain', isMirrored: false });
    const before = executionsOf(run.folder);
    someDamagesOf(run)[0]!.inflict(run.folder);
    expect(await run.resume()).toBe('RUN_BEHIND');
    await killAt(point, (env) => repair(run.folder, env));
    expect(await run.verdict()).toBe(point.startsWith('after:'));
    await run.repair();
    expect(await run.resume()).toEqual({ a: 'done a', b: 'done b', c: 'done c' });
    expect(executionsOf(run.folder)).toEqual(before);
    expect(await run.verdict()).toBe(true);
  },
);

test('a record of how far the journal had come that is damaged hides nothing', async () => {
  const run = await InterruptedRun.make({ flow: 'chain', isMirrored: false });
  const heads = join(run.folder, 'spool/.heads');
  const damage = (): void => {
    for (const name of readdirSync(heads)) writeFileSync(join(heads, name), Buffer.alloc(256));
  };
  damage();
  someDamagesOf(run)[0]!.inflict(run.folder);
  expect(await run.resume()).toBe('RUN_BEHIND');
  run.restore();
  damage();
  expect(await run.resume()).toEqual({ a: 'done a', b: 'done b', c: 'done c' });
});

test('a run that the store has lost is not begun anew, though the record of it is damaged too', async () => {
  const run = await InterruptedRun.make({ flow: 'chain', isMirrored: false });
  const before = executionsOf(run.folder);
  const heads = join(run.folder, 'spool/.heads');
  for (const name of readdirSync(heads)) writeFileSync(join(heads, name), Buffer.alloc(256));
  deleted.inflict(run.folder);
  expect(await run.resume()).toBe('RUN_LOST');
  expect(executionsOf(run.folder)).toEqual(before);
});

test('a record that cannot be looked at is not one that is missing', async () => {
  const run = await InterruptedRun.make({ flow: 'chain', isMirrored: false });
  const heads = join(run.folder, 'spool/.heads');
  rmSync(heads, { recursive: true });
  // Looking there fails, like in a folder that may not be entered.
  symlinkSync(heads, heads);
  await expect(run.verdict()).rejects.toMatchObject({ code: 'SPOOL_UNREADABLE' });
});
