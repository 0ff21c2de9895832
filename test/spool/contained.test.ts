import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSandbox } from '../../src/sandbox/index.ts';
import { bubblewrapArguments } from '../../src/sandbox/bubblewrap.ts';
import type { SpoolOrder } from '../../src/spool/index.ts';
import { eventually } from '../support/eventually.ts';
import { killAt } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { isAlive, openSpool, processesWith, type TestSpool } from './open-spool.ts';

const found = await findSandbox({ ...process.env, PITON_BWRAP: undefined });

/** Contained, with all of the file system to write in: what counts here are its processes. */
function sandboxed({ order }: TestSpool, text: string): SpoolOrder {
  const made = order(text);
  // The second, since the first loses what lies below /dev.
  const bindings = ['/', tmpdir()].map((path) => ({ path, as: 'write' }) as const);
  const directory = made.directory;
  const words = [
    'bwrap',
    ...bubblewrapArguments({ bindings, directory, temporary: '/tmp', hasNetwork: true, variables: {} }),
  ];
  return { ...made, sandbox: { by: 'bubblewrap', hasNetwork: true, words } };
}

describe.skipIf(found.by !== 'bubblewrap')('a contained attempt', () => {
  test('outlives who started it, is adopted, and its exit is harvested', async () => {
    const world = openSpool();
    const { spool, options, place } = world;
    const order = sandboxed(
      world,
      'touch begun; until [ -e go ]; do sleep 0.05; done; echo 1 >"$PITON_OUTPUT"; exit 5',
    );
    const start = (env: Readonly<Record<string, string>>): Program =>
      startProgram('start-attempt', { args: [JSON.stringify({ options, order })], env });
    await killAt('spool:after-start#1', start);
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    const seen = await spool.look(order.attempt);
    expect(seen).toMatchObject({ type: 'alive' });
    if (seen.type !== 'alive') return;
    const ended = spool.ended(order.attempt, { process: seen.process });
    writeFileSync(join(place, 'go'), '');
    expect(await ended).toEqual({ type: 'exited', exit: { code: 5, timedOut: false } });
    expect(await spool.readResult(order.attempt, { maxBytes: 10 })).toMatchObject({ text: '1\n' });
  });

  test('is asked before it is killed, and both are found from outside', async () => {
    const world = openSpool({ graceMs: 5_000 });
    const { spool, place } = world;
    const order = sandboxed(
      world,
      'trap "echo asked >asked; exit 9" TERM; touch begun; while :; do sleep 0.05; done',
    );
    await spool.prepare(order);
    const process = await spool.start(order);
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    const { survivors } = await spool.fence(order.attempt, { process });
    expect(survivors).toEqual([]);
    expect(readFileSync(join(place, 'asked'), 'utf8')).toBe('asked\n');
    expect(await spool.look(order.attempt)).toEqual({ type: 'exited', exit: { code: 9, timedOut: false } });
  });

  test('ends with its wrapper, whatever it has left behind', async () => {
    const world = openSpool();
    const { spool, place } = world;
    // Neither session, nor environment, nor parent are left of it.
    const stray = `setsid env -i sh -c 'touch ${place}/stray; sleep 1234.5' >/dev/null 2>&1 &`;
    const order = sandboxed(world, `(${stray}); touch begun; sleep 1000`);
    await spool.prepare(order);
    const wrapper = await spool.start(order);
    await eventually('all have begun', () =>
      ['begun', 'stray'].every((name) => existsSync(join(place, name))),
    );
    process.kill(wrapper.pid, 'SIGKILL');
    await eventually(
      'all are gone',
      () => !isAlive(wrapper.pid) && processesWith('sleep 1234.5').length === 0,
    );
    expect(await spool.look(order.attempt, wrapper)).toEqual({ type: 'vanished' });
  });
});
