import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openFingerprints, sealFingerprints } from '../../src/engine/fingerprints.ts';
import { redactor } from '../../src/engine/redact.ts';

const key = randomBytes(32);

function hidingOf(values: readonly string[], known: readonly string[] = []) {
  return openFingerprints(
    sealFingerprints(values, () => key),
    { key, known },
  )!;
}

test('what is known by fingerprints is hidden exactly as what is known itself', () => {
  const secrets = ['hunter2', 'hunter2-production', 'first "line"\nsecond line', 'ünïcödé-😀', 'aaaa', 'abc'];
  const redact = redactor(secrets);
  const blind = redactor([], hidingOf(secrets));
  const pieces = [...secrets, JSON.stringify(secrets[2]), 'second line', 'a', 'aa', '\n', ' ', 'hunter', 'Ω'];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from(randomBytes(12), (byte) => pieces[byte % pieces.length]).join('');
    expect(blind(text)).toBe(redact(text));
    expect(blind(text, true)).toBe(redact(text, true));
  }
});

test('what is known anyhow is not looked for twice', () => {
  const hiding = hidingOf(['hunter2', 'swordfish'], ['hunter2']);
  expect(hiding.hide('hunter2 and swordfish')).toBe('hunter2 and ***');
});

test('fingerprints are opened by their key alone, and only as they were', () => {
  const sealed = sealFingerprints(['swordfish'], () => key);
  expect(openFingerprints(sealed, { key: randomBytes(32), known: [] })).toBeUndefined();
  const changed = Buffer.from(sealed, 'base64');
  changed[changed.length - 1]! ^= 1;
  expect(openFingerprints(changed.toString('base64'), { key, known: [] })).toBeUndefined();
  for (const sealedOtherwise of ['x', 'AAAA', sealed.slice(0, 40)])
    expect(openFingerprints(sealedOtherwise, { key, known: [] })).toBeUndefined();
});

test('without anything to hide no key is needed', () => {
  const noKey = (): Buffer => {
    throw new Error('asked for');
  };
  expect(sealFingerprints(['abc', ''], noKey)).toBe('');
});
