/** The conformance suite of spools: every promise of `Spool`, asked of it alone and of nothing that lies behind it. */
import { describe, expect, test } from 'vitest';
import { randomId } from '../../src/base/index.ts';
import type { Ending, JournalHead, Spool, SpoolOrder } from '../../src/spool/index.ts';

export interface SpoolBench {
  readonly spool: Spool;
  /** The same attempts, as they are seen by one who comes later and remembers nothing. */
  again(): Spool;
  /** Where its commands may work, on the machine that they run on. */
  readonly directory: string;
}

/** `open`: an empty spool, whose processes are gone when the test is. */
export function spoolContract(name: string, open: () => SpoolBench): void {
  describe(`a spool (${name})`, () => {
    startingContract(open);
    seeingContract(open);
    endingContract(open);
    harvestContract(open);
    keepingContract(open);
    headsContract(open);
  });
}

function orderIn({ directory }: SpoolBench, text: string, more: Partial<SpoolOrder> = {}): SpoolOrder {
  return {
    attempt: randomId(),
    run: 'run',
    seq: 3,
    task: 'build[ui]',
    number: 2,
    key: 'stable',
    argv: ['sh', '-ec', text],
    secrets: [],
    directory,
    env: { PATH: process.env['PATH'] ?? '/bin:/usr/bin' },
    ...more,
  };
}

interface Begun {
  readonly attempt: string;
  readonly ended: Promise<Ending | undefined>;
}

async function begin(bench: SpoolBench, text: string, more: Partial<SpoolOrder> = {}): Promise<Begun> {
  const order = orderIn(bench, text, more);
  await bench.spool.prepare(order);
  const wrapper = await bench.spool.start(order);
  return { attempt: order.attempt, ended: bench.spool.ended(order.attempt, { process: wrapper }) };
}

/** What it has printed, once that is so much. */
async function printed(spool: Spool, attempt: string, text: string): Promise<void> {
  await expect.poll(() => textOf(spool, attempt), { timeout: 60_000 }).toContain(text);
}

async function textOf(spool: Spool, attempt: string): Promise<string> {
  return (await spool.readOutput(attempt, 'stdout', { maxBytes: 10_000, from: 'start' })).text;
}

function startingContract(open: () => SpoolBench): void {
  test('knows nothing of an attempt before it is prepared, and that it may begin after', async () => {
    const bench = open();
    const order = orderIn(bench, 'exit 0');
    expect(await bench.spool.look(order.attempt)).toEqual({ type: 'absent' });
    await bench.spool.prepare(order);
    expect(await bench.spool.look(order.attempt)).toEqual({ type: 'unclaimed' });
    expect(await bench.again().look(order.attempt)).toEqual({ type: 'unclaimed' });
  });

  test('prepares an attempt once, whoever else tries, and at whatever time', async () => {
    const bench = open();
    const order = orderIn(bench, 'exit 0');
    const tried = await Promise.allSettled([
      bench.spool.prepare(order),
      bench.again().prepare(order),
      bench.again().prepare(order),
    ]);
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(bench.again().prepare(order)).rejects.toMatchObject({ code: 'SPOOL_EXISTS' });
  });

  test('lets a command begin once, however often it is started', async () => {
    const bench = open();
    const order = orderIn(bench, 'echo once');
    await bench.spool.prepare(order);
    const wrappers = await Promise.all([bench.spool.start(order), bench.again().start(order)]);
    for (const one of wrappers) await bench.spool.ended(order.attempt, { process: one });
    expect(await textOf(bench.again(), order.attempt)).toBe('once\n');
  });

  test('lets nothing begin that was claimed before', async () => {
    const bench = open();
    const order = orderIn(bench, 'echo begun');
    await bench.spool.prepare(order);
    expect(await bench.again().claim(order.attempt)).toBe(true);
    const wrapper = await bench.spool.start(order);
    expect(await bench.spool.ended(order.attempt, { process: wrapper })).toEqual({ type: 'unclaimed' });
    expect(await textOf(bench.spool, order.attempt)).toBe('');
  });

  test('gives the claim to whoever asks or to the command, never to both and never to none', async () => {
    const bench = open();
    for (let index = 0; index < 5; index++) {
      const order = orderIn(bench, 'echo begun');
      await bench.spool.prepare(order);
      const started = bench.spool.start(order);
      const isOurs = await bench.again().claim(order.attempt);
      const ending = await bench.spool.ended(order.attempt, { process: await started });
      expect(ending).toMatchObject({ type: isOurs ? 'unclaimed' : 'exited' });
      expect(await textOf(bench.spool, order.attempt)).toBe(isOurs ? '' : 'begun\n');
    }
  });

  test('keeps what was never prepared from beginning', async () => {
    const bench = open();
    const order = orderIn(bench, 'true');
    expect(await bench.spool.claim(order.attempt)).toBe(true);
    await expect(bench.again().prepare(order)).rejects.toMatchObject({ code: 'SPOOL_EXISTS' });
  });

  test('gives a command its environment, its input and its files, and nothing more of ours', async () => {
    const bench = open();
    const attempt = randomId();
    const text = `cat; cat "${bench.spool.folderOf(attempt)}/note"; echo "$WORD $PITON_TASK"; env | grep -c ^STRANGE || true`;
    process.env['STRANGE'] = 'not yours';
    const env = { PATH: process.env['PATH']!, WORD: "it's" };
    const { ended } = await begin(bench, text, { attempt, env, input: 'in\n', files: { note: 'noted\n' } });
    await ended;
    delete process.env['STRANGE'];
    expect(await textOf(bench.spool, attempt)).toBe("in\nnoted\nit's build[ui]\n0\n");
  });

  test('says so if nothing can be started there, and then nothing has begun', async () => {
    const bench = open();
    const order = orderIn(bench, 'true', { directory: `${bench.directory}/none` });
    await bench.spool.prepare(order);
    await expect(bench.spool.start(order)).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' });
    expect(await bench.spool.look(order.attempt)).toEqual({ type: 'unclaimed' });
  });
}

function seeingContract(open: () => SpoolBench): void {
  test('shows a command that lives to whoever looks, by the same name', async () => {
    const bench = open();
    const order = orderIn(bench, 'echo begun; sleep 1000');
    await bench.spool.prepare(order);
    const wrapper = await bench.spool.start(order);
    await printed(bench.spool, order.attempt, 'begun');
    expect(await bench.spool.look(order.attempt, wrapper)).toEqual({ type: 'alive', process: wrapper });
    expect(await bench.again().look(order.attempt)).toEqual({ type: 'alive', process: wrapper });
    expect(await bench.again().claim(order.attempt)).toBe(false);
  });

  test('shows how a command has ended to those who waited and to all who come later', async () => {
    const bench = open();
    const { attempt, ended } = await begin(bench, 'exit 7');
    const exited = { type: 'exited', exit: { code: 7, timedOut: false } };
    expect(await ended).toEqual(exited);
    expect(await bench.again().look(attempt)).toEqual(exited);
    await bench.spool.sync(attempt, exited.exit);
    expect(await bench.again().look(attempt)).toEqual(exited);
  });

  test('ends a command at its deadline, and says that this is why', async () => {
    const bench = open();
    const { ended } = await begin(bench, 'sleep 1000', { timeoutMs: 50 });
    expect(await ended).toMatchObject({ type: 'exited', exit: { timedOut: true } });
  });

  test('stops waiting when it is told to, and the command goes on', async () => {
    const bench = open();
    const { attempt } = await begin(bench, 'echo begun; sleep 1000');
    await printed(bench.spool, attempt, 'begun');
    const seen = await bench.spool.look(attempt);
    expect(seen).toMatchObject({ type: 'alive' });
    const leaving = new AbortController();
    const { process: wrapper } = seen as Extract<typeof seen, { type: 'alive' }>;
    const waited = bench.again().ended(attempt, { process: wrapper, signal: leaving.signal });
    leaving.abort();
    expect(await waited).toBeUndefined();
    expect(await bench.spool.look(attempt)).toMatchObject({ type: 'alive' });
  });

  test('tells what lives in a session of its own from the command itself', async () => {
    const bench = open();
    const { attempt } = await begin(bench, 'echo begun; sleep 1000');
    await printed(bench.spool, attempt, 'begun');
    expect(await bench.spool.hasTools(attempt)).toBe(false);
  });
}

function endingContract(open: () => SpoolBench): void {
  test('ends all that lives of an attempt, and lets it say how it ended', async () => {
    const bench = open();
    const { attempt } = await begin(bench, `trap 'echo tidied; exit 3' TERM; echo begun; sleep 1000 & wait`);
    await printed(bench.spool, attempt, 'begun');
    const { ended, survivors } = await bench.again().fence(attempt, { graceMs: 30_000 });
    expect(ended).toBeGreaterThan(0);
    expect(survivors).toEqual([]);
    expect(await bench.again().look(attempt)).toEqual({ type: 'exited', exit: { code: 3, timedOut: false } });
    expect(await textOf(bench.spool, attempt)).toBe('begun\ntidied\n');
  });

  test('ends what does not listen', async () => {
    const bench = open();
    const { attempt } = await begin(bench, `trap '' TERM; echo begun; while :; do sleep 1; done`);
    await printed(bench.spool, attempt, 'begun');
    expect(await bench.spool.fence(attempt, { isGentle: false })).toMatchObject({ survivors: [] });
    expect((await bench.spool.look(attempt)).type).toMatch(/^(exited|vanished)$/);
  });

  test('has nothing to end of what has ended, or never was', async () => {
    const bench = open();
    const { attempt, ended } = await begin(bench, 'true');
    await ended;
    expect(await bench.spool.fence(attempt)).toEqual({ ended: 0, survivors: [] });
    expect(await bench.spool.fence(randomId())).toEqual({ ended: 0, survivors: [] });
  });

  test('keeps the note why it was asked to stop, for whoever finds its end', async () => {
    const bench = open();
    const { attempt, ended } = await begin(bench, 'true');
    await ended;
    expect(await bench.spool.stopNote(attempt)).toBeUndefined();
    await bench.spool.noteStop(attempt, '{"type":"cancelled"}');
    expect(await bench.again().stopNote(attempt)).toBe('{"type":"cancelled"}');
  });
}

function harvestContract(open: () => SpoolBench): void {
  test('gives what a command has printed, from its beginning, its end or a place in between', async () => {
    const bench = open();
    const { attempt, ended } = await begin(bench, 'printf "äbc\\ndef\\n"; echo oops >&2');
    await ended;
    const spool = bench.again();
    const read = (maxBytes: number, from: 'start' | 'end') =>
      spool.readOutput(attempt, 'stdout', { maxBytes, from });
    expect(await read(100, 'start')).toMatchObject({ text: 'äbc\ndef\n', bytes: 9, isCut: false });
    expect(await read(1, 'start')).toMatchObject({ text: '', bytes: 9, isCut: true });
    expect(await read(8, 'end')).toMatchObject({ text: 'bc\ndef\n', bytes: 9, isCut: true });
    expect((await spool.readFrom(attempt, { stream: 'stdout', position: 5, maxBytes: 2 })).toString()).toBe(
      'de',
    );
    expect(await spool.readFrom(attempt, { stream: 'stdout', position: 9, maxBytes: 2 })).toHaveLength(0);
    expect((await spool.readOutput(attempt, 'stderr', { maxBytes: 100, from: 'end' })).text).toBe('oops\n');
    expect((await spool.readFrom(attempt, { stream: 'stderr', position: 2, maxBytes: 9 })).toString()).toBe(
      'ps\n',
    );
  });

  test('tells which stream was written to last, whoever reads it', async () => {
    const bench = open();
    const { attempt, ended } = await begin(bench, 'echo early >&2; sleep 0.1; echo late');
    await ended;
    const end = { maxBytes: 100, from: 'end' } as const;
    const stdout = await bench.again().readOutput(attempt, 'stdout', end);
    const stderr = await bench.again().readOutput(attempt, 'stderr', end);
    expect(stdout.writtenAt).toBeGreaterThan(stderr.writtenAt);
    expect(await bench.spool.readOutput(randomId(), 'stdout', end)).toMatchObject({ writtenAt: 0 });
  });

  test('gives what was told to be the result, and the input, or says that there was none', async () => {
    const bench = open();
    const { attempt, ended } = await begin(bench, 'echo "{}" >"$PITON_OUTPUT"', { input: 'asked' });
    const other = await begin(bench, 'true');
    await Promise.all([ended, other.ended]);
    expect(await bench.spool.readResult(attempt, { maxBytes: 100 })).toMatchObject({ text: '{}\n' });
    expect(await bench.spool.readInput(attempt)).toBe('asked');
    expect(await bench.spool.readResult(other.attempt, { maxBytes: 100 })).toBeUndefined();
    expect(await bench.spool.readInput(other.attempt)).toBeUndefined();
  });

  test('is followed until it is over, to the last character', async () => {
    const bench = open();
    const { attempt } = await begin(bench, 'for i in 1 2 3; do echo $i; sleep 0.1; done; printf end');
    const isOver = async (): Promise<boolean> => (await bench.spool.look(attempt)).type === 'exited';
    const pieces = await Array.fromAsync(bench.again().follow(attempt, { isOver }));
    expect(pieces.map(({ text }) => text).join('')).toBe('1\n2\n3\nend');
    expect(pieces.at(-1)).toMatchObject({ stream: 'stdout', lines: 6, end: 9 });
    const rest = await Array.fromAsync(bench.again().follow(attempt, { from: { stdout: 4 }, isOver }));
    expect(rest).toEqual([{ stream: 'stdout', text: '3\nend', lines: 6, end: 9 }]);
  });

  test('tells the last line that shows anything, and when that was printed', async () => {
    const bench = open();
    const before = Date.now();
    const { attempt, ended } = await begin(bench, 'echo first; echo last; echo');
    await ended;
    expect(await bench.spool.lastLine(attempt)).toEqual({ text: 'last', isCut: false });
    // Files tell it to the second on some systems.
    expect(await bench.spool.lastOutputAt(attempt)).toBeGreaterThan(before - 2_000);
    expect(await bench.spool.silentMs(attempt)).toBeLessThan(Date.now() - before + 2_000);
    expect(await bench.spool.lastLine(randomId())).toBeUndefined();
    expect(await bench.spool.lastOutputAt(randomId())).toBeUndefined();
    expect(await bench.spool.silentMs(randomId())).toBe(0);
  });
}

function keepingContract(open: () => SpoolBench): void {
  test('describes what it was told to do, without what is secret, and lists it by run', async () => {
    const bench = open();
    const order = orderIn(bench, 'true', { env: { TOKEN: 'hush' }, secrets: ['TOKEN'], input: 'asked' });
    const other = orderIn(bench, 'true', { run: 'another' });
    await bench.spool.prepare(order, { seq: 3, hash: 'a'.repeat(64) });
    await bench.spool.prepare(other);
    const spool = bench.again();
    const { env: _, input: __, ...written } = order;
    expect(await spool.describe(order.attempt)).toMatchObject({ ...written, head: { seq: 3 } });
    expect(JSON.stringify(await spool.orders())).not.toContain('hush');
    expect((await spool.orders('run')).map(({ attempt }) => attempt)).toEqual([order.attempt]);
    expect((await spool.list()).toSorted()).toEqual([order.attempt, other.attempt].toSorted());
    expect(await spool.describe(randomId())).toBeUndefined();
    expect(await spool.hasUnreadable()).toBe(false);
  });

  test('removes what has ended or has not begun, and refuses what lives', async () => {
    const bench = open();
    const living = await begin(bench, 'echo begun; sleep 1000');
    const dead = await begin(bench, 'true');
    const unbegun = orderIn(bench, 'true');
    await bench.spool.prepare(unbegun);
    await Promise.all([dead.ended, printed(bench.spool, living.attempt, 'begun')]);
    const refused = await bench.again().remove([living.attempt, dead.attempt, unbegun.attempt]);
    expect(refused).toEqual([living.attempt]);
    expect(await bench.spool.list()).toEqual([living.attempt]);
  });

  test('removes what was claimed unbegun, unless somebody may yet come to prepare it', async () => {
    const bench = open();
    const [order, unprepared, orphan] = [1, 2, 3].map(() => orderIn(bench, 'true'));
    await bench.spool.prepare(order!);
    for (const { attempt } of [order!, unprepared!, orphan!]) await bench.spool.claim(attempt);
    await bench.spool.removeUnbegun(order!.attempt);
    await bench.spool.removeUnbegun(unprepared!.attempt);
    await bench.spool.removeUnbegun(orphan!.attempt, { isOrphan: true });
    expect(await bench.spool.list()).toEqual([unprepared!.attempt]);
  });
}

function headsContract(open: () => SpoolBench): void {
  const head = (seq: number, letter: string): JournalHead => ({ seq, hash: letter.repeat(64) });

  test('remembers the furthest head of each run', async () => {
    const bench = open();
    const { heads } = bench.spool;
    expect(await heads.read('run')).toBeUndefined();
    await Promise.all([heads.raise('run', head(2, 'a')), heads.raise('run', head(5, 'b'))]);
    await heads.raise('run', head(3, 'c'));
    expect(await bench.again().heads.read('run')).toEqual(head(5, 'b'));
    expect(await bench.again().heads.read('other')).toBeUndefined();
    expect(await heads.isDamaged('run')).toBe(false);
    await heads.remove('run');
    expect(await bench.again().heads.read('run')).toBeUndefined();
  });

  test('takes a head back only over the one that was meant', async () => {
    const bench = open();
    await bench.spool.heads.raise('run', head(8, 'a'));
    await bench.spool.heads.replace('run', head(4, 'b'), head(7, 'x'));
    expect(await bench.again().heads.read('run')).toEqual(head(8, 'a'));
    await bench.spool.heads.replace('run', head(4, 'b'), head(8, 'a'));
    expect(await bench.again().heads.read('run')).toEqual(head(4, 'b'));
  });

  test('remembers that a run is about to go, until it is gone on with', async () => {
    const bench = open();
    const { heads } = bench.spool;
    await heads.raise('run', head(2, 'a'));
    expect(await heads.isPruned('run')).toBe(false);
    await heads.notePruning('run');
    expect(await bench.again().heads.isPruned('run')).toBe(true);
    await heads.forgetPruning('run');
    expect(await bench.again().heads.isPruned('run')).toBe(false);
    await heads.notePruning('run');
    await heads.raise('run', head(3, 'b'));
    expect(await bench.again().heads.isPruned('run')).toBe(false);
  });

  test('bears witness of what is prepared, and that it has not begun', async () => {
    const bench = open();
    const order = orderIn(bench, 'true');
    await bench.spool.prepare(order, head(3, 'a'));
    expect(await bench.again().heads.read('run')).toEqual(head(3, 'a'));
    expect(await bench.again().heads.isUnbegun('run')).toBe(false);
    await bench.spool.claim(order.attempt);
    await bench.spool.removeUnbegun(order.attempt);
    expect(await bench.again().heads.isUnbegun('run')).toBe(true);
    expect(await bench.again().heads.read('run')).toEqual(head(3, 'a'));
  });
}
