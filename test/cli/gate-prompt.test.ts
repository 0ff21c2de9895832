/** What keys mean at a prompt, without a terminal. */
import { describe, expect, test } from 'vitest';
import { GatePrompt } from '../../src/interfaces/cli/answers/gate-prompt.ts';
import { readKeys } from '../../src/interfaces/cli/answers/keys.ts';
import type { QuestionView } from '../../src/index.ts';

function prompt(question?: QuestionView, hasDiff = false): { press(sent: string): unknown; text(): string } {
  const shown = new GatePrompt(question, { hasDiff });
  return { press: (sent) => shown.press(readKeys(sent)), text: () => shown.lines(70, 0).join('\n') };
}

const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`;

describe('an approval', () => {
  test('is given or refused with one key, left for later, or looked at first', () => {
    const { press, text } = prompt(undefined, true);
    expect(text()).toBe('  [a]pprove  [r]eject  [d]iff  [l]ater');
    expect(press('a')).toEqual({ type: 'approve' });
    expect(press('R')).toEqual({ type: 'reject' });
    expect(press('d')).toEqual({ type: 'diff' });
    expect(press('l')).toEqual({ type: 'later' });
    expect(press('\u001b')).toEqual({ type: 'later' });
  });

  test.each([
    ['a paste', pasted('a')],
    ['several keys at once', 'aaa'],
    ['a line', 'a\r'],
    ['an arrow', '\u001b[A'],
    ['Enter', '\r'],
    ['another key', 'x'],
    ['a key for a diff that is not there', 'd'],
  ])('is not given by %s', (_what, sent) => {
    expect(prompt().press(sent)).toBeUndefined();
  });
});

describe('a question', () => {
  test('of a few choices has a key for each', () => {
    const { press, text } = prompt({ type: 'choice', choices: ['staging', 3] });
    expect(text()).toBe('    [1] staging\n    [2] 3\n  a number chooses  [r]eject  [l]ater');
    expect(press('2')).toEqual({ type: 'answer', answer: 3 });
    expect(press('3')).toBeUndefined();
  });

  test('of many choices is a line, by number or name', () => {
    const choices = Array.from({ length: 12 }, (_, index) => `choice ${index + 1}`);
    const { press } = prompt({ type: 'choice', choices });
    expect(press('11\r')).toEqual({ type: 'answer', answer: 'choice 11' });
    const other = prompt({ type: 'choice', choices });
    expect(other.press('choice 2\r')).toEqual({ type: 'answer', answer: 'choice 2' });
  });

  test('of yes or no has two', () => {
    const { press, text } = prompt({ type: 'boolean', default: false, until: 60_000 });
    expect(text()).toContain('[y]es  [n]o  [r]eject  [l]ater (default: false, taken in 1m)');
    expect([press('y'), press('n')]).toEqual([
      { type: 'answer', answer: true },
      { type: 'answer', answer: false },
    ]);
  });

  test('of text or a number is typed as a line, which can be mended, and says what is wrong', () => {
    const { press, text } = prompt({ type: 'integer', default: 80 });
    expect(press('9x')).toBeUndefined();
    expect(press('\r')).toBeUndefined();
    expect(text()).toContain('it must be a whole number');
    expect(text()).toContain('> 9x_');
    press('\u007f');
    expect(press('\r')).toEqual({ type: 'answer', answer: 9 });
    press('\u0015');
    expect(press('\r')).toEqual({ type: 'answer', answer: 80 });
  });

  test('a paste is text and never an answer, and what a terminal would obey is no part of it', () => {
    const { press, text } = prompt({ type: 'string' });
    expect(press(pasted('one\ntwo\r\u001b[31m'))).toBeUndefined();
    expect(text()).toContain('> one two [31m_');
    press('\u0015');
    expect(press('yes\r')).toEqual({ type: 'answer', answer: 'yes' });
  });
});
