import { describe, expect, test } from 'vitest';
import { command } from './shell-commands.ts';
import { findHarmfulText, findWrongValue, shells } from './shell-text.ts';

/** Looked at in one pass: otherwise this would take hours. */
test('deeply nested text is looked at', () => {
  expect(() => command(`${'echo $(( $( (( '.repeat(2_000)} \${{ inputs.v }}`, 'bash')).toThrow('arithmetic');
});

describe.each(shells)('with %s', (shell) => {
  test('whatever a value is, every place holds exactly that value, and nothing of it is executed', () =>
    expect(findWrongValue(shell, 30)).toBeUndefined());

  test('whatever a text is, it is refused or executes nothing of a value', () =>
    expect(findHarmfulText(shell, 100)).toBeUndefined());
});
