/** The answers of our programs: lines, each a word and what it is about. */
export class Answers {
  readonly #lines: readonly (readonly [string, string])[];

  constructor(bytes: Buffer) {
    const lines = bytes.toString('utf8').split('\n');
    this.#lines = lines.filter((line) => line !== '').map(splitOnce);
  }

  has(word: string): boolean {
    return this.#lines.some(([first]) => first === word);
  }

  /** The first of its kind. */
  one(word: string): string | undefined {
    return this.#lines.find(([first]) => first === word)?.[1];
  }

  all(word: string): readonly string[] {
    return this.#lines.filter(([first]) => first === word).map(([, rest]) => rest);
  }

  lines(): readonly string[] {
    return this.#lines.map(([first, rest]) => (rest === '' ? first : `${first} ${rest}`));
  }
}

function splitOnce(line: string): readonly [string, string] {
  const space = line.indexOf(' ');
  return space === -1 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}
