import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomId } from '../../src/base/index.ts';
import { findSandbox, Sandbox } from '../../src/sandbox/index.ts';
import type { SpoolOrder, Spool } from '../../src/spool/index.ts';
import { LocalSpool } from '../../src/spool/local/index.ts';
import { interleave, medianOf, medianRatio, timed } from '../rounds.ts';
import { atMostMs, type Row } from '../row.ts';
import { inFolder, scaled, type Settings } from '../settings.ts';

const attempts = 20;

/** What an attempt of `true` takes in the sandbox, from its folder to its end. Floor: the same without. None where there is no sandbox. */
export async function sandbox(settings: Settings): Promise<Row[]> {
  if ((await findSandbox(process.env)).by === 'none') return [];
  return inFolder(async (folder) => {
    const place = join(folder, 'place');
    mkdirSync(place);
    const spool = new LocalSpool({
      folder: join(folder, 'spool'),
      keys: join(folder, 'keys'),
      graceMs: 1_000,
      durability: 'process',
    });
    const contained = new Sandbox({ environment: process.env, spool: join(folder, 'spool') });
    const count = scaled(attempts, settings);
    const each = async (order: () => Promise<SpoolOrder>): Promise<number> =>
      (await timed(async () => {
        for (let done = 0; done < count; done++) await live(spool, await order());
      })) / count;
    const samples = await interleave(settings.rounds, {
      ours: () => each(() => containedOrder(contained, spool, place)),
      floor: () => each(async () => orderIn(place)),
    });
    const cost = medianOf(samples, 'ours') - medianOf(samples, 'floor');
    return [
      {
        load: 'an attempt in the sandbox (floor: without)',
        durability: 'process',
        unit: 'ms',
        ours: medianOf(samples, 'ours'),
        floor: medianOf(samples, 'floor'),
        ratio: medianRatio(samples, ['ours', 'floor']),
        target: { ...atMostMs(cost, 25), text: 'ms more ≤ 25' },
      },
    ];
  });
}

async function live(spool: Spool, order: SpoolOrder): Promise<void> {
  await spool.prepare(order);
  const process = await spool.start(order);
  const ending = await spool.ended(order.attempt, { process });
  if (ending?.type !== 'exited' || ending.exit.code !== 0) throw new Error(JSON.stringify(ending));
}

function orderIn(place: string): SpoolOrder {
  return {
    attempt: randomId(),
    run: 'run',
    seq: 1,
    task: 'task',
    number: 1,
    key: 'key',
    argv: ['true'],
    directory: place,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: process.env['HOME'] ?? '/' },
    secrets: [],
  };
}

async function containedOrder(contained: Sandbox, spool: Spool, place: string): Promise<SpoolOrder> {
  const order = orderIn(place);
  const words = await contained.wordsFor({
    place,
    directory: place,
    attempt: spool.folderOf(order.attempt),
    program: 'true',
    env: order.env,
    caches: [],
    writes: [],
    hasNetwork: true,
    mayWrite: true,
  });
  return { ...order, sandbox: { by: 'bubblewrap', hasNetwork: true, words } };
}
