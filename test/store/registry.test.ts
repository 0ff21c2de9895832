import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
// From there, which registers what everyone knows.
import { open, registerStore } from '../../src/index.ts';
import { openStore } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';

const options = { durability: 'full', clock: systemClock } as const;
const openNothing = (): never => {
  throw new Error('never opened');
};

test('a store is opened by the scheme of its URL, in whatever case it is written', async () => {
  await using piton = await open({ store: 'MEMORY:' });
  expect(await piton.list()).toEqual([]);
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

test('a store in memory refuses a URL it does not understand', async () => {
  await expect(openStore('memory:x?heartbeat=maybe', options)).rejects.toMatchObject({
    code: 'STORE_URL_INVALID',
  });
});
