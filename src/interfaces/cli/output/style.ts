/** Marks text for the eye; on anything but a terminal, or with NO_COLOR, it gives back what it got. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

type Paint = (text: string) => string;

export function styleFor(isColoured: boolean): Style {
  const between =
    (start: number, end: number): Paint =>
    (text) =>
      isColoured && text !== '' ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return Object.freeze({
    bold: between(1, 22),
    dim: between(2, 22),
    red: between(31, 39),
    green: between(32, 39),
    yellow: between(33, 39),
    blue: between(34, 39),
    magenta: between(35, 39),
    cyan: between(36, 39),
  });
}

/** Colour only where someone looks, and wants it. */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const refuses = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return stream.isTTY === true && !refuses;
}
