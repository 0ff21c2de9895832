import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { costOf, install, rowsOfStarts } from '../installed.ts';
import { open } from '../library.ts';
import type { Row } from '../row.ts';
import type { Settings } from '../settings.ts';
import { runOnce, taskChain } from '../workloads.ts';

/** The processors' time of a call, of the package as it is published. All but the first call find compiled what they load. */
export async function commandLine({ rounds }: Settings): Promise<Row[]> {
  const installed = await install();
  const { folder, binary } = installed;
  const store = `sqlite:${join(folder, 'called.db')}`;
  const piton = await open({ store, durability: 'process' });
  await runOnce(piton, taskChain(40));
  await piton.close();
  const status = [binary, 'status', '--store', store];
  const measures = {
    bare: () => costOf(installed, ['-e', '0']).processor,
    version: () => costOf(installed, [binary, '--version'], 'compiled').processor,
    status: () => costOf(installed, status, 'compiled').processor,
    first: () => {
      rmSync(join(folder, 'new'), { recursive: true, force: true });
      return costOf(installed, status, 'new').processor;
    },
  };
  for (const measure of Object.values(measures)) measure();
  return rowsOfStarts({
    rounds,
    measures,
    rows: {
      version: { load: 'piton --version: processor time', limitMs: 25 },
      status: { load: 'piton status: processor time', limitMs: 110 },
      first: { load: 'piton status, never called before: processor time' },
    },
  });
}
