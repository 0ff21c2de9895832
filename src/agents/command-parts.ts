/** Outside of quotes: what ends a command and begins another. Inside, or after a backslash, it is only text. */
const token = /'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|&&|\|\|?|;|\n|[\s\S]/g;
const separators = new Set(['&&', '||', '|', ';', '\n']);

/** The single commands of a shell text. */
export function commandParts(text: string): readonly string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(token)) {
    if (separators.has(piece)) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '' && !part.startsWith('#'));
}
