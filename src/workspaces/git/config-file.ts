/** The files of git's configuration, read and written without git: reading one must not cost a process each time. */

export interface ConfigEntry {
  /** As git names it: `remote.Origin.pushurl`, section and name in lower case. */
  readonly key: string;
  /** Absent: named without a value, which counts as true. */
  readonly value?: string;
}

export interface ParsedConfig {
  readonly entries: readonly ConfigEntry[];
  /** False: it was not understood to its end. */
  readonly isWhole: boolean;
}

/** Includes are entries like any others. What comes after a mistake is not read: git would refuse all of it. */
export function parseConfig(text: string): ParsedConfig {
  const entries: ConfigEntry[] = [];
  let rest = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  let section = '';
  for (;;) {
    rest = rest.replace(blank, '');
    const heading = headings.exec(rest);
    const name = heading === null ? /^[a-z][a-z0-9-]*/i.exec(rest)?.[0] : undefined;
    if (heading !== null) {
      section = sectionOf(heading);
      rest = rest.slice(heading[0].length);
    } else if (name !== undefined && section !== '') {
      const { value, length } = valueOf(rest.slice(name.length));
      if (length < 0) return { entries, isWhole: false };
      const key = `${section}.${name.toLowerCase()}`;
      entries.push(value === undefined ? { key } : { key, value });
      rest = rest.slice(name.length + length);
    } else return { entries, isWhole: rest === '' };
  }
}

const blank = /^(?:\s+|[#;][^\n]*(?:\n|$))+/;
const headings = /^\[([a-z0-9.-]+)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]/i;

function sectionOf([, name, quoted]: RegExpExecArray): string {
  const section = name!.toLowerCase();
  return quoted === undefined ? section : `${section}.${quoted.replaceAll(/\\(.)/g, '$1')}`;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  b: '\b',
  '"': '"',
  '\\': '\\',
  '\n': '',
};

const values = /^[ \t]*=[ \t]*((?:"(?:[^"\\\n]|\\[ntb"\\\n])*"|\\[ntb"\\\n]|[^"\\\n#;])*)(?=[\n#;]|$)/;

/** What follows a name, up to the end of its line. A length below zero: it is not written as git wants it. */
function valueOf(text: string): { readonly value?: string; readonly length: number } {
  const [whole, written] = values.exec(text) ?? [];
  if (whole === undefined || written === undefined)
    return { length: /^[ \t]*(?=[\n#;]|$)/.exec(text)?.[0].length ?? -1 };
  // Spaces at the end count only in quotes.
  const value = written.replace(/[ \t]+$/, '').replaceAll(/\\([^])|"/g, meaningOf);
  return { value, length: whole.length };
}

function meaningOf(_: string, escaped: string | undefined): string {
  return escaped === undefined ? '' : escapes[escaped]!;
}

export function writeConfig(entries: readonly ConfigEntry[]): string {
  return entries.map(({ key, value }) => `${headingOf(key)}\n\t${lineOf(key, value)}\n`).join('');
}

function headingOf(key: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const section = key.slice(0, first);
  if (first === last) return `[${section}]`;
  return `[${section} "${key.slice(first + 1, last).replaceAll(/["\\]/g, String.raw`\$&`)}"]`;
}

function lineOf(key: string, value: string | undefined): string {
  const name = key.slice(key.lastIndexOf('.') + 1);
  return value === undefined ? name : `${name} = "${value.replaceAll(/["\\\n\t\b]/g, escapeOf)}"`;
}

function escapeOf(sign: string): string {
  const [letter] = Object.entries(escapes).find(([, meant]) => meant === sign)!;
  return `\\${letter}`;
}
