import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownIdentity } from '../../src/base/index.ts';
import { insideOf } from '../../src/base/index.ts';
import { eventually } from '../support/eventually.ts';
import type { StartOrders } from '../support/programs/start-attempt.ts';
import { startProgram } from '../support/start-program.ts';
import { isAlive, linesOf, openSpool } from './open-spool.ts';

function changeOrigin(folder: string, changes: Record<string, string>): void {
  const file = join(folder, 'attempt.json');
  const content = JSON.parse(readFileSync(file, 'utf8')) as { origin: object };
  writeFileSync(file, JSON.stringify({ ...content, origin: { ...content.origin, ...changes } }));
}

describe('what is seen of an attempt', () => {
  test('is nothing before it is prepared, and that it may begin after', async () => {
    const { spool, order } = openSpool();
    const made = order('exit 0');
    expect(await spool.look(made.attempt)).toEqual({ type: 'absent' });
    await spool.prepare(made);
    expect(await spool.look(made.attempt)).toEqual({ type: 'unclaimed' });
  });

  test('is a living wrapper by its own name, whether or not anybody was told that name', async () => {
    const { spool, begin, place } = openSpool();
    const { attempt, process } = await begin('touch begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    expect(await spool.look(attempt)).toEqual({ type: 'alive', process });
    expect(await spool.look(attempt, process)).toEqual({ type: 'alive', process });
  });

  test('is its exit, for those who waited and for all who come later', async () => {
    const { spool, begin } = openSpool({ durability: 'full' });
    const { attempt, process, ended } = await begin('exit 7');
    const exited = { type: 'exited', exit: { code: 7, timedOut: false } };
    expect(await ended()).toEqual(exited);
    expect(await spool.look(attempt, process)).toEqual(exited);
    await spool.sync(attempt);
    expect(await spool.look(attempt)).toEqual(exited);
  });

  test('is nothing certain if the wrapper was killed while the command ran', async () => {
    const { spool, begin, place } = openSpool();
    const { attempt, process: wrapper, ended } = await begin('touch begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    process.kill(wrapper.pid, 'SIGKILL');
    expect(await ended()).toEqual({ type: 'vanished' });
    expect(await spool.look(attempt)).toEqual({ type: 'vanished' });
  });

  test('is nothing at all if it runs on another host or in another pid namespace', async () => {
    const { spool, begin, place } = openSpool();
    const { attempt } = await begin('touch begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    const wrapper = { ...ownIdentity(), host: 'elsewhere' };
    changeOrigin(spool.folderOf(attempt), { host: 'elsewhere' });
    expect(await spool.look(attempt, wrapper)).toEqual({ type: 'elsewhere', host: 'elsewhere' });
    expect(await spool.look(attempt)).toEqual({ type: 'elsewhere', host: 'elsewhere' });
    changeOrigin(spool.folderOf(attempt), { host: ownIdentity().host, pidNamespace: 'pid:[1]' });
    expect(await spool.look(attempt)).toMatchObject({ type: 'elsewhere' });
    changeOrigin(spool.folderOf(attempt), { pidNamespace: ownIdentity().pidNamespace });
    expect(await spool.look(attempt)).toMatchObject({ type: 'alive' });
  });

  test('is not that it never began, if the machine was started anew: the claim may have been lost', async () => {
    const { spool, order } = openSpool();
    const made = order('exit 0');
    await spool.prepare(made);
    changeOrigin(spool.folderOf(made.attempt), { bootId: 'an earlier one' });
    expect(await spool.look(made.attempt)).toEqual({ type: 'vanished' });
    expect(await spool.claim(made.attempt)).toBe(false);
  });
});

test('an exit that is written while its wrapper is found dead is seen all the same', async () => {
  const { spool, order, record } = openSpool();
  const made = order('true');
  await spool.prepare(made);
  const folder = spool.folderOf(made.attempt);
  mkdirSync(join(folder, 'claim'));
  const wrapper = {
    ...ownIdentity(),
    // It is asked for when the wrapper is looked at: in that moment it ends.
    get startTime() {
      writeFileSync(join(folder, 'exit'), record(made.attempt, 7));
      return 'long ago';
    },
  };
  expect(await spool.look(made.attempt, wrapper)).toEqual({
    type: 'exited',
    exit: { code: 7, timedOut: false },
  });
});

test('what is there and cannot be read is not taken for what is not there', async () => {
  const { spool, order } = openSpool();
  const made = order('true');
  await spool.prepare(made);
  const exit = join(spool.folderOf(made.attempt), 'exit');
  rmSync(exit);
  mkdirSync(exit);
  await expect(spool.look(made.attempt)).rejects.toThrow('EISDIR');
});

describe('an exit record', () => {
  test.each([
    ['is empty', ''],
    ['is blank', ' '.repeat(27)],
    ['is cut short', 'ID 000 0 NONCE en'],
    ['is not complete', 'ID 0   0 NONCE end\n'],
    ['has something after it', 'ID 000 0 NONCE end\n\n'],
    ['is of another attempt', 'another 000 0 NONCE end\n'],
  ])('that %s does not count', async (_, content) => {
    const { spool, begin, record } = openSpool();
    const { attempt, process, ended } = await begin('exit 7');
    await ended();
    const file = join(spool.folderOf(attempt), 'exit');
    truncateSync(file, 0);
    writeFileSync(file, content.replace('ID', attempt).replace('NONCE', record(attempt).split(' ')[3]!));
    expect(await spool.look(attempt, process)).toEqual({ type: 'vanished' });
    writeFileSync(file, record(attempt));
    expect(await spool.look(attempt, process)).toMatchObject({ type: 'exited' });
  });
});

describe('a claim', () => {
  test('that we made lets no wrapper begin, however late it comes', async () => {
    const { spool, order, place } = openSpool();
    const made = order('touch begun');
    await spool.prepare(made);
    expect(await spool.claim(made.attempt)).toBe(true);
    const process = await spool.start(made);
    expect(await spool.ended(made.attempt, { process })).toEqual({ type: 'unclaimed' });
    expect(existsSync(join(place, 'begun'))).toBe(false);
    expect(await spool.claim(made.attempt), 'asked again after a crash').toBe(true);
  });

  test('comes too late if the wrapper was first', async () => {
    const { spool, begin, place } = openSpool();
    const { attempt } = await begin('touch begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    expect(await spool.claim(attempt)).toBe(false);
    expect(await spool.look(attempt)).toMatchObject({ type: 'alive' });
  });

  test('is had by one of many: the command runs once, however many wrappers start', async () => {
    const { spool, order, place } = openSpool();
    const orders = Array.from({ length: 8 }, (_, index) => order(`echo once >>ran-${index}`));
    for (const made of orders) await spool.prepare(made);
    const wrappers = await Promise.all(
      orders.map((made) => Promise.all([spool.start(made), spool.start(made), spool.start(made)])),
    );
    for (const [index, made] of orders.entries()) {
      for (const process of wrappers[index]!) {
        expect(await spool.ended(made.attempt, { process })).toMatchObject({ exit: { code: 0 } });
      }
      await spool.fence(made.attempt);
      expect(linesOf(join(place, `ran-${index}`))).toEqual(['once']);
    }
  });

  test('is had by either us or the wrapper, never by both and never by none', async () => {
    const { spool, order, place } = openSpool();
    for (let index = 0; index < 20; index++) {
      const made = order(`echo once >>ran-${index}`);
      await spool.prepare(made);
      const process = await spool.start(made);
      for (let spun = 0; spun < index * 20_000; spun++) Math.sqrt(spun);
      const isOurs = await spool.claim(made.attempt);
      const ending = await spool.ended(made.attempt, { process });
      expect(ending).toMatchObject({ type: isOurs ? 'unclaimed' : 'exited' });
      expect(existsSync(join(place, `ran-${index}`))).toBe(!isOurs);
    }
  });
});

describe('preparing', () => {
  test('is refused if there is a folder of that attempt', async () => {
    const { spool, order } = openSpool();
    const made = order('exit 0');
    await spool.prepare(made);
    await expect(spool.prepare(made)).rejects.toMatchObject({ code: 'SPOOL_EXISTS' });
  });

  test('that was interrupted leaves an attempt that has not begun', async () => {
    const { spool, order } = openSpool();
    const { attempt } = order('exit 0');
    mkdirSync(spool.folderOf(attempt));
    expect(await spool.look(attempt)).toEqual({ type: 'unclaimed' });
    expect(await spool.claim(attempt)).toBe(true);
  });

  test('writes down what is done, but no secret, and for nobody else to read', async () => {
    const { spool, begin } = openSpool();
    const { attempt, ended } = await begin('exit 0', { env: { TOKEN: 'very-secret' } });
    await ended();
    const folder = spool.folderOf(attempt);
    for (const name of ['attempt.json', 'wrapper', 'exit', 'timed-out', 'stdout', 'stderr']) {
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('very-secret');
    }
    expect(JSON.parse(readFileSync(join(folder, 'attempt.json'), 'utf8'))).toMatchObject({
      run: 'run',
      task: 'build[ui]',
      argv: ['sh', '-ec', 'exit 0'],
    });
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  test('takes no id that would lead out of the spool', () => {
    const { spool } = openSpool();
    expect(() => spool.folderOf('../x')).toThrow(expect.objectContaining({ code: 'SPOOL_ATTEMPT_INVALID' }));
  });
});

describe('starting', () => {
  test.each([
    ['the folder is missing', { directory: '/nowhere/at/all' }, {}, '/nowhere/at/all does not exist'],
    ['there is no shell', {}, { shell: '/nowhere/sh' }, 'no shell at /nowhere/sh'],
    [
      'the command is too long',
      { argv: ['true', 'x'.repeat(4_000_000)] },
      {},
      'larger than the system allows',
    ],
  ])('is refused if %s, and then nothing has begun', async (_, more, given, text) => {
    const { spool, order } = openSpool(given);
    const made = order('exit 0', more);
    await spool.prepare(made);
    const refusal = { code: 'COMMAND_NOT_STARTED', message: expect.stringContaining(text) as string };
    await expect(spool.start(made)).rejects.toMatchObject(refusal);
    expect(await spool.look(made.attempt)).toEqual({ type: 'unclaimed' });
    expect(await spool.claim(made.attempt)).toBe(true);
  });

  test.each(['spool:after-prepare', 'spool:before-start'])(
    'has not begun and never will if the starter is killed at %s',
    async (place) => {
      const { spool, options, order, place: folder } = openSpool();
      const made = order('echo once >>ran');
      await killStarter({ options, order: made }, place);
      expect(await spool.look(made.attempt)).toEqual({ type: 'unclaimed' });
      expect(await spool.claim(made.attempt)).toBe(true);
      expect(linesOf(join(folder, 'ran'))).toEqual([]);
    },
  );

  test('goes on to the end and happens once if the starter is killed right after it', async () => {
    const { spool, options, order, place } = openSpool();
    const made = order('echo once >>ran; exit 3');
    await killStarter({ options, order: made }, 'spool:after-start');
    await eventually('the command ends', async () => (await spool.look(made.attempt)).type === 'exited');
    expect(await spool.claim(made.attempt)).toBe(false);
    expect(linesOf(join(place, 'ran'))).toEqual(['once']);
  });
});

async function killStarter(orders: StartOrders, place: string): Promise<void> {
  const env = { PITON_CRASH_AT: place };
  const program = startProgram('start-attempt', { args: [JSON.stringify(orders)], env });
  expect(await program.ended()).toMatchObject({ by: 'SIGKILL' });
}

describe('waiting for the end', () => {
  test('ends with the signal, and the command goes on', async () => {
    const { spool, begin } = openSpool();
    const { attempt, process } = await begin('sleep 1000');
    expect(await spool.ended(attempt, { process, signal: AbortSignal.timeout(100) })).toBeUndefined();
    expect(await spool.look(attempt, process)).toMatchObject({ type: 'alive' });
  });

  test('works for whoever comes later and did not start it', async () => {
    const { spool, options, order, place } = openSpool();
    const made = order('until [ -e go ]; do sleep 0.02; done; echo done; exit 5');
    const starter = startProgram('start-attempt', { args: [JSON.stringify({ options, order: made })] });
    await starter.nextLine();
    starter.child.kill('SIGKILL');
    await starter.ended();
    await eventually('it has begun', async () => (await spool.look(made.attempt)).type !== 'unclaimed');
    const sighting = await spool.look(made.attempt);
    expect(sighting).toMatchObject({ type: 'alive' });
    if (sighting.type !== 'alive') return;
    const end = spool.ended(made.attempt, { process: sighting.process });
    writeFileSync(join(place, 'go'), '');
    expect(await end).toEqual({ type: 'exited', exit: { code: 5, timedOut: false } });
    expect((await spool.readOutput(made.attempt, 'stdout', { maxBytes: 100, from: 'start' })).text).toBe(
      'done\n',
    );
  });

  test('ends if the folder is taken away, and the command can still be ended by its name', async () => {
    const { spool, begin, place } = openSpool();
    const { attempt, process, ended } = await begin('touch begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    rmSync(spool.folderOf(attempt), { recursive: true });
    expect(await ended()).toEqual({ type: 'vanished' });
    expect(isAlive(process.pid)).toBe(true);
    expect(await spool.fence(attempt, { process, isGentle: false })).toMatchObject({ survivors: [] });
    expect(isAlive(process.pid)).toBe(false);
  });
});

test('a process knows which attempts it runs inside of', () => {
  expect(insideOf({ PITON_MARK_a1: '1', PITON_MARK_b2: '1', PITON_RUN: 'x' })).toEqual(['a1', 'b2']);
  expect(insideOf({ PATH: '/bin' })).toEqual([]);
});

test('an attempt is removed when it has ended, and refused while anything of it lives', async () => {
  const { spool, begin, place } = openSpool();
  const done = await begin('exit 0');
  await done.ended();
  const living = await begin('sleep 1000');
  const orphaned = await begin('touch begun; sleep 1000');
  await eventually('the command begins', () => existsSync(join(place, 'begun')));
  process.kill(orphaned.process.pid, 'SIGKILL');
  await orphaned.ended();
  const refused = await spool.remove([done.attempt, living.attempt, orphaned.attempt, 'unknown']);
  expect(refused).toEqual([living.attempt, orphaned.attempt]);
  expect((await spool.list()).toSorted()).toEqual([living.attempt, orphaned.attempt].toSorted());
  expect(await spool.look(done.attempt)).toEqual({ type: 'absent' });
});

test('what may run on another machine is not removed: nobody can see whether it has ended', async () => {
  const { spool, order } = openSpool();
  const made = order('true');
  await spool.prepare(made);
  mkdirSync(join(spool.folderOf(made.attempt), 'claim'));
  changeOrigin(spool.folderOf(made.attempt), {
    host: 'elsewhere',
    bootId: 'another',
    pidNamespace: 'pid:[1]',
  });
  expect(await spool.look(made.attempt)).toEqual({ type: 'elsewhere', host: 'elsewhere' });
  expect(await spool.remove([made.attempt])).toEqual([made.attempt]);
  expect(existsSync(spool.folderOf(made.attempt))).toBe(true);
});
