import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isAlive, linesOf, openSpool, pidsIn, processesWith, shellsHere } from './open-spool.ts';

const whole = { maxBytes: 1_000_000, from: 'start' } as const;

describe.each(shellsHere())('the wrapper, run by %s,', (shell) => {
  test.each([
    ['exit 0', 0],
    ['exit 1', 1],
    ['exit 7', 7],
    ['exit 126', 126],
    ['exit 127', 127],
    ['exit 255', 255],
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
    ['kill -INT $$', 130],
  ])('records the exit of `%s` as %i, and says nothing itself', async (text, code) => {
    const { spool, begin } = openSpool({ shell });
    const { attempt, ended } = await begin(text);
    expect(await ended()).toEqual({ type: 'exited', exit: { code, timedOut: false } });
    expect((await spool.readOutput(attempt, 'stderr', whole)).text).toBe('');
  });

  test('records 127 for a program that does not exist, 126 for one that cannot be run, and says why', async () => {
    const { spool, begin, place } = openSpool({ shell });
    const missing = await begin(['no-such-program']);
    expect(await missing.ended()).toMatchObject({ exit: { code: 127 } });
    expect((await spool.readOutput(missing.attempt, 'stderr', whole)).text).toContain(
      'no-such-program: not found',
    );
    writeFileSync(join(place, 'text'), 'no program');
    const unfit = await begin(['./text']);
    expect(await unfit.ended()).toMatchObject({ exit: { code: 126 } });
  });

  test('takes a program called `exit` or `set` for a program', async () => {
    const { begin } = openSpool({ shell });
    for (const argv of [['exit', '0'], ['set', '-e'], ['exec', 'true'], ['return'], [':']]) {
      expect(await (await begin(argv)).ended()).toMatchObject({ exit: { code: 127 } });
    }
  });

  test('hands over every argument as it is', async () => {
    const { spool, begin } = openSpool({ shell });
    const given = [
      '',
      ' ',
      'a b',
      `'`,
      `"`,
      '$HOME',
      '`id`',
      '$(id)',
      '*',
      '\\',
      'a\nb',
      '-n',
      '--',
      'ünï',
      ';exit',
    ];
    const { attempt, ended } = await begin(['printf', '%s\\0', ...given]);
    await ended();
    expect((await spool.readOutput(attempt, 'stdout', whole)).text.split('\0').slice(0, -1)).toEqual(given);
  });

  test('hands over the environment as it is, what belongs to the attempt, and nothing of ours', async () => {
    const { spool, begin, place } = openSpool({ shell });
    const env = {
      folder: 'mine',
      attempt: 'mine',
      TOKEN: `a'b"c d`,
      PITON_CRASH_AT: 'x',
      PITON_CRASH_LOG: 'x',
    };
    const { attempt, ended } = await begin('env; echo result >"$PITON_OUTPUT"; pwd', { env });
    await ended();
    const lines = (await spool.readOutput(attempt, 'stdout', whole)).text.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'folder=mine',
        'attempt=mine',
        `TOKEN=a'b"c d`,
        'PITON_RUN=run',
        'PITON_TASK=build[ui]',
        'PITON_ATTEMPT=2',
        `PITON_ATTEMPT_ID=${attempt}`,
        'PITON_KEY=stable',
        `PITON_MARK_${attempt}=1`,
        execFileSync('pwd', { cwd: place, encoding: 'utf8' }).trim(),
      ]),
    );
    expect(lines.filter((line) => /^(PITON_CRASH|PITON_STOP|PITON_WRAPPER|piton_)/.test(line))).toEqual([]);
    expect(await spool.readResult(attempt, { maxBytes: 100 })).toMatchObject({
      text: 'result\n',
      bytes: 7,
      isCut: false,
    });
  });

  test('leaves every signal as it was for the command', async () => {
    const { spool, begin } = openSpool({ shell });
    const text = 'for s in HUP INT QUIT TERM USR1 PIPE; do sh -c "kill -$s \\$\\$" || echo $s; done';
    const { attempt, ended } = await begin(`set +e; ${text}`, { timeoutMs: 600_000 });
    await ended();
    expect((await spool.readOutput(attempt, 'stdout', whole)).text.split('\n').slice(0, -1)).toHaveLength(6);
  });

  test('outlives the signals that its group gets, and records what the command makes of them', async () => {
    const { begin, place } = openSpool({ shell });
    // A shell may hear a signal twice, of which a child of it died. What says that it begins is no child: it might die too.
    const { process: wrapper, ended } = await begin(
      `trap 'echo TERM >>got' TERM; trap 'echo INT >>got' INT; trap 'echo HUP >>got' HUP; : >begun
       until grep -q HUP got 2>/dev/null; do sleep 0.02 || :; done; exit 9`,
    );
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    for (const signal of ['TERM', 'INT', 'HUP'] as const) {
      process.kill(-wrapper.pid, `SIG${signal}`);
      await eventually('the command hears it', () => linesOf(join(place, 'got')).includes(signal));
    }
    expect(await ended()).toMatchObject({ exit: { code: 9 } });
  });

  test('passes a request to stop to the command', async () => {
    const { begin, place } = openSpool({ shell });
    const { process, ended } = await begin(': >begun; sleep 1000');
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    globalThis.process.kill(-process.pid, 'SIGTERM');
    expect(await ended()).toMatchObject({ exit: { code: 143, timedOut: false } });
  });

  test.each([
    ['before-claim', 'unclaimed', []],
    ['after-claim', 'unclaimed', []],
    ['before-command', 'vanished', []],
    ['after-command', 'vanished', ['ran']],
    ['during-record', 'vanished', ['ran']],
    ['after-record', 'exited', ['ran']],
  ])('killed at %s leaves an attempt that is %s', async (place, type, ran) => {
    const { spool, order, place: folder } = openSpool({ shell });
    const made = order('echo ran >>ran', { env: { PITON_WRAPPER_CRASH: place } });
    await spool.prepare(made);
    const process = await spool.start(made);
    expect(await spool.ended(made.attempt, { process })).toMatchObject({ type });
    // Whoever starts it a second time changes nothing.
    const second = { ...made, env: order('').env };
    const again = await spool.start(second);
    await eventually('the second is gone', () => !isAlive(again.pid));
    expect(linesOf(join(folder, 'ran'))).toEqual(ran);
    expect(await spool.look(made.attempt, process)).toMatchObject({ type });
    expect(await spool.look(made.attempt)).toMatchObject({ type });
    expect(await spool.claim(made.attempt)).toBe(type === 'unclaimed');
  });

  test('ends a command at its deadline, and itself, with nobody there to see it', async () => {
    const { spool, options, order, place } = openSpool({ shell });
    const made = order('echo $$ >>pids; sleep 1000 & echo $! >>pids; wait', { timeoutMs: 1_000 });
    const starter = startProgram('start-attempt', { args: [JSON.stringify({ options, order: made })] });
    await starter.nextLine();
    await eventually('the command begins', () => pidsIn(join(place, 'pids')).length === 2);
    starter.child.kill('SIGKILL');
    await starter.ended();
    await eventually('it ends', async () => (await spool.look(made.attempt)).type === 'exited');
    expect(await spool.look(made.attempt)).toEqual({ type: 'exited', exit: { code: 143, timedOut: true } });
    await eventually('nothing is left', () => processesWith(spool.folderOf(made.attempt)).length === 0);
    expect(pidsIn(join(place, 'pids')).filter(isAlive)).toEqual([]);
  });

  test('ends a command that ignores SIGTERM at its deadline, or has left the session', async () => {
    const { spool, begin, place } = openSpool({ shell });
    const stubborn = `trap '' TERM; echo $$ >>pids; while :; do sleep 1; done`;
    const deaf = await begin(stubborn, { timeoutMs: 300 });
    const gone = await begin(['setsid', 'sh', '-c', stubborn], { timeoutMs: 300 });
    expect(await deaf.ended()).toEqual({ type: 'exited', exit: { code: 137, timedOut: true } });
    expect(await gone.ended()).toEqual({ type: 'exited', exit: { code: 137, timedOut: true } });
    const pids = pidsIn(join(place, 'pids'));
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
    await eventually('nothing is left', () => processesWith(spool.folderOf(deaf.attempt)).length === 0);
  });

  test('takes its watch off as soon as the command has ended, without our help', async () => {
    const { spool, begin } = openSpool({ shell });
    for (let index = 0; index < 5; index++) {
      const { attempt, process, ended } = await begin('exit 4', { timeoutMs: 7_654_321 });
      expect(await ended()).toEqual({ type: 'exited', exit: { code: 4, timedOut: false } });
      await eventually('the wrapper ends', () => !isAlive(process.pid));
      expect(processesWith(spool.folderOf(attempt))).toEqual([]);
      expect(processesWith('sleep 7654.321')).toEqual([]);
    }
  });

  test('keeps the deadline when the group was asked to stop and did not', async () => {
    const { begin, place } = openSpool({ shell });
    const { process, ended } = await begin(`trap '' TERM; touch begun; while :; do sleep 1; done`, {
      timeoutMs: 500,
    });
    await eventually('the command begins', () => existsSync(join(place, 'begun')));
    globalThis.process.kill(-process.pid, 'SIGTERM');
    expect(await ended()).toEqual({ type: 'exited', exit: { code: 137, timedOut: true } });
  });
});

const mount = (folder: string): string => `mount -t tmpfs -o size=200k tmpfs ${folder}`;
const canMount = spawnSync('unshare', ['-Urm', 'sh', '-c', mount('/mnt')]).status === 0;

describe.skipIf(!canMount)('on a full disk (needs leave to mount a small one in a user namespace)', () => {
  test.each(shellsHere())('the exit is still recorded as it was, by %s', async (shell) => {
    const { order } = openSpool();
    const root = temporaryFolder();
    const folder = join(root, 'disk');
    mkdirSync(folder);
    const options = {
      folder: join(folder, 'spool'),
      keys: join(root, 'keys'),
      graceMs: 200,
      durability: 'full',
      shell,
    };
    const text = 'cat /dev/zero >"$PITON_OUTPUT" || :; echo full || :; df . >/dev/null; exit 7';
    const { env, ...made } = order(text, { timeoutMs: 600_000 });
    const program = startProgram('start-attempt', {
      args: [JSON.stringify({ options, order: { ...made, env } })],
      under: `[ -n "$INSIDE" ] || INSIDE=1 exec unshare -Urm sh -c '${mount(folder)}; exec "$0" "$@"' "$0" "$@"`,
    });
    const { lines } = await program.ended();
    expect(JSON.parse(lines[1]!)).toEqual({ type: 'exited', exit: { code: 7, timedOut: false } });
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder);
  });
});
