import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { isShortage, throughShortage } from '../../src/engine/shortage.ts';

function lacking(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test('what lacks something is done again until nothing is lacking', async () => {
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const shortages = [lacking('EMFILE'), new Error('not started', { cause: lacking('EAGAIN') })];
  const work = async (): Promise<string> => {
    const next = shortages.shift();
    if (next !== undefined) throw next;
    return 'done';
  };

  expect(await throughShortage({ clock, signal: new AbortController().signal }, work)).toBe('done');
});

test('other errors, and those of one who is no longer wanted, are not waited for', async () => {
  const wanted = { clock: systemClock, signal: new AbortController().signal };
  const unwanted = { clock: systemClock, signal: AbortSignal.abort() };

  await expect(throughShortage(wanted, () => Promise.reject(lacking('EACCES')))).rejects.toThrow('EACCES');
  await expect(throughShortage(unwanted, () => Promise.reject(lacking('EMFILE')))).rejects.toThrow('EMFILE');
  expect(isShortage('EMFILE')).toBe(false);
});
