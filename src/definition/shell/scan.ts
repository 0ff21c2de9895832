import type { CommandLine, Owner, ShellCommand, Way } from './commands.ts';

/** How an expression stands in the text. */
export type Place = 'plain' | 'double' | 'single' | 'here' | 'comment';

/** Why no value can stand there safely. */
export type Doubt =
  'arithmetic' | 'backticks' | 'braces' | 'escape' | 'dollar' | 'here' | 'delimiter' | 'ansi' | 'unclear';

/** Where one expression stands. */
export interface Spot {
  readonly place: Place;
  doubt?: Doubt | undefined;
  /** All commands whose words it is a part of, from the outermost. */
  readonly owners: readonly Owner[];
}

/** What has been read of a shell's text, and how far. */
export interface Scan {
  readonly text: string;
  readonly shell: string;
  at: number;
  readonly spots: Spot[];
  owners: readonly Owner[];
  /** The command that is being read; not in a here-document. */
  reader: Reader | undefined;
  /** Commands in `>(…)`: any other may write to them. */
  readonly fed: ShellCommand[];
  /** Here-documents whose text begins on the next line. */
  pending: HereDocument[];
  /** From here on nothing is certain. */
  unclear: boolean;
  /** Reads the commands of a substitution, and its closing parenthesis. */
  readonly readSubstitution: (scan: Scan) => readonly ShellCommand[];
}

export interface Reader {
  readonly line: CommandLine;
  readonly isSubstitution: boolean;
  command: ShellCommand;
  /** As far as it has been read; undefined between words. */
  word: string | undefined;
  way: Way;
  parentheses: number;
}

export interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly indented: boolean;
  readonly owner: Owner;
}

/** What stands in the place of an expression while a text is looked at. No shell text can hold it. */
export const placeholder = '\0';

export function addSpot(scan: Scan, place: Place, doubt?: Doubt): void {
  const owners = scan.reader === undefined ? scan.owners : [...scan.owners, ownerOf(scan.reader)];
  scan.spots.push({ place, owners, doubt: doubt ?? (scan.unclear ? 'unclear' : undefined) });
}

export function ownerOf({ command, word, way }: Reader, as: Way = way): Owner {
  return { command, way: as, word: command.words.length, before: word ?? '' };
}

/** What is read meanwhile belongs to this owner, if there is one, and to no word of the command around it. */
export function readFor(scan: Scan, owner: Owner | undefined, read: () => void): void {
  const { owners, reader } = scan;
  if (owner !== undefined) scan.owners = [...owners, owner];
  scan.reader = undefined;
  read();
  scan.owners = owners;
  scan.reader = reader;
}

/** Takes the next characters, as a part of the word that is being read. */
export function take(scan: Scan, count = 1): void {
  if (scan.reader !== undefined) {
    scan.reader.word = (scan.reader.word ?? '') + scan.text.slice(scan.at, scan.at + count);
  }
  scan.at += count;
}

export function takeExpression(scan: Scan, place: Place, doubt?: Doubt): void {
  addSpot(scan, place, doubt);
  take(scan);
}

/** Takes everything up to `end`. Where no value may stand, `doubt` says why. */
export function takeUntil(scan: Scan, end: number, { place, doubt }: { place: Place; doubt?: Doubt }): void {
  while (scan.at < Math.min(end, scan.text.length)) {
    if (scan.text[scan.at] === placeholder) takeExpression(scan, place, doubt);
    else take(scan);
  }
}

/** Where the text goes on to `mark`, or its end. */
export function indexOfMark(scan: Scan, mark: string): number {
  const found = scan.text.indexOf(mark, scan.at);
  return found < 0 ? scan.text.length : found;
}
