/** What an attacker who can write into the spool makes of it: exit records of attempts that are not his own. */
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findAttempt } from '../../src/engine/find-attempt.ts';
import type { Spool } from '../../src/spool/index.ts';
import { LocalSpool } from '../../src/spool/local/index.ts';
import { openSpool, isAlive, shellsHere } from '../spool/open-spool.ts';
import { eventually } from '../support/eventually.ts';
import { killAt } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';

const madeUp = 'f'.repeat(32);

describe('a forged exit record', () => {
  test('does not end an attempt that still runs, not even with the right nonce', async () => {
    const { spool, begin, place, record } = openSpool();
    const { attempt, process, ended } = await begin(
      'touch begun; until [ -e go ]; do sleep 0.05; done; exit 3',
    );
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    writeFileSync(join(spool.folderOf(attempt), 'exit'), record(attempt));
    expect(await spool.look(attempt, process)).toMatchObject({ type: 'alive' });
    expect(await spool.look(attempt), 'whoever does not know its process').toMatchObject({ type: 'alive' });
    const anothers = new LocalSpool(openSpoolLike(spool, attempt));
    const waited = anothers.ended(attempt, { process });
    writeFileSync(join(place, 'go'), '');
    expect(await ended()).toEqual({ type: 'exited', exit: { code: 3, timedOut: false } });
    expect(await waited).toMatchObject({ type: 'vanished' });
  });

  test.each([
    ['without a nonce', ''],
    ['with a nonce that was made up', ` ${madeUp}`],
  ])('%s is not believed after the wrapper was killed, and that is said', async (_, nonce) => {
    const { spool, begin, place } = openSpool();
    const { attempt: id, process: wrapper } = await begin('touch begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    process.kill(wrapper.pid, 'SIGKILL');
    await eventually('the wrapper is gone', () => !isAlive(wrapper.pid));
    writeFileSync(join(spool.folderOf(id), 'exit'), `${id} 000 0${nonce} end\n`);
    const finding = await findAttempt(spool, { id, process: wrapper });
    expect(finding).toMatchObject({ how: 'interrupted' });
    expect(finding).toHaveProperty('outcome.reason', expect.stringContaining('nonce'));
  });

  test('that was copied from an attempt of the attacker is not believed for another', async () => {
    const { spool, begin } = openSpool();
    const mine = await begin('exit 0');
    await mine.ended();
    const other = await begin('exit 1');
    await other.ended();
    const stolen = readFileSync(join(spool.folderOf(mine.attempt), 'exit'), 'utf8');
    const file = join(spool.folderOf(other.attempt), 'exit');
    writeFileSync(file, stolen.replace(mine.attempt, other.attempt));
    expect(await spool.look(other.attempt)).toMatchObject({ type: 'vanished' });
  });
});

describe('a record of an attempt that has failed', () => {
  test.each(shellsHere())('cannot be made one of an attempt that has passed (%s)', async (shell) => {
    const { spool, begin } = openSpool({ shell });
    const late = 'trap "exit 0" TERM; echo 1 1<>"${PITON_OUTPUT%/*}/timed-out"';
    for (const [text, exit] of [
      ['exit 1', { code: 1, timedOut: false }],
      [late, { code: 0, timedOut: true }],
    ] as const) {
      const { attempt, ended } = await begin(text);
      expect(await ended()).toEqual({ type: 'exited', exit });
      const file = join(spool.folderOf(attempt), 'exit');
      const record = readFileSync(file, 'utf8');
      writeFileSync(file, record.replace(/^(\S+) \d{3} [01]/, '$1 000 0'));
      expect(await spool.look(attempt)).toMatchObject({ type: 'vanished' });
    }
  });
});

describe('the nonce', () => {
  test.each(shellsHere())(
    'is seen by no command in its environment, arguments and descriptors (%s)',
    async (shell) => {
      const { spool, begin, record } = openSpool({ shell });
      const text =
        'env; tr "\\0" "\\n" </proc/$PPID/environ; tr "\\0" " " </proc/$PPID/cmdline; for fd in /proc/self/fd/* /proc/$PPID/fd/*; do readlink $fd; done; env >&2';
      const env = { piton_nonce: 'exported', piton_passed: 'exported', SHELLOPTS: 'allexport:xtrace' };
      const { attempt, ended } = await begin(text, { env });
      expect(await ended()).toMatchObject({ type: 'exited' });
      const [passed, failed] = [0, 1].map((code) => record(attempt, code).split(' ')[3]!);
      expect(readFileSync(join(spool.folderOf(attempt), 'exit'), 'utf8')).toContain(failed);
      for (const name of ['stdout', 'stderr', 'attempt.json', 'wrapper']) {
        const text = readFileSync(join(spool.folderOf(attempt), name), 'utf8');
        for (const nonce of [passed, failed]) expect(text).not.toContain(nonce);
      }
      const shown = readFileSync(join(spool.folderOf(attempt), 'stdout'), 'utf8');
      expect(shown).toContain(attempt);
      expect(shown).not.toContain('socket:');
    },
  );
});

describe('the key', () => {
  test('lies outside of the spool, for nobody else to read', async () => {
    const { spool, options, begin } = openSpool();
    const { ended } = await begin('true');
    await ended();
    const [name, ...more] = readdirSync(options.keys);
    expect(more).toEqual([]);
    expect(statSync(join(options.keys, name!)).mode & 0o777).toBe(0o600);
    expect(statSync(options.keys).mode & 0o777).toBe(0o700);
    expect(await spool.list()).toHaveLength(1);
  });

  test('goes on to count when the project was moved', async () => {
    const { options, begin } = openSpool();
    const { attempt, ended } = await begin('exit 4');
    await ended();
    const folder = `${options.folder}-moved`;
    renameSync(options.folder, folder);
    const moved = new LocalSpool({ ...options, folder });
    expect(await moved.look(attempt)).toMatchObject({ type: 'exited', exit: { code: 4 } });
    renameSync(folder, options.folder);
  });

  test('that was lost is made anew: what ended before counts as interrupted, what begins then as usual', async () => {
    const { options, begin, order } = openSpool();
    const { attempt, ended } = await begin('exit 4');
    await ended();
    rmSync(options.keys, { recursive: true });
    const spool = new LocalSpool(options);
    expect(await spool.look(attempt)).toMatchObject({
      type: 'vanished',
      doubt: expect.stringContaining(options.keys),
    });
    expect(existsSync(options.keys), 'looking makes nothing').toBe(false);
    const made = order('exit 5');
    await spool.prepare(made);
    const process = await spool.start(made);
    expect(await spool.ended(made.attempt, { process })).toMatchObject({ exit: { code: 5 } });
  });

  test('that others may read is refused', async () => {
    const { options, begin, order } = openSpool();
    await (await begin('true')).ended();
    chmodSync(join(options.keys, readdirSync(options.keys)[0]!), 0o644);
    await expect(new LocalSpool(options).prepare(order('true'))).rejects.toMatchObject({
      code: 'KEY_UNUSABLE',
    });
  });

  test.each([
    'key:after-draft#1',
    'spool:after-key-name#1',
    'key:after-draft#2',
    'key:after-made#1',
    'spool:before-nonce#1',
  ])('is one, however many make it at once, after one that died at %s', async (point) => {
    const { options, order } = openSpool();
    const start = (env: Readonly<Record<string, string>> = {}): Program =>
      startProgram('start-attempt', { args: [JSON.stringify({ options, order: order('exit 6') })], env });
    await killAt(point, start);
    for (const program of [start(), start()]) {
      const { lines } = await program.ended();
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({ type: 'exited', exit: { code: 6 } });
    }
    expect(readdirSync(options.keys).filter((name) => !name.includes('.'))).toHaveLength(1);
    const spool = new LocalSpool(options);
    const attempts = await spool.list();
    const seen = (await Promise.all(attempts.map((attempt) => spool.look(attempt)))).map(({ type }) => type);
    const isStarted = point.startsWith('spool:before-nonce');
    expect(seen.toSorted()).toEqual(['exited', 'exited', ...(isStarted ? ['unclaimed'] : [])]);
  });
});

/** Somebody who has another key, such as on another machine. */
function openSpoolLike(spool: Spool, attempt: string) {
  return {
    folder: join(spool.folderOf(attempt), '..'),
    keys: `${spool.folderOf(attempt)}/none`,
    graceMs: 200,
    durability: 'process',
  } as const;
}
