import type { Execution } from './executing-commands.ts';
import type { Doubt } from './scan.ts';

interface Refusal {
  readonly message: string;
  readonly remedy: string;
}

const byEnvironment = 'Give it a name with `env`, and use "$NAME" where the shell reads a word.';

const doubts: Readonly<Record<Doubt, string>> = {
  arithmetic: 'A value cannot stand in arithmetic: some shells would execute what is in it.',
  backticks: 'A value cannot stand in backticks, which are read twice.',
  braces: 'A value cannot stand in `${…}`: shells do not agree on how to quote it there.',
  escape: 'A backslash stands before the expression, so that its value could not be quoted.',
  dollar: 'A `$` stands directly before the expression, and would mean something else with it.',
  here: 'A value cannot stand in a here-document whose delimiter is quoted: the shell expands nothing there.',
  delimiter: 'The delimiter of a here-document cannot be a value.',
  ansi: "A value cannot stand in `$'…'`: shells do not agree on how to quote it there.",
  unclear: 'How this text is quoted cannot be told for certain, so no value can stand in it.',
};

const remedies: Partial<Readonly<Record<Doubt, string>>> = {
  backticks: 'Write $(…) instead.',
  escape: 'Remove the backslash.',
  dollar: 'Put the `$` in single quotes.',
  here: 'Take the quotes from the delimiter, and write `\\$` for every `$` that is to stay.',
  delimiter: 'Use a fixed word.',
};

export function describeDoubt(doubt: Doubt): Refusal {
  return { message: doubts[doubt], remedy: remedies[doubt] ?? byEnvironment };
}

export function describeExecution({ command, how }: Execution): Refusal {
  if (how === 'calculates') {
    const message = `\`${command}\` calculates with this value: some shells would execute what is in it.`;
    return { message, remedy: 'Compare it as text, or in an `if` of the task.' };
  }
  const message = `\`${command}\` would execute what is in this value.`;
  const remedy =
    'Pass it as an argument: sh -c \'echo "$1"\' sh ${{ … }}. Or give it a name with `env`, and use "$NAME" inside.';
  return { message, remedy };
}

export function describeShell(shell: string): Refusal {
  const message = `Expressions cannot stand in text for \`${shell}\`, whose quoting Piton does not know.`;
  return { message, remedy: 'Give the value a name with `env`, and use that.' };
}
