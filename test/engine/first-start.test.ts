import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { firstStart, type FirstStart, type Starting } from '../../src/engine/first-start.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A program that has not been started yet, with a home of its own. */
function newcomer(): Starting {
  const folder = temporaryFolder();
  const program = join(folder, 'program');
  writeFileSync(program, 'first version');
  return { file: join(folder, 'data.db'), program, environment: { XDG_STATE_HOME: join(folder, 'state') } };
}

function take(starting: Starting, signal?: AbortSignal): Promise<FirstStart | undefined> {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  return firstStart(starting, signal ?? end.signal);
}

/** As the program does when it is started. */
function prepare({ file }: Starting): void {
  writeFileSync(file, 'prepared');
}

/** Whether something is still under way when everything else that is ready has been done. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  void promise.then(() => (isOver = true));
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  return !isOver;
}

async function prepared(): Promise<Starting> {
  const starting = newcomer();
  const first = await take(starting);
  prepare(starting);
  first!.done();
  return starting;
}

describe('the first start of a program', () => {
  test('is alone: others wait until it has prepared its file, and then need not be', async () => {
    const starting = newcomer();
    const first = await take(starting);
    const others = [take(starting), take(starting)];
    expect(await isWaiting(Promise.race(others))).toBe(true);
    prepare(starting);
    first!.done();
    expect(await Promise.all(others)).toEqual([undefined, undefined]);
    expect(await take(starting)).toBeUndefined();
  });

  test('that ends without having prepared it leaves that to the next, one at a time', async () => {
    const starting = newcomer();
    const first = await take(starting);
    const others = [take(starting), take(starting)];
    first!.giveUp();
    const second = await Promise.race(others);
    expect(second).toBeDefined();
    expect((await Promise.all(others.map(isWaiting))).filter(Boolean)).toHaveLength(1);
    prepare(starting);
    second!.done();
    expect((await Promise.all(others)).filter((one) => one === undefined)).toHaveLength(1);
  });

  test('is not remembered without the file', async () => {
    const starting = newcomer();
    (await take(starting))!.done();
    expect(await take(starting)).toBeDefined();
  });

  test('comes again with another version of the program', async () => {
    const starting = await prepared();
    rmSync(starting.program);
    writeFileSync(starting.program, 'second version');
    expect(await take(starting)).toBeDefined();
  });

  test('comes again when the file was removed', async () => {
    const starting = await prepared();
    rmSync(starting.file);
    expect(await take(starting)).toBeDefined();
  });

  test('of another home does not wait for it', async () => {
    const starting = newcomer();
    await take(starting);
    expect(await take({ ...starting, file: `${starting.file}-of-another` })).toBeDefined();
  });

  test('ends with the attempt that has it, and a wait for it with the one that waits', async () => {
    const starting = newcomer();
    const end = new AbortController();
    await take(starting, end.signal);
    const leave = new AbortController();
    const left = take(starting, leave.signal);
    expect(await isWaiting(left)).toBe(true);
    leave.abort();
    expect(await left).toBeUndefined();
    const next = take(starting);
    end.abort();
    expect(await next).toBeDefined();
  });

  test('may end in several ways at once', async () => {
    const starting = newcomer();
    const end = new AbortController();
    const first = await take(starting, end.signal);
    prepare(starting);
    first!.done();
    first!.giveUp();
    first!.done();
    end.abort();
    expect(await take(starting)).toBeUndefined();
  });

  test('is not waited for where there can be no queue', async () => {
    const starting = newcomer();
    const state = starting.environment['XDG_STATE_HOME']!;
    writeFileSync(state, 'a file');
    expect(await take(starting)).toBeUndefined();
    rmSync(state);
    await take(starting);
    const [queue] = readdirSync(join(state, 'piton', 'first-starts'));
    mkdirSync(join(state, 'other', 'piton', 'first-starts'), { recursive: true });
    writeFileSync(
      join(state, 'other', 'piton', 'first-starts', queue!),
      'no database at all, but text'.repeat(50),
    );
    expect(
      await take({ ...starting, environment: { XDG_STATE_HOME: join(state, 'other') } }),
    ).toBeUndefined();
  });

  test('of another process is waited for, and is over when that dies', async () => {
    const starting = newcomer();
    const holder = startProgram('take-first-start', { args: [JSON.stringify(starting)] });
    expect(await holder.nextLine()).toBe('alone');
    const next = take(starting);
    expect(await isWaiting(next)).toBe(true);
    holder.child.kill('SIGKILL');
    expect(await next).toBeDefined();
  });

  test.for(['engine:after-first-start-taken', 'engine:before-first-start-remembered'])(
    'is taken by the next when its driver was killed %s',
    async (point) => {
      const starting = newcomer();
      prepare(starting);
      const log = join(starting.file, '..', 'log');
      const holder = startProgram('take-first-start', {
        args: [JSON.stringify(starting)],
        env: { PITON_CRASH_AT: point, PITON_CRASH_LOG: log },
      });
      holder.child.stdin?.end();
      await holder.ended();
      expect(readFileSync(log, 'utf8')).toContain(point);
      expect(existsSync(starting.file)).toBe(true);
      expect(await take(starting)).toBeDefined();
    },
  );
});
