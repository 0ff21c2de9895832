import { addSpot, ownerOf, placeholder, readFor, takeUntil, type HereDocument, type Scan } from './scan.ts';
import { readExpanded } from './scan-words.ts';

/** After `<<`: the text itself begins on the next line. */
export function readDelimiter(scan: Scan, indented: boolean): void {
  const rest = scan.text.slice(scan.at);
  const [spelling] = /^[ \t]*(?:\\[^]|'[^']*'|"[^"]*"|[^\s;&|()<>'"\\])*/.exec(rest)!;
  for (const character of spelling) if (character === placeholder) addSpot(scan, 'plain', 'delimiter');
  scan.at += spelling.length;
  scan.pending.push({
    delimiter: spelling.trimStart().replace(/\\([^])|['"]/g, '$1'),
    quoted: /['"\\]/.test(spelling),
    indented,
    owner: ownerOf(scan.reader!, 'input'),
  });
}

/** All that have begun on the line that has just ended. */
export function readHereDocuments(scan: Scan): void {
  const documents = scan.pending;
  scan.pending = [];
  for (const document of documents) readHereDocument(scan, document);
}

function readHereDocument(scan: Scan, document: HereDocument): void {
  const { end, next } = findEnd(scan, document);
  // Shells differ on whether a backslash at the end of a line hides the delimiter on the next.
  if (!document.quoted && scan.text.slice(scan.at, end).endsWith('\\\n')) scan.unclear = true;
  const first = scan.spots.length;
  readFor(scan, document.owner, () => {
    if (document.quoted) takeUntil(scan, end, { place: 'here', doubt: 'here' });
    else readExpanded(scan, end);
  });
  // A substitution that is not closed would go on behind the delimiter.
  if (scan.at > end) for (const spot of scan.spots.slice(first)) spot.doubt ??= 'unclear';
  scan.at = Math.max(scan.at, next);
}

function findEnd({ text, at }: Scan, { delimiter, indented }: HereDocument): { end: number; next: number } {
  for (let start = at; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    if ((indented ? line.replace(/^\t+/, '') : line) === delimiter) return { end: start, next: end + 1 };
    start = end + 1;
  }
  return { end: text.length, next: text.length };
}
