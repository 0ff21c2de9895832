import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { open, workflow, type Definition, type Piton, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { leaveTrace, tasksRunIn } from '../support/executions.ts';
import { drive, driving, killAt, pointsPassed, repair } from '../support/kill.ts';
import { shapes, type Hands } from '../support/shapes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The commits of a chain: `fetch` starts, settles and `build` starts, settles and `ship` starts. There it is killed. */
async function interruptedChain(mirrored: boolean): Promise<string> {
  const folder = temporaryFolder();
  await killAt('after:attempt.started#3', driving({ shape: 'chain', folders: [folder], mirrored }));
  return folder;
}

async function openIn(folder: string, mirrored: boolean): Promise<Piton> {
  const piton = await open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    ...(mirrored && { mirror: join(folder, 'mirror') }),
  });
  onTestFinished(() => piton.close());
  return piton;
}

/** Brings everything from the log into the database file, as the last process to leave does. */
async function putLogAway(folder: string): Promise<void> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  await piton.runs();
}

/** Changes one bit of the database file, a little behind the only place where that text stands. */
function flipBit(folder: string, after: string): void {
  const file = join(folder, 'piton.db');
  const bytes = readFileSync(file);
  const place = bytes.indexOf(after) + after.length + 20;
  bytes[place] = bytes[place]! ^ 1;
  writeFileSync(file, bytes);
}

function change(folder: string, sql: string): void {
  using database = new DatabaseSync(join(folder, 'piton.db'));
  if (Number(database.prepare(sql).run().changes) === 0) throw new Error(`nothing was changed by: ${sql}`);
}

function chainIn(folder: string): Definition {
  const hands: Partial<Hands> = { ran: async (context) => leaveTrace(folder, context) };
  return shapes.chain(hands as Hands).definition;
}

async function untilHeld(run: Run): Promise<void> {
  await eventually('the run is held', async () => (await run.status()) === 'held');
}

describe.for([
  ['without a mirror', false],
  ['with a mirror', true],
] as const)('%s', ([, mirrored]) => {
  test.for([2, 3])(
    'a change of commit %i is found: verify names it, and nothing goes on from it',
    async (seq) => {
      const folder = await interruptedChain(mirrored);
      await putLogAway(folder);
      flipBit(folder, `"seq":${seq},`);
      const piton = await openIn(folder, mirrored);

      expect(await piton.verify('run')).toMatchObject([{ ok: false, commits: seq - 1, firstBad: seq }]);
      const damaged = { code: 'RUN_DAMAGED', details: { firstBad: seq, lastGood: seq - 1 } };
      await expect(piton.resume(chainIn(folder), 'run')).rejects.toMatchObject(damaged);
      await expect(piton.start(chainIn(folder), { id: 'run' })).rejects.toMatchObject(damaged);
      expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
    },
  );

  test('repair goes back behind a changed commit and holds what may have run since; a person decides', async () => {
    const folder = await interruptedChain(mirrored);
    await putLogAway(folder);
    flipBit(folder, '"seq":3,');
    const piton = await openIn(folder, mirrored);

    const { held, lastGood } = await piton.repair('run');
    const run = await piton.resume(chainIn(folder), 'run');
    await untilHeld(run);

    expect({ held, lastGood }).toEqual({ held: ['build', 'ship'], lastGood: 2 });
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
    for (const task of held) expect(await run.retry(task)).toMatchObject({ status: 'accepted' });
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { ship: 'abc' } });
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build', 'build', 'ship']);
    expect(await piton.verify('run')).toMatchObject([{ ok: true }]);
  });

  test('repair does not believe a changed commit, whichever tasks it names: all that have not settled are held', async () => {
    const folder = await interruptedChain(mirrored);
    change(
      folder,
      `UPDATE commits SET body = replace(body, '"task":"build"', '"uask":"build"') WHERE seq > 1`,
    );
    const piton = await openIn(folder, mirrored);

    const repaired = await piton.repair('run');
    const run = await piton.resume(chainIn(folder), 'run');
    await untilHeld(run);

    expect(repaired).toEqual({ held: ['fetch', 'build', 'ship'], lastGood: 1 });
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
  });

  test("a run's own row that has fallen behind its journal is found, and repaired; there is nothing to hold", async () => {
    const folder = await interruptedChain(mirrored);
    change(folder, `UPDATE runs SET as_of = as_of - 1 WHERE run = 'run'`);
    const piton = await openIn(folder, mirrored);

    expect(await piton.verify('run')).toMatchObject([{ ok: false }]);
    const mended = [expect.stringContaining('of its row')];
    expect(await piton.repair('run')).toEqual({ held: [], lastGood: 3, mended });
    expect(await piton.verify('run')).toMatchObject([{ ok: true }]);
  });

  test('a run whose first commit was changed is beyond repair, and says so', async () => {
    const folder = await interruptedChain(mirrored);
    await putLogAway(folder);
    flipBit(folder, '"seq":1,');
    const piton = await openIn(folder, mirrored);

    await expect(piton.repair('run')).rejects.toMatchObject({ code: 'RUN_LOST' });
    await expect(piton.resume(chainIn(folder), 'run')).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  });

  test('a definition that was changed is found by verify, and not run', async () => {
    const folder = await interruptedChain(mirrored);
    await putLogAway(folder);
    flipBit(folder, '"form":"tasks"');
    const piton = await openIn(folder, mirrored);

    expect(await piton.verify('run')).toMatchObject([{ ok: false, firstBad: 1 }]);
    await expect(piton.resume(chainIn(folder), 'run')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(piton.repair('run')).rejects.toMatchObject({ code: 'RUN_LOST' });
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
  });

  test.for([50, 30_000])('a database file cut to %i bytes is refused as damaged', async (length) => {
    const folder = await interruptedChain(mirrored);
    await putLogAway(folder);
    truncateSync(join(folder, 'piton.db'), length);

    const { lines } = await drive({ shape: 'chain', folders: [folder], mirrored }).ended();

    expect(lines).toEqual(['refused STORE_DAMAGED']);
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
  });
});

/** The first attempt at its second task ends only with the process. */
function bulky(folder: string): Definition {
  return workflow('bulky')
    .task('big', (context) => (leaveTrace(folder, context), 'x'.repeat(20_000)))
    .task('waits', { needs: ['big'] }, async (context) => {
      leaveTrace(folder, context);
      if (context.attempt > 1) return context.needs.big.length;
      await new Promise((_, reject) => context.signal.addEventListener('abort', reject));
    });
}

test.for([
  ['changed', `UPDATE blobs SET text = replace(text, 'xxxx', 'xxxy') WHERE length(text) > 15000`],
  ['lost', `DELETE FROM blobs WHERE length(text) > 15000`],
])(
  'a big value that was %s is found, and repair goes back before it; what is then done again mends it',
  async ([, sql]) => {
    const folder = temporaryFolder();
    const first = await openIn(folder, false);
    await first.start(bulky(folder), { id: 'run' });
    await eventually('the second task runs', () => tasksRunIn(folder).includes('waits'));
    await first.close();
    change(folder, sql!);
    const piton = await openIn(folder, false);

    expect(await piton.verify('run')).toMatchObject([{ ok: false, commits: 1, firstBad: 2 }]);
    expect(await piton.repair('run')).toEqual({ held: ['big', 'waits'], lastGood: 1 });
    expect(await piton.verify('run')).toMatchObject([{ ok: true }]);
    const run = await piton.resume(bulky(folder), 'run');
    await untilHeld(run);
    for (const task of ['big', 'waits']) expect(await run.retry(task)).toMatchObject({ status: 'accepted' });
    await eventually('it waits once more', () => tasksRunIn(folder).length === 4);
    await piton.close();
    const last = await openIn(folder, false);

    const ended = await last.resume(bulky(folder), 'run');

    expect(await ended.result()).toMatchObject({ status: 'succeeded', outputs: { waits: 20_000 } });
    expect(await last.verify('run')).toMatchObject([{ ok: true }]);
    expect(tasksRunIn(folder)).toEqual(['big', 'waits', 'big', 'waits', 'waits']);
  },
);

/** Each takes away the newest commits, or all of them, so that what is left contradicts nothing. */
const losses = {
  'a lost log': (folder: string) => rmSync(join(folder, 'piton.db-wal')),
  'a torn log': (folder: string) => truncateSync(join(folder, 'piton.db-wal'), 8_000),
  async 'an emptied file'(folder: string) {
    await putLogAway(folder);
    truncateSync(join(folder, 'piton.db'), 0);
  },
};

describe.for(Object.keys(losses) as (keyof typeof losses)[])('after %s', (loss) => {
  test('a mirror proves that the run was there: it is not begun anew', async () => {
    const folder = await interruptedChain(true);
    await losses[loss](folder);

    const { lines } = await drive({ shape: 'chain', folders: [folder], mirrored: true }).ended();

    expect(lines).toEqual(['refused RUN_LOST']);
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
  });

  test('without a mirror there is no such run to resume', async () => {
    const folder = await interruptedChain(false);
    await losses[loss](folder);

    const { lines } = await drive({ shape: 'chain', folders: [folder], verb: 'resume' }).ended();

    expect(lines).toEqual(['refused RUN_NOT_FOUND']);
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
  });
});

/** The first two commits are in the database file, the third only in the log. */
async function loseThirdCommit(mirrored: boolean): Promise<string> {
  const folder = temporaryFolder();
  await killAt('after:attempt.started#2', driving({ shape: 'chain', folders: [folder], mirrored }));
  await putLogAway(folder);
  await killAt('before:run.succeeded', driving({ shape: 'chain', folders: [folder], mirrored }));
  rmSync(join(folder, 'piton.db-wal'));
  return folder;
}

describe('a log that was lost with the newest commits alone', () => {
  test('is noticed by the mirror: what may have run is held, and done again only when a person says so', async () => {
    const folder = await loseThirdCommit(true);
    const before = tasksRunIn(folder);
    const piton = await openIn(folder, true);

    expect(await piton.verify('run')).toMatchObject([{ ok: false, commits: 2, firstBad: 3 }]);
    await expect(piton.resume(chainIn(folder), 'run')).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
    const { held } = await piton.repair('run');
    const run = await piton.resume(chainIn(folder), 'run');
    await untilHeld(run);

    expect(held).toEqual(['build', 'ship']);
    expect(tasksRunIn(folder)).toEqual(before);
    for (const task of held) await run.retry(task);
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { ship: 'abc' } });
  });

  test('cannot be noticed without one: the run goes on from what is left, and ends right', async () => {
    const folder = await loseThirdCommit(false);
    const piton = await openIn(folder, false);

    const run = await piton.resume(chainIn(folder), 'run');

    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { ship: 'abc' } });
    expect(tasksRunIn(folder).filter((task) => task === 'fetch')).toHaveLength(1);
    expect(await piton.verify('run')).toMatchObject([{ ok: true }]);
  });
});

test('a repair that is killed anywhere can be repeated, and never lets go of what is to be held', async () => {
  const damaged = await interruptedChain(true);
  await putLogAway(damaged);
  flipBit(damaged, '"seq":2,');
  const copyOf = (): string => {
    const copy = temporaryFolder();
    cpSync(damaged, copy, { recursive: true });
    return copy;
  };
  const places = await pointsPassed((given) => repair(copyOf(), given));
  for (const place of places.flat()) {
    const folder = copyOf();
    await killAt(place, (given) => repair(folder, given));
    const piton = await openIn(folder, true);
    await piton.repair('run');
    const run = await piton.resume(chainIn(folder), 'run');
    await untilHeld(run);

    const { tasks } = await run.checkpoint();
    expect([place, Object.values(tasks).map(({ status }) => status)]).toEqual([
      place,
      ['held', 'held', 'held'],
    ]);
    expect(tasksRunIn(folder)).toEqual(['fetch', 'build']);
    expect(await piton.verify('run')).toMatchObject([{ ok: true }]);
  }
});

test('a repair of the row and the snapshot of a run that is killed anywhere can be repeated', async () => {
  const damaged = temporaryFolder();
  {
    await using piton = await openIn(damaged, true);
    const short = workflow('short', { checkpoint: { preserve: false } }).task('a', () => 1);
    await (await piton.start(short, { id: 'run' })).result();
  }
  const sound = await listedIn(damaged);
  change(damaged, `UPDATE commits SET at = at + 1`);
  change(damaged, `UPDATE snapshots SET text = text || ' '`);
  const copyOf = (): string => {
    const copy = temporaryFolder();
    cpSync(damaged, copy, { recursive: true });
    return copy;
  };
  const places = (await pointsPassed((given) => repair(copyOf(), given))).flat();
  expect(places.filter((place) => place.startsWith('store:before-commit')).length).toBeGreaterThan(2);
  for (const place of places) {
    const folder = copyOf();
    await killAt(place, (given) => repair(folder, given));
    {
      await using piton = await openIn(folder, true);
      await piton.repair('run');
      expect([place, ...(await piton.verify('run'))]).toMatchObject([place, { ok: true }]);
    }
    expect([place, await listedIn(folder)]).toEqual([place, sound]);
  }
});

async function listedIn(folder: string): Promise<unknown> {
  await using piton = await openIn(folder, true);
  return await piton.runs();
}
