import { expect, test } from 'vitest';
import { redactJson, redactor } from '../../src/engine/redact.ts';

test('a secret that is a part of another leaves nothing of the longer one, in whichever order they are known', () => {
  for (const secrets of [
    ['hunter2', 'hunter2-production'],
    ['hunter2-production', 'hunter2'],
  ]) {
    const redact = redactor(secrets);
    expect(redact('key=hunter2-production, old=hunter2')).toBe('key=***, old=***');
  }
});

test('a secret is hidden as JSON spells it, and line by line', () => {
  const redact = redactor(['first "line"\nsecond line']);
  expect(redact('{"key":"first \\"line\\"\\nsecond line"}')).toBe('{"key":"***"}');
  expect(redact('> second line')).toBe('> ***');
});

test('the beginning of a secret that stands before an ellipsis is hidden too', () => {
  expect(redactor(['swordfish'])('say swordf… and then…')).toBe('say ***… and then…');
});

test('of a text that begins in the middle of a longer one, what may be the end of a secret is left out', () => {
  expect(redactor(['swordfish'])('ordfish opens', true)).toBe('opens');
});

test('what is too short to be a secret stays', () => {
  expect(redactor(['abc'])('abcdef')).toBe('abcdef');
});

test('keys and numbers of a value are hidden as its texts are', () => {
  const redact = redactor(['swordfish', '12345']);
  expect(redactJson({ swordfish: ['swordfish', 12345, 123456, null, true] }, redact)).toEqual({
    '***': ['***', '***', 123456, null, true],
  });
});
