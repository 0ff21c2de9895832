import type { Template } from '../expressions/templates.ts';
import { executingCommand, executingReader, isCommandItself } from './executing-commands.ts';
import type { ShellCommand } from './commands.ts';
import { describeDoubt, describeExecution, describeShell } from './refusals.ts';
import { placeholder, type Place, type Spot } from './scan.ts';
import { scanShell } from './scan-shell.ts';

export interface Quoted {
  readonly text: string;
  /** The expressions that are left in the text, as variables. */
  readonly used: ReadonlySet<string>;
  readonly refusals: readonly {
    readonly message: string;
    readonly remedy: string;
    readonly offset: number;
  }[];
}

export interface Quoting {
  readonly shell: string;
  /** The variable that holds the value of an expression. */
  nameOf(expression: string): string;
}

/** Shells whose quotes and substitutions are those that the scanner knows. */
const knownShells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh']);

/**
 * Shell text without expressions: each became a variable, quoted as its place demands, so that no shell ever reads a
 * value as a part of the text. Where that cannot be promised, the expression is refused.
 */
export function quoteExpressions({ parts }: Template, { shell, nameOf }: Quoting): Quoted {
  const name = shell.slice(shell.lastIndexOf('/') + 1);
  const text = parts.map((part) => ('text' in part ? part.text : placeholder)).join('');
  const { spots, fed } = scanShell(text, name);
  const expressions = parts.filter((part) => 'expression' in part).length;
  if (spots.length !== expressions) throw new Error('the scanner of shell text lost an expression');
  const refusals: Quoted['refusals'][number][] = [];
  const used = new Set<string>();
  let index = 0;
  const texts = parts.map((part) => {
    if ('text' in part) return part.text;
    const spot = spots[index++]!;
    const refusal = knownShells.has(name) ? refuse(spot, name, fed) : describeShell(name);
    if (refusal !== undefined) refusals.push({ ...refusal, offset: part.start });
    if (spot.place !== 'comment') used.add(part.expression);
    return inPlace(spot.place, nameOf(part.expression));
  });
  return { text: texts.join(''), used, refusals };
}

function refuse(
  spot: Spot,
  shell: string,
  fed: readonly ShellCommand[],
): { message: string; remedy: string } | undefined {
  if (spot.place === 'comment') return undefined;
  if (spot.doubt !== undefined) return describeDoubt(spot.doubt);
  if (spot.owners.slice(0, -1).some(isCommandItself))
    return describeExecution({ command: '$(…)', how: 'executes' });
  const execution = spot.owners
    .map((owner) => executingCommand(owner, shell))
    .find((found) => found !== undefined);
  // Who writes to `>(…)` is not followed: `exec` may have sent all output there.
  const found = execution ?? executingReader(fed);
  return found && describeExecution(found);
}

function inPlace(place: Place, variable: string): string {
  switch (place) {
    case 'plain':
      return `"\${${variable}}"`;
    case 'single':
      return `'"\${${variable}}"'`;
    case 'comment':
      return '';
    default:
      return `\${${variable}}`;
  }
}
