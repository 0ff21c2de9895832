import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownIdentity, type ProcessIdentity } from '../../src/base/index.ts';
import { findAttempt, standingOf } from '../../src/engine/find-attempt.ts';
import { isAlive, openSpool, pidsIn, type TestSpool } from '../spool/open-spool.ts';
import { eventually } from '../support/eventually.ts';

/** Of before the machine was started anew: its process cannot be alive. */
const beforeTheBoot = (process: ProcessIdentity): ProcessIdentity => ({
  ...process,
  bootId: 'an earlier boot',
});

/** A command that has ended so, and who its wrapper was. */
async function endedWith(text: string): Promise<TestSpool & { id: string; process: ProcessIdentity }> {
  const place = openSpool();
  const { attempt: id, process, ended } = await place.begin(text);
  await ended();
  return { ...place, id, process };
}

describe('a command that ended by a signal', () => {
  test.each([
    ['hangup', 'kill -HUP $$'],
    ['an interrupt', 'kill -INT $$'],
    ['a kill', 'kill -KILL $$'],
    ['a termination', 'kill -TERM $$'],
  ])('(%s) before the machine was started anew was interrupted, not failed', async (_, text) => {
    const { spool, id, process } = await endedWith(text);
    const standing = await standingOf(spool, { id, process: beforeTheBoot(process) });
    expect(standing).toEqual({ type: 'interrupted', reason: 'the machine was shut down while it ran' });
  });

  test('since the machine runs has ended so, and is not tried again for that', async () => {
    const { spool, id, process } = await endedWith('kill -TERM $$');
    const found = { type: 'exited', exit: { code: 143, timedOut: false } };
    expect(await standingOf(spool, { id, process })).toEqual({ type: 'ended', found });
    expect(await standingOf(spool, { id })).toEqual({ type: 'ended', found });
  });

  test('because its time was over has ended so, whenever the machine was started', async () => {
    const { spool, order } = openSpool();
    const made = order('sleep 1000', { timeoutMs: 1 });
    await spool.prepare(made);
    const process = await spool.start(made);
    await spool.ended(made.attempt, { process });
    expect(await standingOf(spool, { id: made.attempt, process: beforeTheBoot(process) })).toMatchObject({
      type: 'ended',
      found: { exit: { timedOut: true } },
    });
  });
});

test.each(['exit 0', 'exit 7'])(
  'a command that ended by itself (%s) before the machine was started anew is harvested',
  async (text) => {
    const { spool, id, process } = await endedWith(text);
    expect(await findAttempt(spool, { id, process: beforeTheBoot(process) })).toMatchObject({
      how: 'harvested',
    });
  },
);

describe('an attempt without a spool', () => {
  test('has not begun, and never will, if no process of it is known', async () => {
    const { spool, order } = openSpool();
    const { attempt: id } = order('true');
    expect(await standingOf(spool, { id })).toEqual({ type: 'not-begun' });
    expect(await findAttempt(spool, { id })).toMatchObject({ outcome: { neverBegan: true } });
    expect(await spool.claim(id), 'asked again').toBe(true);
  });

  test('or whose wrapper is on its way has not begun, and never will: the claim is taken from it', async () => {
    const { spool, order, place } = openSpool();
    const made = order('touch begun');
    await spool.prepare(made);
    expect(await findAttempt(spool, { id: made.attempt })).toMatchObject({ outcome: { neverBegan: true } });
    const process = await spool.start(made);
    await spool.ended(made.attempt, { process });
    expect(existsSync(join(place, 'begun'))).toBe(false);
  });

  test('has begun if a process of it is known: that is ended, and nobody says that it never ran', async () => {
    const { spool, begin, place } = openSpool();
    const { attempt: id, process } = await begin('echo $$ >begun; sleep 1000');
    await eventually('the command begins', () => pidsIn(join(place, 'begun')).length === 1);
    rmSync(spool.folderOf(id), { recursive: true });
    expect(await standingOf(spool, { id, process })).toEqual({ type: 'unknown' });
    expect(await findAttempt(spool, { id, process })).toEqual({
      how: 'interrupted',
      outcome: { type: 'interrupted', reason: 'its process ended without leaving an exit code' },
    });
    expect(isAlive(pidsIn(join(place, 'begun'))[0]!)).toBe(false);
  });
});

test('what has lost its wrapper is looked at once more after its end: its exit may have been written meanwhile', async () => {
  const { spool, begin, place, record } = openSpool();
  const { attempt: id, process: wrapper } = await begin('touch begun; sleep 1000');
  await eventually('the command begins', () => existsSync(join(place, 'begun')));
  process.kill(wrapper.pid, 'SIGKILL');
  await eventually('the wrapper is gone', () => !isAlive(wrapper.pid));
  const fenced = spool.fence.bind(spool);
  spool.fence = async (...given) => {
    const result = await fenced(...given);
    writeFileSync(join(spool.folderOf(id), 'exit'), record(id));
    return result;
  };
  expect(await findAttempt(spool, { id, process: wrapper })).toMatchObject({ how: 'harvested' });
});

test('a command on another machine is neither adopted nor done again by itself', async () => {
  const { spool, order } = openSpool();
  const { attempt: id } = order('true');
  expect(await spool.claim(id)).toBe(true);
  expect(await standingOf(spool, { id, process: { ...ownIdentity(), host: 'elsewhere' } })).toEqual({
    type: 'interrupted',
    reason: 'it was started on elsewhere, and cannot be seen from here',
    mayStillRun: true,
  });
});
