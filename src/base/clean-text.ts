/**
 * What tasks write may hold anything: escape sequences that move the cursor, set the title, or pretend to be us.
 * Sequences go as a whole, so that their letters do not stay behind; lines and tabs stay. Of one without an end only its
 * beginning goes: otherwise all that follows would be hidden with it.
 */
const sequences =
  // eslint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Without control characters, except the ends of lines and tabs. */
export function cleanText(text: string): string {
  // Most texts have none.
  if (text.search(controls) < 0) return text;
  return text.replaceAll('\r\n', '\n').replace(sequences, '').replace(controls, '');
}

/** As one line: ends of lines become spaces. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}
