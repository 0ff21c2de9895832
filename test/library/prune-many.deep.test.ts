/** A thousand runs of a hundred tasks: what is removed of them is given back, and the rest is as it was. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { open } from '../../src/index.ts';
import { layers, runMany } from '../../bench/workloads.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test(
  'of a thousand runs a hundred are kept, and most of the file is given back',
  { timeout: 300_000 },
  async () => {
    const file = join(temporaryFolder(), 'piton.db');
    const piton = await open({ store: `sqlite:${file}`, durability: 'process' });
    onTestFinished(() => piton.close());
    await runMany(piton, layers(100, 10), { runs: 1_000, concurrency: 16 });
    const before = statSync(file).size;
    const dry = await piton.prune({ keep: 100, dryRun: true });
    const { runs, gone, space } = await piton.prune({ keep: 100 });
    expect(runs).toBe(900);
    expect(gone).toEqual(dry.gone);
    expect(space).toMatchObject({ freeBytes: 0 });
    expect(statSync(file).size).toBeLessThan(before / 6);
    expect(await piton.runs()).toHaveLength(100);
    expect((await piton.verify()).filter(({ ok }) => !ok)).toEqual([]);
    expect(await piton.checkStore()).toEqual([]);
  },
);
