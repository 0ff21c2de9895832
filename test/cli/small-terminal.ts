import { widthOf } from '../../src/interfaces/cli/output/index.ts';

// eslint-disable-next-line no-control-regex
const pieces = /\u001b\[(\d*)A|\u001b\[\?\d+[hl]|\u001b\[\d*[a-zA-Z]|[\s\S]/gu;

/** As much of a terminal as our output uses: rows that wrap and scroll, the cursor going up, clearing what is below. */
export class SmallTerminal {
  columns: number;
  rows: number;
  isCursorShown = true;
  /** Lines as the screen shows them, those that have scrolled away included. */
  readonly lines: string[] = [''];
  #row = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  get text(): string {
    return this.lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  write(text: string): boolean {
    for (const [part, count] of text.matchAll(pieces)) {
      if (part === '\u001b[?25h') this.isCursorShown = true;
      else if (part === '\u001b[?25l') this.isCursorShown = false;
      else if (part.startsWith('\u001b') && part.endsWith('A')) this.#up(Number(count));
      else if (part === '\u001b[J') this.#clearBelow();
      else if (part === '\n') this.#down();
      else if (!part.startsWith('\u001b') && part !== '\r') this.#put(part);
    }
    return true;
  }

  /** What has scrolled away cannot be reached any more. */
  #up(count: number): void {
    const top = Math.max(this.lines.length - this.rows, 0);
    this.#row = Math.max(this.#row - count, top);
  }

  #clearBelow(): void {
    this.lines.length = this.#row + 1;
    this.lines[this.#row] = '';
  }

  #down(): void {
    this.#row++;
    this.lines[this.#row] ??= '';
  }

  #put(character: string): void {
    if (widthOf(this.lines[this.#row]!) + widthOf(character) > this.columns) this.#down();
    this.lines[this.#row] += character;
  }
}
