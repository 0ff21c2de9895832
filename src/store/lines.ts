import type { StoredCommit } from '../model/index.ts';

/**
 * One commit as one line of JSON in which people can read the commit itself. Its text stands there unchanged, since
 * the hash was made from it to the letter; a text of several lines cannot, and is quoted.
 */
export function toLine({ seq, hash, body }: StoredCommit): string {
  const content = body.includes('\n') ? `"text":${JSON.stringify(body)}` : `"commit":${body}`;
  return `{"seq":${seq},"hash":${JSON.stringify(hash)},${content}}\n`;
}

const pattern = /^\{"seq":(\d+),"hash":("(?:[^"\\]|\\.)*"),"(commit|text)":(.*)\}$/;

/** Undefined for a line that `toLine` did not write. */
export function fromLine(run: string, line: string): StoredCommit | undefined {
  const [, seq, hash, kind, content] = pattern.exec(line) ?? [];
  if (seq === undefined || hash === undefined || content === undefined) return undefined;
  try {
    const body = kind === 'text' ? String(JSON.parse(content)) : content;
    return { run, seq: Number(seq), body, hash: String(JSON.parse(hash)) };
  } catch {
    return undefined;
  }
}
