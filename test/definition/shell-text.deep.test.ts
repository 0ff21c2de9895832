import { describe, expect, test } from 'vitest';
import { findHarmfulText, findWrongValue, shells } from './shell-text.ts';

describe.each(shells)('with %s', (shell) => {
  test('many values, in every place', () => expect(findWrongValue(shell, 200)).toBeUndefined());

  test('many texts, with values that would do harm', () =>
    expect(findHarmfulText(shell, 600)).toBeUndefined());
});
