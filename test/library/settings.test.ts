import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  open,
  registerStore,
  workflow,
  type AppendRequest,
  type InboxCommand,
  type Piton,
  type Run,
  type RunEvent,
  type RunSettings,
  type Store,
} from '../../src/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton, type Latch } from '../support/open-piton.ts';
import { openPlace, played } from '../support/scripted-place.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const quick = workflow('quick').task('a', () => 1);

/** Four tasks, each of which waits until it may end. */
function waiting(settings: { readonly maxParallel?: number } = {}) {
  const names = ['a', 'b', 'c', 'd'] as const;
  const latches = Object.fromEntries(names.map((name) => [name, latch()])) as Record<string, Latch>;
  const wait =
    (name: string) =>
    async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      const stopped = once(signal, 'abort').then(() => signal.throwIfAborted());
      await Promise.race([latches[name]!.opened, stopped]);
    };
  const definition = workflow('waiting', settings)
    .task('a', wait('a'))
    .task('b', wait('b'))
    .task('c', wait('c'))
    .task('d', wait('d'));
  return { definition, end: (name: string) => latches[name]!.open() };
}

async function running(run: Run): Promise<string[]> {
  const { tasks } = await run.checkpoint();
  return Object.keys(tasks).filter((task) => tasks[task]!.status === 'running');
}

async function eventsOf(run: Run, type: RunEvent['type']): Promise<RunEvent[]> {
  return (await Array.fromAsync(run.history())).filter((event) => event.type === type);
}

async function openBoth(): Promise<readonly [Piton, Piton]> {
  const store = `sqlite:${join(temporaryFolder(), 'piton.db')}`;
  const both = [
    await open({ store, durability: 'process' }),
    await open({ store, durability: 'process' }),
  ] as const;
  onTestFinished(async () => void (await Promise.all(both.map((piton) => piton.close()))));
  return both;
}

describe('what is said of a run', () => {
  const about = {
    name: 'Release 1.2',
    labels: { team: 'web' },
    group: 'releases',
    note: 'first\nsecond',
    metadata: { ticket: 'ABC-1', parts: [1, { two: null }] },
  };

  test('is given at its start, shown, and what lists choose by', async () => {
    const piton = await openPiton();
    const run = await piton.start(quick, { id: 'one', ...about });
    await run.result();
    await (await piton.start(quick, { id: 'two', group: 'releases', labels: { team: 'app' } })).result();
    await (await piton.start(quick, { id: 'three' })).result();
    expect((await run.view()).about).toEqual(about);
    expect((await run.checkpoint(1)).about).toEqual(about);
    expect(await piton.runs({ group: 'releases' })).toMatchObject([{ run: 'two' }, { run: 'one', about }]);
    expect(await piton.runs({ group: 'releases', labels: { team: 'web' } })).toMatchObject([{ run: 'one' }]);
    expect(await piton.runs({ name: 'lease' })).toMatchObject([{ run: 'one' }]);
    const three = (await piton.runs()).find(({ run: id }) => id === 'three');
    expect(three).toMatchObject({ status: 'succeeded' });
    expect(three).not.toHaveProperty('about');
    expect((await piton.verify()).every(({ ok }) => ok)).toBe(true);
  });

  test('that cannot be kept is refused before the run begins', async () => {
    const piton = await openPiton();
    const start = piton.start(quick, { id: 'one', name: 'a\u001b[2Jb' });
    await expect(start).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('the name must be one line without control characters'),
    });
    await expect(piton.start(quick, { metadata: { at: new Date() } as never })).rejects.toMatchObject({
      code: 'NOT_SERIALISABLE',
    });
    expect(await piton.runs()).toEqual([]);
  });

  test('holds no secret, neither in the journal nor in the inbox', async () => {
    const folder = temporaryFolder();
    const store = `sqlite:${join(folder, 'piton.db')}`;
    const piton = await open({
      store,
      durability: 'process',
      environment: { PATH: process.env['PATH'], TOKEN: 'hunter2-hunter2' },
      secrets: ['TOKEN'],
    });
    onTestFinished(() => piton.close());
    const run = await piton.start(quick, { id: 'one', note: 'it is hunter2-hunter2' });
    await run.result();
    expect(
      await run.set({ labels: { key: 'hunter2-hunter2' }, metadata: { x: ['a hunter2-hunter2'] } }),
    ).toEqual({
      status: 'accepted',
      text: 'label key is ***; metadata x is kept',
    });
    expect((await run.view()).about).toEqual({
      note: 'it is ***',
      labels: { key: '***' },
      metadata: { x: ['a ***'] },
    });
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(join(folder, 'piton.db'));
    for (const sql of ['SELECT body AS text FROM commits', 'SELECT command AS text FROM inbox'])
      for (const { text } of database.prepare(sql).all()) expect(text).not.toContain('hunter2');
  });

  test('is changed while the run is driven here or elsewhere, while nobody drives it, and after its end', async () => {
    const [driving, other] = await openBoth();
    const { definition, end } = waiting();
    const run = await driving.start(definition, { id: 'one' });
    expect(await run.set({ name: 'here' })).toEqual({ status: 'accepted', text: 'name is here' });
    const elsewhere = await other.find('one');
    expect(await elsewhere.set({ labels: { from: 'elsewhere' } })).toMatchObject({ status: 'accepted' });
    expect((await other.runs())[0]!.about).toEqual({ name: 'here', labels: { from: 'elsewhere' } });

    await driving.close();
    expect(await elsewhere.status()).toBe('interrupted');
    expect(await elsewhere.set({ note: 'nobody drives it' })).toMatchObject({ status: 'accepted' });
    expect(await elsewhere.status()).toBe('interrupted');
    const resumed = await other.resume(definition, 'one');
    for (const name of ['a', 'b', 'c', 'd']) end(name);
    await resumed.result();
    expect(await elsewhere.set({ name: null, group: 'ended' })).toMatchObject({ status: 'accepted' });
    expect((await elsewhere.view()).about).toEqual({
      labels: { from: 'elsewhere' },
      note: 'nobody drives it',
      group: 'ended',
    });
    expect(await elsewhere.set({ maxParallel: 1 })).toMatchObject({ status: 'refused' });
    expect(await elsewhere.status()).toBe('succeeded');
    expect(await eventsOf(elsewhere, 'run.described')).toHaveLength(4);
    expect((await other.verify('one'))[0]).toMatchObject({ ok: true });
  });

  test('by several at once is all of it, each once', async () => {
    const both = await openBoth();
    await (await both[0].start(quick, { id: 'one' })).result();
    const names = Array.from({ length: 12 }, (_, index) => `k${index}`);
    const results = await Promise.all(
      names.map(async (name, index) => (await both[index % 2]!.find('one')).set({ labels: { [name]: 'x' } })),
    );
    expect(results.every(({ status }) => status === 'accepted')).toBe(true);
    const run = await both[0].find('one');
    expect(Object.keys((await run.view()).about!.labels!).toSorted()).toEqual(names.toSorted());
    expect(await eventsOf(run, 'run.described')).toHaveLength(12);
    expect(await both[1].checkStore()).toEqual([]);
  });

  test('in the moment in which the run ends is not lost', async () => {
    const [sent, answers] = [latch(), [] as Promise<unknown>[]];
    const piton = await openPiton({
      store: storeThat({
        async append(store, request) {
          if (request.release?.leftOver !== undefined && answers.length === 0) {
            answers.push(piton.find('one').then((run) => run.set({ note: 'late' })));
            await sent.opened;
          }
          return store.append(request);
        },
        sendCommand: (store, command) => store.sendCommand(command).finally(() => sent.open()),
      }),
    });
    const run = await piton.start(quick, { id: 'one' });
    await run.result();
    expect(await answers[0]).toEqual({ status: 'accepted', text: 'the note is kept' });
    expect((await run.view()).about).toEqual({ note: 'late' });
  });
});

type Doings = {
  readonly [Name in 'append' | 'sendCommand']: (
    store: Store,
    given: Parameters<Store[Name]>[0],
  ) => ReturnType<Store[Name]>;
};

/** A store in memory that does these two otherwise. */
function storeThat(doings: Doings): string {
  registerStore('otherwise', async (_, options) => {
    const inner = await openMemoryStore('memory:', options);
    return new Proxy(inner, {
      get(store, name) {
        if (name === 'append') return (given: AppendRequest) => doings.append(store, given);
        if (name === 'sendCommand') return (given: InboxCommand) => doings.sendCommand(store, given);
        const value: unknown = Reflect.get(store, name);
        return typeof value === 'function' ? (value.bind(store) as unknown) : value;
      },
    });
  });
  return 'otherwise:';
}

describe('limits of a run', () => {
  test('are obeyed at once by whoever drives it', async () => {
    const [driving, other] = await openBoth();
    const { definition, end } = waiting({ maxParallel: 3 });
    const run = await driving.start(definition, { id: 'one' });
    await eventually('three are running', async () => (await running(run)).length === 3);
    const elsewhere = await other.find('one');
    expect((await elsewhere.set({ maxParallel: 1 })).text).toContain('nothing new starts until fewer are');
    end('a');
    end('b');
    await eventually('one is running', async () => (await running(run)).length === 1);
    expect(await running(run)).toEqual(['c']);
    expect(await elsewhere.set({ maxParallel: 2 })).toMatchObject({ status: 'accepted' });
    expect(await running(run)).toEqual(['c', 'd']);
    const [set] = (await elsewhere.view()).limits!.set!;
    expect(set).toMatchObject({ limit: 'max-parallel', to: 2, by: { pid: process.pid } });
    end('c');
    end('d');
    expect((await run.result()).status).toBe('succeeded');
    expect((await run.view()).limits).toMatchObject({ maxParallel: 2 });
  });

  test('that were set while nobody drove it are those it goes on with', async () => {
    const [driving, other] = await openBoth();
    const { definition, end } = waiting();
    await driving.start(definition, { id: 'one' });
    await driving.close();
    const run = await other.find('one');
    await run.set({ maxParallel: 2 });
    const resumed = await other.resume(definition, 'one');
    await eventually('two are running', async () => (await running(resumed)).length === 2);
    expect(await running(resumed)).toHaveLength(2);
    await run.set({ maxParallel: null });
    await eventually('four are running', async () => (await running(resumed)).length === 4);
    for (const name of ['a', 'b', 'c', 'd']) end(name);
    await resumed.result();
  });

  test('such as a budget stop an agent that has used more, and let it go on in its session', async () => {
    const { piton, run: start } = await openPlace();
    const soFar = (input: number): object => ({ usage: { input, output: 0, soFar: true } });
    const build = played([[soFar(50), soFar(80), { hang: true }], [{ answer: 'done' }]]);
    const run = await start({ build });
    const used = async (): Promise<number> => (await run.checkpoint()).usage?.input ?? 0;
    await eventually('it has used something', async () => (await used()) >= 80);
    expect(await run.set({ budget: { tokens: 60 } })).toMatchObject({ status: 'accepted' });
    await eventually('it is held', async () => (await run.checkpoint()).status === 'held');
    expect((await run.checkpoint()).tasks['build']!.reason).toBe(
      'the budget of the run, 60 tokens, is used up: 80',
    );
    expect(await run.set({ budget: { tokens: 'none' } })).toMatchObject({ status: 'accepted' });
    expect((await run.result()).status).toBe('succeeded');
    expect(await piton.inbox()).toEqual([]);
  });

  test.for([
    [{}, 'Nothing is to be set'],
    [{ maxparallel: 1 }, 'did you mean maxParallel?'],
    [{ budget: { dollars: 1 } }, 'known are usd, tokens'],
    [{ budget: 3 }, 'an object with named values'],
    [{ maxParallel: '2' }, 'max-parallel must be a whole number above zero, or none'],
    [{ maxSteps: 'none' }, 'max-steps must be a whole number above zero'],
    [{ name: 7 }, 'the name must be text'],
    [{ labels: { 'a b': 'c' } }, 'no key of a label'],
  ] as const)('that are none are refused before anybody is asked: %j', async ([settings, reason]) => {
    const piton = await openPiton();
    const run = await piton.start(quick, { id: 'one' });
    await expect(run.set(settings as RunSettings)).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining(reason),
    });
  });
});
