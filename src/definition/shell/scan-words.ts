import {
  indexOfMark,
  ownerOf,
  placeholder,
  readFor,
  takeExpression,
  take,
  takeUntil,
  type Doubt,
  type Scan,
} from './scan.ts';

export function startsArithmetic(scan: Scan): boolean {
  return scan.text.startsWith('((', scan.at);
}

/** Reads one piece of a word: a quoted text, a substitution, or a character. */
export function readPiece(scan: Scan): void {
  if (scan.unclear) return takeRest(scan);
  switch (scan.text[scan.at]) {
    case "'":
      return readSingle(scan);
    case '"':
      return readDouble(scan);
    default:
      return readExpandable(scan, 'plain');
  }
}

function takeRest(scan: Scan): void {
  takeUntil(scan, scan.text.length, { place: 'plain' });
}

function readSingle(scan: Scan): void {
  scan.at++;
  takeUntil(scan, indexOfMark(scan, "'"), { place: 'single' });
  scan.at++;
}

function readDouble(scan: Scan): void {
  scan.at++;
  while (scan.at < scan.text.length && scan.text[scan.at] !== '"') readExpandable(scan, 'double');
  scan.at++;
}

/** The text of a here-document, in which quotes mean nothing. */
export function readExpanded(scan: Scan, end: number): void {
  while (scan.at < end) readExpandable(scan, 'here');
}

function readExpandable(scan: Scan, place: 'plain' | 'double' | 'here'): void {
  if (scan.unclear) return takeRest(scan);
  switch (scan.text[scan.at]) {
    case placeholder:
      return takeExpression(scan, place);
    case '\\':
      return readEscape(scan);
    case '`':
      return readBackticks(scan);
    case '$':
      return readDollar(scan, place);
    default:
      take(scan);
  }
}

function readEscape(scan: Scan): void {
  scan.at++;
  if (scan.text[scan.at] === placeholder) takeExpression(scan, 'plain', 'escape');
  // A line that goes on is joined as if nothing were there.
  else if (scan.text[scan.at] === '\n') scan.at++;
  else take(scan);
}

function loosen({ reader }: Scan): void {
  reader?.command.loose.add(reader.command.words.length);
}

/** What is inside is read twice, and by rules of its own. */
function readBackticks(scan: Scan): void {
  loosen(scan);
  const word = scan.reader?.word ?? '';
  scan.at++;
  while (scan.at < scan.text.length && scan.text[scan.at] !== '`') {
    if (scan.text[scan.at] === '\\') scan.at++;
    takeUntil(scan, scan.at + 1, { place: 'plain', doubt: 'backticks' });
  }
  scan.at++;
  if (scan.reader !== undefined) scan.reader.word = `${word}${placeholder}`;
}

function readDollar(scan: Scan, place: 'plain' | 'double' | 'here'): void {
  const next = scan.text[scan.at + 1] ?? '';
  if (place === 'plain') loosen(scan);
  switch (next) {
    case '(':
      return readSubstitution(scan);
    case '{':
      return readBraces(scan, place);
    case placeholder:
      take(scan);
      return takeExpression(scan, place, 'dollar');
    case "'":
      if (place === 'plain') return readAnsi(scan);
      break;
    default:
  }
  if (isSubscripted(scan)) scan.unclear = true;
  take(scan, /[$!?*@#\-0-9]/.test(next) ? 2 : 1);
}

/** Old arithmetic of bash, and elements in zsh: text to one shell, evaluated by another. */
function isSubscripted(scan: Scan): boolean {
  const pattern = isNamed(scan, ['zsh']) ? /\$\w*\[/y : /\$\[/y;
  pattern.lastIndex = scan.at;
  return pattern.test(scan.text);
}

function isNamed({ shell }: Scan, names: readonly string[]): boolean {
  return names.includes(shell);
}

function readSubstitution(scan: Scan): void {
  scan.at++;
  if (startsArithmetic(scan)) return readArithmetic(scan);
  scan.at++;
  const owner = scan.reader && ownerOf(scan.reader);
  readFor(scan, owner, () => scan.readSubstitution(scan));
  // What it gives is not known, but it is a part of the word.
  if (scan.reader !== undefined) scan.reader.word = `${scan.reader.word ?? ''}${placeholder}`;
}

/**
 * Of a value that is calculated with, bash executes the subscripts. What begins like arithmetic and does not end like it
 * may be a subshell, or a mistake: then nothing is certain any more. (Reading it again, and all that is nested in it, could
 * take forever.)
 */
export function readArithmetic(scan: Scan): void {
  const first = scan.spots.length;
  scan.at += 2;
  if (!readCalculation(scan)) scan.unclear = true;
  for (const spot of scan.spots.slice(first)) spot.doubt = 'arithmetic';
}

function readCalculation(scan: Scan): boolean {
  for (let parentheses = 0; scan.at < scan.text.length;) {
    const character = scan.text[scan.at];
    if (character === '(') parentheses++;
    if (character === ')') parentheses--;
    if (parentheses < 0) {
      if (!scan.text.startsWith('))', scan.at)) return false;
      scan.at += 2;
      return true;
    }
    if (character === '(' || character === ')') take(scan);
    else readPiece(scan);
  }
  return false;
}

/** Defaults, patterns, offsets: each with quoting of its own, on which shells do not agree. */
function readBraces(scan: Scan, place: 'plain' | 'double' | 'here'): void {
  const first = scan.spots.length;
  take(scan, 2);
  while (scan.at < scan.text.length && scan.text[scan.at] !== '}') {
    const character = scan.text[scan.at];
    if (character === "'" && place !== 'plain') {
      scan.unclear = true;
      take(scan);
    } else readPiece(scan);
  }
  take(scan);
  for (const spot of scan.spots.slice(first)) spot.doubt = 'braces';
}

/** `$'…'`, in which a backslash may hide a quote, or may not. */
function readAnsi(scan: Scan): void {
  scan.at += 2;
  const doubt: Doubt = 'ansi';
  while (scan.at < scan.text.length && scan.text[scan.at] !== "'") {
    if (scan.text[scan.at] === '\\') {
      if (scan.text[scan.at + 1] === "'" && !isNamed(scan, ['bash', 'zsh', 'ksh'])) scan.unclear = true;
      scan.at++;
    }
    takeUntil(scan, scan.at + 1, { place: 'plain', doubt });
  }
  scan.at++;
}
