import { openCommand, type CommandLine, type ShellCommand } from './commands.ts';
import { groupEnds } from './groups.ts';
import { ownerOf, placeholder, readFor, indexOfMark, takeUntil, type Reader, type Scan } from './scan.ts';
import { readDelimiter, readHereDocuments } from './scan-here-documents.ts';
import { readArithmetic, readPiece, startsArithmetic } from './scan-words.ts';

/**
 * Looks through shell text, in which placeholders stand for expressions, and tells how each of them stands: an honest
 * reading of quotes, substitutions, here-documents and comments, which says so where it cannot be sure.
 */
export function scanShell(text: string, shell: string): ScannedShell {
  let depth = 0;
  const scan: Scan = {
    text,
    shell,
    at: 0,
    spots: [],
    owners: [],
    reader: undefined,
    fed: [],
    pending: [],
    unclear: false,
    readSubstitution(inner) {
      if (++depth > deepest) inner.unclear = true;
      const commands = depth > deepest ? [] : readCommands(inner, true);
      depth--;
      return commands;
    },
  };
  const commands = readCommands(scan, false);
  return { spots: scan.spots, fed: scan.fed, commands, isCertain: !scan.unclear };
}

export interface ScannedShell extends Pick<Scan, 'spots' | 'fed'> {
  /** Those of the text itself, without those of substitutions. */
  readonly commands: readonly ShellCommand[];
  /** false: it may mean something else than what was read. */
  readonly isCertain: boolean;
}

/** Nobody nests so deep. */
const deepest = 50;

function readCommands(scan: Scan, isSubstitution: boolean): readonly ShellCommand[] {
  const reader = openReader(isSubstitution);
  scan.reader = reader;
  while (scan.at < scan.text.length && !isClosed(scan, reader)) readToken(scan, reader);
  endWord(scan, reader);
  scan.at++;
  return reader.line.commands;
}

function openReader(isSubstitution: boolean): Reader {
  const line: CommandLine = { commands: [] };
  return { line, isSubstitution, command: openCommand(line), word: undefined, way: 'word', parentheses: 0 };
}

function isClosed(scan: Scan, { isSubstitution, parentheses }: Reader): boolean {
  return isSubstitution && parentheses === 0 && scan.text[scan.at] === ')';
}

function readToken(scan: Scan, reader: Reader): void {
  const character = scan.text[scan.at]!;
  if (character === '#' && reader.word === undefined) return readComment(scan, reader);
  if (' \t\n;&|()<>'.includes(character)) return readMark(scan, reader, character);
  reader.word ??= '';
  readPiece(scan);
}

function readComment(scan: Scan, reader: Reader): void {
  takeUntil(scan, indexOfMark(scan, '\n'), { place: 'comment' });
  reader.word = undefined;
}

function readMark(scan: Scan, reader: Reader, character: string): void {
  if (isUncertain(scan, reader)) scan.unclear = true;
  if (isDescriptor(reader, character)) reader.word = undefined;
  endWord(scan, reader);
  switch (character) {
    case '<':
    case '>':
      return readRedirection(scan, reader);
    case '(':
    case ')':
      return readParenthesis(scan, reader, character);
    case '|':
      return readPipe(scan, reader);
    default:
      return readSeparator(scan, reader, character);
  }
}

/** `2>` and `0<<`: not a word, but which file is redirected. */
function isDescriptor({ word = '' }: Reader, character: string): boolean {
  return (character === '<' || character === '>') && /^\d+$/.test(word);
}

/** A subscript goes on over spaces; and what is in the list of a declaration may be calculated with. */
function isUncertain(scan: Scan, reader: Reader): boolean {
  if (/^[A-Za-z_]\w*\[[^\]]*$/.test(reader.word ?? '')) return true;
  return scan.text[scan.at] === '(' && !mayOpenGroup(scan, reader);
}

/** Words behind which a parenthesis may open a group. */
const beforeGroups = /^(if|then|else|elif|while|until|do|for|!|\{|time|coproc)$/;
const listBegins = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=$/;

/** Any other parenthesis belongs to a pattern, which is a word of the command, or is a mistake. */
function mayOpenGroup({ text, at }: Scan, { command, word, way }: Reader): boolean {
  if (way !== 'word') return false;
  if (command.inTest || /^\([ \t]*\)/.test(text.slice(at, at + 20))) return true;
  const words = word === undefined ? command.words : [...command.words, word];
  if (words[0] === 'case' || words[0] === 'function') return true;
  return (
    words.every((other) => beforeGroups.test(other)) || (words.length === 1 && listBegins.test(words[0]!))
  );
}

function endWord(scan: Scan, reader: Reader): void {
  const { word, way, command } = reader;
  if (word === undefined) return;
  reader.word = undefined;
  reader.way = 'word';
  if (way !== 'word') return;
  // Its patterns end with parentheses that were never opened.
  if (word === 'case' && reader.isSubstitution) scan.unclear = true;
  if (word === '[[') command.inTest = true;
  if (command.words.length === 0 && groupEnds.has(word)) command.endsGroup = true;
  command.words.push(word);
}

function readSeparator(scan: Scan, reader: Reader, character: string): void {
  scan.at++;
  // `&>` redirects.
  if (character === ' ' || character === '\t' || (character === '&' && scan.text[scan.at] === '>')) return;
  // Behind a pipe, the next command may begin on the next line.
  if (character !== '\n' || !awaitsReader(reader)) nextCommand(reader, {});
  if (character === '\n') readHereDocuments(scan);
}

function awaitsReader({ line, command }: Reader): boolean {
  return command.words.length === 0 && line.commands.at(-2)?.pipedInto === command;
}

function nextCommand(reader: Reader, given: Parameters<typeof openCommand>[1]): void {
  const { inTest, words } = reader.command;
  reader.command = openCommand(reader.line, { inTest: inTest && !words.includes(']]'), ...given });
}

function readPipe(scan: Scan, reader: Reader): void {
  const next = scan.text[scan.at + 1];
  const before = reader.command;
  scan.at += next === '|' || next === '&' ? 2 : 1;
  nextCommand(reader, {});
  if (next !== '|') before.pipedInto = reader.command;
}

function readParenthesis(scan: Scan, reader: Reader, character: '(' | ')'): void {
  if (startsArithmetic(scan)) return readArithmetic(scan);
  scan.at++;
  reader.parentheses = Math.max(0, reader.parentheses + (character === '(' ? 1 : -1));
  nextCommand(reader, { begins: character === '(', endsGroup: character === ')' });
}

function readRedirection(scan: Scan, reader: Reader): void {
  const [mark] = /^(<<<|<<-?|[<>]\(|[<>][>&|]?)/.exec(scan.text.slice(scan.at, scan.at + 3))!;
  scan.at += mark.length;
  if (mark.startsWith('<') && mark !== '<(') reader.command.hasInput = true;
  if (mark.endsWith('(')) return readProcess(scan, reader, mark === '>(');
  if (mark === '<<' || mark === '<<-') return readDelimiter(scan, mark === '<<-');
  if (mark === '<<<') reader.way = 'input';
  else reader.way = mark.endsWith('&') ? 'duplication' : 'redirection';
}

/** `<(…)` and `>(…)` stand for the name of a file, which is a word of the command. */
function readProcess(scan: Scan, reader: Reader, isFed: boolean): void {
  readFor(scan, ownerOf(reader, 'file'), () => {
    const commands = scan.readSubstitution(scan);
    if (isFed) scan.fed.push(...commands);
  });
  reader.word = placeholder;
}
