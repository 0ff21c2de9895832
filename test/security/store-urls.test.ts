import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { open, workflow } from '../../src/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A store that is in no file of this machine, with a password in its URL. */
async function farStore(): Promise<Store> {
  const inner = await openMemoryStore('memory:far', { durability: 'process', clock: systemClock });
  return new Proxy(inner, {
    get(store, name: keyof Store) {
      if (name === 'url') return 'far://ada:hunter2@far.example/runs';
      if (name === 'durability') return 'process';
      const value: unknown = store[name];
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

test('what is in the URL of a store is not written beside the output of commands', async () => {
  const folder = temporaryFolder();
  await using piton = await open({ store: await farStore(), spool: join(folder, 'spool') });
  const flow = workflow('flow').command('env', 'env');
  const run = await piton.start(flow, { id: 'r', origin: { directory: folder } });
  expect((await run.result()).status).toBe('succeeded');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
  expect(files.filter((file) => file.endsWith('attempt.json'))).toHaveLength(1);
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('hunter2'))).toEqual([]);
});
