/** What a store has forgotten, and the spool has not. */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { loadWorkflow, type Piton, type Run } from '../../src/index.ts';
import { openStore, type AppendRequest, type Store } from '../../src/store/index.ts';
import { killAt } from '../support/kill.ts';
import { openPiton } from '../support/open-piton.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function trace(name: string): string {
  return `echo ${name} >> ledger; echo ${name}`;
}

type Decision = (run: Run) => Promise<unknown>;

const approve: Decision = (run) => run.approve('b');

/** `b` waits for approval, so that the store can be kept as it was before that. */
class Place {
  readonly folder = temporaryFolder();
  readonly url = `sqlite:${join(this.folder, 'piton.db')}`;

  constructor() {
    this.define({ run: trace('b'), needs: ['a'], approval: 'Go on?', 'on-interrupt': 'ask' });
  }

  define(b: object): void {
    const tasks = { a: { run: trace('a') }, b, c: { run: trace('c'), needs: ['b'] } };
    writeFileSync(join(this.folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
  }

  open(store: string | Store = this.url): Promise<Piton> {
    return openPiton({ store, spool: join(this.folder, 'spool'), durability: 'process', graceMs: 100 });
  }

  async start(piton: Piton): Promise<Run> {
    const run = await piton.start(await loadWorkflow(join(this.folder, 'flow.yaml')), {
      id: 'run',
      origin: { directory: this.folder },
    });
    if ((await run.status()) === 'held') return run;
    const opened = Promise.withResolvers<void>();
    const forget = piton.observe(({ type }) => {
      if (type === 'gate.opened' || type === 'task.held') opened.resolve();
    });
    if ((await run.status()) !== 'held') await Promise.race([opened.promise, run.result().catch(() => {})]);
    forget();
    return run;
  }

  /** Ends the run, and puts the store back to where it was before a person decided about `b`. */
  async loseEnd(decide = approve, goOn = () => this.#goOn(decide)): Promise<void> {
    const first = await this.open();
    await this.start(first);
    await first.close();
    copyFileSync(this.#file, `${this.#file}.older`);
    await goOn();
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#file}${end}`, { force: true });
    copyFileSync(`${this.#file}.older`, this.#file);
  }

  async #goOn(decide: Decision): Promise<void> {
    const piton = await this.open();
    const run = await this.start(piton);
    await decide(run);
    await run.result();
    await piton.close();
  }

  get #file(): string {
    return join(this.folder, 'piton.db');
  }

  get ledger(): string[] {
    const file = join(this.folder, 'ledger');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  changeOrder(task: string, change: (text: string) => string): void {
    for (const attempt of readdirSync(join(this.folder, 'spool')).filter((name) => !name.startsWith('.'))) {
      const file = join(this.folder, 'spool', attempt, 'attempt.json');
      const text = readFileSync(file, 'utf8');
      if ((JSON.parse(text) as { task: string }).task === task) writeFileSync(file, change(text));
    }
  }
}

async function soundness(piton: Piton): Promise<boolean | undefined> {
  return (await piton.verify('run'))[0]?.ok;
}

test('a driver that is stopped while it takes up what was lost does not take it for something that never began', async () => {
  const place = new Place();
  await place.loseEnd();
  const repairing = await place.open();
  expect(await repairing.repair('run')).toMatchObject({ held: [], takenUp: expect.arrayContaining(['b']) });
  await repairing.close();

  const inner = await openStore(place.url, { durability: 'process', clock: systemClock });
  let closing: Promise<void> | undefined;
  const append = async (request: AppendRequest): Promise<void> => {
    await inner.append(request);
    if (request.commit.body.includes('"isSpooled":true')) closing ??= piton.close();
  };
  const store = new Proxy(inner, {
    get(target, key) {
      if (key === 'append') return append;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const piton = await place.open(store);
  const run = await place.start(piton);
  await run.approve('b').catch(() => {});
  await run.result().catch(() => {});
  await closing;
  expect(closing).toBeDefined();

  const again = await place.open();
  const { status } = await (await place.start(again)).result();
  expect({ status, ledger: place.ledger }).toEqual({ status: 'succeeded', ledger: ['a', 'b', 'c'] });
});

test('a run is not told of attempts of another that had its id and was pruned', async () => {
  const place = new Place();
  const piton = await place.open();
  const first = await place.start(piton);
  await first.approve('b');
  await first.result();
  await piton.prune({ runs: ['run'] });
  const second = await place.start(piton);
  expect(await soundness(piton)).toBe(true);
  await second.approve('b');
  await second.result();
  expect(place.ledger).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('what the spool cannot tell of any more is held once, and then the run is sound', async () => {
  const place = new Place();
  await place.loseEnd();
  place.changeOrder('b', (text) =>
    JSON.stringify({ ...(JSON.parse(text) as object), journalled: { task: 'c' } }),
  );
  const piton = await place.open();
  expect(await piton.repair('run')).toMatchObject({ held: ['b'], takenUp: ['c'] });
  expect(await soundness(piton)).toBe(true);
  expect(await piton.repair('run')).toMatchObject({ held: [] });
});

test('an attempt that has begun and whose folder is damaged is not taken for none', async () => {
  const place = new Place();
  await place.loseEnd();
  place.changeOrder('b', (text) => text.slice(0, 40));
  const piton = await place.open();
  expect(await piton.repair('run')).toMatchObject({ held: ['b', 'c'] });
  await place.start(piton);
  expect(place.ledger).toEqual(['a', 'b', 'c']);
});

test('the decision to go on with a held task takes up what came of it when it was made before', async () => {
  const place = new Place();
  // The first time its wrapper is killed: nobody knows how it ended.
  const dieOnce = `echo b >> ledger; [ $(grep -c b ledger) -gt 1 ] || { kill -9 $PPID; sleep 1; exit 1; }`;
  place.define({ run: dieOnce, needs: ['a'], 'on-interrupt': 'ask' });
  const retry: Decision = (run) => run.retry('b');
  await place.loseEnd(retry);
  const before = place.ledger;
  const piton = await place.open();
  await piton.repair('run');
  const run = await place.start(piton);
  expect(await run.status()).toBe('held');
  await retry(run);
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
  expect(place.ledger).toEqual(before);
});

test('a run that is cancelled before it takes up what lives of it ends that', async () => {
  const place = new Place();
  place.define({ run: 'exec sleep 600', needs: ['a'], approval: 'Go on?', 'on-interrupt': 'ask' });
  await place.loseEnd(undefined, async () => {
    const piton = await place.open();
    await approve(await piton.find('run'));
    await piton.close();
    const args = [JSON.stringify({ folders: [place.folder] })];
    await killAt('engine:after-spawn#1', (env) => startProgram('drive-commands', { args, env }));
  });
  const piton = await place.open();
  const living = async (): Promise<number[]> => (await piton.keptAttempts()).flatMap(({ pid }) => pid ?? []);
  onTestFinished(async () => (await living()).forEach((pid) => process.kill(-pid, 'SIGKILL')));
  // It was only just started when its driver died.
  await expect.poll(living).toHaveLength(1);
  await piton.repair('run');
  const run = await place.start(piton);
  await run.cancel('enough');
  expect(await run.result()).toMatchObject({ status: 'cancelled' });
  await expect.poll(living).toEqual([]);
});
