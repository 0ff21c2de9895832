export interface ConflictSide {
  readonly mode: string;
  readonly object: string;
}

export interface ConflictFile {
  readonly path: string;
  readonly base?: ConflictSide;
  readonly ours?: ConflictSide;
  readonly theirs?: ConflictSide;
  /** As git names it: `contents`, `modify/delete`, `rename/delete`, `binary`, `distinct modes`, `submodule…`, or `case`. */
  readonly kind: string;
}

const sides = { '1': 'base', '2': 'ours', '3': 'theirs' } as const;

interface Message {
  readonly paths: readonly string[];
  readonly type: string;
  readonly text: string;
}

/** Reads what `git merge-tree -z --messages` prints of a conflict: the tree, the sides of each file, and what git says of them. */
export function readConflicts(output: string): {
  files: readonly ConflictFile[];
  messages: readonly string[];
} {
  const parts = output.split('\0');
  const gap = parts.indexOf('', 1);
  const messages = readMessages(parts.slice(gap + 1));
  const conflicts = messages.filter(({ type }) => type.startsWith('CONFLICT'));
  const files = new Map<string, Omit<ConflictFile, 'kind'>>();
  for (const line of parts.slice(1, gap)) {
    const [, mode, object, stage, path] = /^(\d+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(line)!;
    const side = sides[stage as '1' | '2' | '3'];
    files.set(path!, { path: path!, ...files.get(path!), [side]: { mode: mode!, object: object! } });
  }
  return {
    files: [...files.values()].map((file) => Object.freeze({ ...file, kind: kindOf(file, conflicts) })),
    messages: messages.map(({ text }) => text.trim()),
  };
}

/** Each message: how many paths it is about, these, its type, its text. */
function readMessages(parts: readonly string[]): Message[] {
  const messages: Message[] = [];
  let at = 0;
  while (at < parts.length && /^\d+$/.test(parts[at]!)) {
    const count = Number(parts[at]);
    const paths = parts.slice(at + 1, at + 1 + count);
    messages.push({ paths, type: parts[at + 1 + count] ?? '', text: parts[at + 2 + count] ?? '' });
    at += 3 + count;
  }
  return messages;
}

function kindOf(file: Omit<ConflictFile, 'kind'>, conflicts: readonly Message[]): string {
  const said =
    conflicts.find(({ paths }) => paths.includes(file.path)) ??
    conflicts.find(({ paths }) => isMoved(file, paths));
  return said === undefined ? 'contents' : said.type.replace(/^CONFLICT \((.*)\)$/, '$1');
}

/** A file that git had to put elsewhere (`name~side`) is named by its first name in the message. */
function isMoved({ path }: Pick<ConflictFile, 'path'>, paths: readonly string[]): boolean {
  return paths.some((one) => path.startsWith(`${one}~`));
}
