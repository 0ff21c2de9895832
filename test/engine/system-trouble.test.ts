import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { isSystemTrouble, throughTrouble } from '../../src/engine/system-trouble.ts';

function lacking(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test('what lacks something is done again until nothing is lacking', async () => {
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const shortages = [lacking('EMFILE'), new Error('not started', { cause: lacking('EIO') })];
  const work = async (): Promise<string> => {
    const next = shortages.shift();
    if (next !== undefined) throw next;
    return 'done';
  };

  const told: (string | undefined)[] = [];
  const stalled = (reason: string | undefined): void => void told.push(reason);
  expect(await throughTrouble({ clock, signal: new AbortController().signal, stalled }, work)).toBe('done');
  expect(told).toEqual(['EMFILE', 'not started', undefined]);
});

test('other errors, and those of one who is no longer wanted, are not waited for', async () => {
  const wanted = { clock: systemClock, stalled: () => {}, signal: new AbortController().signal };
  const unwanted = { clock: systemClock, stalled: () => {}, signal: AbortSignal.abort() };

  await expect(throughTrouble(wanted, () => Promise.reject(lacking('EACCES')))).rejects.toThrow('EACCES');
  await expect(throughTrouble(unwanted, () => Promise.reject(lacking('EMFILE')))).rejects.toThrow('EMFILE');
  expect(isSystemTrouble('EMFILE')).toBe(false);
});
