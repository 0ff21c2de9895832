import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { open, registerStore } from '../../src/index.ts';
import { openStore, resolveStore } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const options = { durability: 'full', clock: systemClock } as const;
const openNothing = (): never => {
  throw new Error('never opened');
};

test('a store is opened by the scheme of its URL, in whatever case it is written', async () => {
  await using piton = await open({ store: 'MEMORY:' });
  expect(await piton.runs()).toEqual([]);
});

test('an opener may be registered again, but not be replaced by another', () => {
  registerStore('registry-test', openMemoryStore);
  registerStore('registry-test', openMemoryStore);
  expect(() => registerStore('registry-test', openNothing)).toThrow(/'registry-test:' has an opener already/);
  expect(() => registerStore('memory', openNothing)).toThrow(/'memory:' has an opener already/);
});

test.each([
  ['memry:x', "Did you mean 'memory:'?"],
  ['postgres://localhost/piton', 'Known are: '],
  ['.piton/piton.db', "write 'sqlite:.piton/piton.db'"],
])('the URL %s is refused with a way out', async (url, remedy) => {
  await expect(openStore(url, options)).rejects.toMatchObject({
    code: 'STORE_UNKNOWN',
    message: expect.stringContaining(remedy) as string,
    details: { url, known: expect.arrayContaining(['memory', 'sqlite']) as string[] },
  });
});

test('what a URL means is answered by who opens such stores', () => {
  registerStore('resolved-test', openNothing, {
    resolve: (url, directory) => ({ url: `${url}@${directory}`, file: `${directory}/it` }),
  });
  // Somebody who does not know of it changes nothing.
  registerStore('resolved-test', openNothing);
  expect(resolveStore('Resolved-Test:x', '/work')).toEqual({
    url: 'Resolved-Test:x@/work',
    file: '/work/it',
  });
  for (const url of ['memory:x', 'unknown:x', 'x.db', ''])
    expect(resolveStore(url, '/work')).toEqual({ url });
});

test.each([
  ['sqlite:piton.db', 'plain'],
  ['SQLITE:./piton.db?patience=50&min-free=0', 'plain'],
  ['sqlite:deeper/../piton.db', 'who? me?'],
  ['sqlite:piton.db?patience=50', 'who? me?'],
  ['sqlite:piton.db?', '100%2Fsure'],
])('%s, written in a folder called %s, is the same file from anywhere', async (url, name) => {
  const folder = join(temporaryFolder(), name);
  const resolved = resolveStore(url, folder);
  expect(resolved.file).toBe(join(folder, 'piton.db'));
  expect(resolveStore(resolved.url, '/')).toEqual(resolved);
  const store = await openStore(resolved.url, options);
  await store.close();
  expect(store.file).toBe(resolved.file);
  expect(existsSync(join(folder, 'piton.db'))).toBe(true);
});

test.each(['sqlite:', 'sqlite:?patience=1', 'sqlite::memory:'])(
  '%s names no file, in whatever folder: it is refused when it is opened',
  async (url) => {
    expect(resolveStore(url, '/work')).toEqual({ url });
    await expect(openStore(url, options)).rejects.toMatchObject({ code: 'STORE_URL_INVALID' });
  },
);

test('a store in memory refuses a URL it does not understand', async () => {
  await expect(openStore('memory:x?heartbeat=maybe', options)).rejects.toMatchObject({
    code: 'STORE_URL_INVALID',
  });
});
