/** Lines of YAML as they should be. They are only shown; nothing is changed by them. */

/** In quotes, if it is not already; a comment at its end stays outside. */
export function quoteText(text: string): string {
  const [, value = text, rest = ''] = /^(.*?)(\s*(?:\s#.*)?)$/s.exec(text) ?? [];
  return `${value.includes("'") && !/["\\]/.test(value) ? `"${value}"` : `'${value.replaceAll("'", "''")}'`}${rest}`;
}

/** With spaces for the tabs that indent it. */
export function withoutTabs(line: string): string {
  return line.replace(/^\s+/, (indent) => indent.replaceAll('\t', '  '));
}

const parts = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\$\{\{.*?(?:\}\}|$)|: |[{}[\],]|[^"'${}[\],:]+|[^]/g;

/** With quotes around each text in { } or [ ] that holds `${{ }}`. */
export function mendFlow(line: string): string {
  let depth = 0;
  let mended = '';
  let text = '';
  const flush = (): void => {
    const [, before, inside, after] = /^(\s*)(.*?)(\s*)$/s.exec(text)!;
    const isBare = depth > 0 && inside!.includes('${{') && !/^["']/.test(inside!);
    mended += isBare ? `${before}${quoteExpression(inside!)}${after}` : text;
    text = '';
  };
  for (const [part] of line.matchAll(parts)) {
    const isDelimiter = /^(?:: |[{}[\],])$/.test(part) && (depth > 0 || /[{[]/.test(part) || part === ': ');
    if (!isDelimiter) {
      text += part;
      continue;
    }
    flush();
    mended += part;
    depth += /[{[]/.test(part) ? 1 : /[}\]]/.test(part) ? -1 : 0;
  }
  flush();
  return mended;
}

function quoteExpression(text: string): string {
  return text.includes('"') ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
}

const closers: Readonly<Record<string, string>> = { '{': ' }', '[': ']' };

/** The brackets that the line opens and does not close, from outside to inside. */
export function unclosedBrackets(line: string): { readonly index: number; readonly closer: string }[] {
  const open: { index: number; closer: string }[] = [];
  for (const { 0: part, index } of line.matchAll(parts)) {
    if (Object.hasOwn(closers, part)) open.push({ index, closer: closers[part]! });
    else if (part === '}' || part === ']') open.pop();
  }
  return open;
}
