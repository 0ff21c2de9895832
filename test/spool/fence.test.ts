import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownIdentity } from '../../src/base/index.ts';
import { eventually } from '../support/eventually.ts';
import { builtProgram } from '../support/built.ts';
import { startProgram } from '../support/start-program.ts';
import { isAlive, openSpool, pidsIn, processesWith } from './open-spool.ts';

const stubborn = `trap '' TERM; echo $$ >>pids; while :; do sleep 1; done`;

/** Begins the command and waits until so many processes have told their pids. */
async function beginAll(text: string, count: number, more: { timeoutMs?: number } = {}) {
  const opened = openSpool();
  const begun = await opened.begin(text, more);
  const pids = (): number[] => pidsIn(join(opened.place, 'pids'));
  await eventually('all processes begin', () => pids().length === count);
  return { ...opened, ...begun, pids };
}

describe('the fence', () => {
  test('has nothing to do when the attempt has ended', async () => {
    const { spool, begin } = openSpool();
    const { attempt, process, ended } = await begin('exit 0');
    await ended();
    await eventually('the wrapper ends', () => !isAlive(process.pid));
    expect(await spool.fence(attempt, { process })).toEqual({ ended: 0, survivors: [] });
    expect(await spool.fence('unknown')).toEqual({ ended: 0, survivors: [] });
  });

  test('lets a command end in its own way, and its exit is known', async () => {
    const { spool, attempt, process } = await beginAll(
      `trap 'exit 6' TERM; echo $$ >>pids; while :; do sleep 0.02; done`,
      1,
    );
    expect(await spool.fence(attempt, { process, graceMs: 20_000 })).toMatchObject({ survivors: [] });
    expect(await spool.look(attempt, process)).toEqual({
      type: 'exited',
      exit: { code: 6, timedOut: false },
    });
  });

  test('ends a command that ignores SIGTERM, and its exit is known', async () => {
    const { spool, attempt, process, pids } = await beginAll(stubborn, 1);
    expect((await spool.fence(attempt, { process })).survivors).toEqual([]);
    expect(pids().filter(isAlive)).toEqual([]);
    expect(await spool.look(attempt, process)).toEqual({
      type: 'exited',
      exit: { code: 137, timedOut: false },
    });
  });

  test('ends everything at once if it is not to be gentle', async () => {
    const { spool, attempt, pids } = await beginAll(
      `trap 'exit 6' TERM; echo $$ >>pids; while :; do sleep 1; done`,
      1,
    );
    expect((await spool.fence(attempt, { isGentle: false })).survivors).toEqual([]);
    expect(pids().filter(isAlive)).toEqual([]);
    expect(await spool.look(attempt)).toEqual({ type: 'exited', exit: { code: 137, timedOut: false } });
  });

  test('what a dead wrapper left in a session of its own is not taken for the wrapper, and is ended', async () => {
    const { spool, attempt, process, pids } = await beginAll(
      `setsid sh -c 'echo $$ >>pids; sleep 1000' & while :; do sleep 1; done`,
      1,
    );
    globalThis.process.kill(-process.pid, 'SIGKILL');
    await eventually('the wrapper is gone', () => !isAlive(process.pid));
    expect(pids().every(isAlive)).toBe(true);
    expect(await spool.look(attempt, process)).toEqual({ type: 'vanished' });
    expect(await spool.look(attempt)).toEqual({ type: 'vanished' });
    await spool.fence(attempt, { process });
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test('ends the command of a wrapper that was killed alone, by a signal or by the command itself', async () => {
    const {
      spool,
      attempt,
      process: wrapper,
      pids,
    } = await beginAll('echo $$ >>pids; kill -9 $PPID; sleep 1000', 1);
    await eventually('the wrapper is gone', () => !isAlive(wrapper.pid));
    expect(pids().filter(isAlive)).toHaveLength(1);
    expect(await spool.look(attempt)).toEqual({ type: 'vanished' });
    expect((await spool.fence(attempt)).survivors).toEqual([]);
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test('takes the watcher of a killed wrapper along', async () => {
    const {
      spool,
      attempt,
      process: wrapper,
    } = await beginAll('echo $$ >>pids; sleep 1000', 1, { timeoutMs: 8_765_432 });
    await eventually('the watch is on', () => processesWith('sleep 8765.432').length > 0);
    process.kill(wrapper.pid, 'SIGKILL');
    expect((await spool.fence(attempt, { graceMs: 30_000 })).survivors).toEqual([]);
    expect(processesWith('sleep 8765.432')).toEqual([]);
    expect(processesWith(spool.folderOf(attempt))).toEqual([]);
  });

  test('finds a daemon that left the session, after a success too', async () => {
    const text = `setsid sh -c "${stubborn.replaceAll('$', '\\$')}" & until [ -s pids ]; do sleep 0.02; done`;
    const { spool, attempt, ended, pids } = await beginAll(text, 1);
    expect(await ended()).toMatchObject({ exit: { code: 0 } });
    expect(pids().filter(isAlive)).toHaveLength(1);
    expect(await spool.fence(attempt)).toMatchObject({ survivors: [] });
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test('finds what has wiped its environment', async () => {
    const { spool, attempt, ended, pids } = await beginAll(
      `env -i sh -c "${stubborn.replaceAll('$', '\\$')}" & until [ -s pids ]; do sleep 0.02; done`,
      1,
    );
    await ended();
    await spool.fence(attempt);
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test('finds what has wiped its environment and left the session, as long as its parent lives', async () => {
    const inner = stubborn.replaceAll('$', '\\$');
    const { spool, attempt, pids } = await beginAll(`env -i setsid sh -c "${inner}" & wait`, 1);
    expect((await spool.fence(attempt)).survivors).toEqual([]);
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test('ends what has been stopped', async () => {
    const { spool, attempt, pids, process: wrapper } = await beginAll('echo $$ >>pids; sleep 1000', 1);
    process.kill(-wrapper.pid, 'SIGSTOP');
    expect(await spool.look(attempt)).toMatchObject({ type: 'alive' });
    expect((await spool.fence(attempt, { graceMs: 20_000 })).survivors).toEqual([]);
    expect(pids().filter(isAlive)).toEqual([]);
    expect(await spool.look(attempt)).toMatchObject({ type: 'exited', exit: { code: 143 } });
  });

  test('touches nothing of another attempt, of ours, or of whoever has the wrapper’s number now', async () => {
    const { spool, attempt, begin, process: wrapper, pids } = await beginAll('echo $$ >>pids; sleep 1000', 1);
    const { process: neighbour } = await begin('sleep 1000');
    await spool.fence(attempt);
    expect(pids().filter(isAlive)).toEqual([]);
    expect(isAlive(neighbour.pid)).toBe(true);
    // As if the number of the dead wrapper had been given to the neighbour, and to us.
    for (const { pid } of [neighbour, ownIdentity()]) {
      expect(await spool.fence(attempt, { process: { ...wrapper, pid } })).toEqual({
        ended: 0,
        survivors: [],
      });
    }
    expect(isAlive(neighbour.pid)).toBe(true);
  });

  test('spares the process that calls it, and those above it, even inside the attempt', async () => {
    const { spool, options, begin, order, place } = openSpool();
    const inner = order('exit 0');
    const program = builtProgram('fence-from-inside');
    const outer = await begin(
      ['sh', '-c', 'setsid sleep 1000 & "$@"; exit $?', 'sh', process.execPath, program],
      {
        env: { ORDERS: JSON.stringify({ options, order: inner }) },
      },
    );
    expect(await outer.ended()).toMatchObject({ exit: { code: 0 } });
    const text = (await spool.readOutput(outer.attempt, 'stdout', { maxBytes: 1000, from: 'start' })).text;
    expect(JSON.parse(text)).toMatchObject({ survivors: [], inside: [outer.attempt] });
    expect(existsSync(place)).toBe(true);
  });

  test('can be killed halfway and done again', async () => {
    const { spool, options, order, place } = openSpool();
    const made = order(stubborn);
    const args = [JSON.stringify({ options, order: made })];
    const program = startProgram('start-and-fence', {
      args,
      env: { PITON_CRASH_AT: 'spool:fence-between-term-and-kill' },
    });
    expect(await program.ended()).toMatchObject({ by: 'SIGKILL' });
    const pids = pidsIn(join(place, 'pids'));
    expect(pids.filter(isAlive)).toHaveLength(1);
    await spool.fence(made.attempt);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
