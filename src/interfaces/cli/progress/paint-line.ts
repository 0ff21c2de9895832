import { cleanLine, cleanText, type Style } from '../output/index.ts';
import type { Saying, Tone } from './describe-event.ts';

const colours: Readonly<Record<Tone, keyof Style | undefined>> = {
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  plain: undefined,
  quiet: 'dim',
};

export function paintLine(
  style: Style,
  { tone, text }: { readonly tone: Tone; readonly text: string },
): string {
  const colour = colours[tone];
  return colour === undefined ? text : style[colour](text);
}

/** A saying as lines to print: what happened, and below it the commands to type. */
export function sayingLines(
  style: Style,
  { tone, symbol, text, commands = [], details = [] }: Saying,
): string[] {
  const colour = colours[tone];
  const mark = colour === undefined ? symbol : style[colour](symbol);
  return [
    `${mark} ${cleanLine(text)}`,
    ...details.map((line) => `    ${cleanText(line)}`),
    ...commands.map((command) => `    ${cleanLine(command)}`),
  ];
}
