import { cleanLine } from '../../base/index.ts';
import type { SourceDocument } from '../yaml/document.ts';
import type { Path } from '../problems.ts';

/** A part of a GitHub workflow that the draft does not have. */
export interface LeftOut {
  /** In the file of GitHub. */
  readonly line: number;
  readonly what: string;
  /** What a person has to do about it. Absent: nothing, because it has no use here. */
  readonly todo?: string;
}

/** Collects what is left out. What is said twice is told once, at its first line. */
export class Notes {
  readonly #document: SourceDocument;
  readonly #found = new Map<string, LeftOut>();
  readonly #tools = new Map<string, { line: number; versions: Set<string> }>();

  constructor(document: SourceDocument) {
    this.#document = document;
  }

  /** A person has to do something. */
  todo(at: Path, what: string, todo: string): void {
    this.#add({ line: this.#lineOf(at), what: shown(what), todo: shown(todo) });
  }

  /** It has no use here. */
  drop(at: Path, what: string): void {
    this.#add({ line: this.#lineOf(at), what: shown(what) });
  }

  /** The machine has to have it. */
  tool(at: Path, name: string, version: unknown): void {
    const known = this.#tools.get(name) ?? { line: this.#lineOf(at), versions: new Set<string>() };
    if (['string', 'number'].includes(typeof version) && !String(version).includes('${{'))
      known.versions.add(shown(String(version)));
    this.#tools.set(name, known);
  }

  /** By line. */
  all(): LeftOut[] {
    return [...this.#found.values(), ...this.#toolNote()].sort((a, b) => a.line - b.line);
  }

  #toolNote(): LeftOut[] {
    const tools = [...this.#tools].map(([name, { versions }]) =>
      versions.size === 0 ? name : `${name} (${[...versions].join(', ')})`,
    );
    if (tools.length === 0) return [];
    const line = Math.min(...[...this.#tools.values()].map((tool) => tool.line));
    const them = tools.length === 1 ? 'it' : 'them';
    return [{ line, what: `setting up ${tools.join(', ')}`, todo: `Install ${them} on this machine.` }];
  }

  #add(note: LeftOut): void {
    const key = `${note.what}\n${note.todo}`;
    if (!this.#found.has(key)) this.#found.set(key, note);
  }

  #lineOf(at: Path): number {
    return this.#document.locate({ at, message: '', onKey: true }).line ?? 1;
  }
}

const longest = 160;

/** What others wrote, as one line that a terminal shows as it is. */
export function shown(text: string): string {
  const line = cleanLine(text);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
