import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../output/index.ts';

/** What is needed of a terminal's stream. */
export interface Terminal {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearBelow = '\u001b[J';

/**
 * Lines that stay and scroll up, and below them a frame that is drawn over and over. Nothing above the frame is ever
 * touched. The cursor is hidden from the first frame on, and comes back however the process leaves.
 */
export class LiveScreen {
  readonly #terminal: Terminal;
  /** As last drawn: when the terminal is resized, lines are wrapped anew and take other rows than before. */
  #frame: readonly string[] = [];
  #isHidden = false;
  readonly #restore = (): void => this.close();
  /** Ctrl-Z: the shell gets its terminal as it was; the next frame takes it again. */
  readonly #stop = (): void => {
    this.close();
    process.kill(process.pid, 'SIGSTOP');
  };

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.columns || 80, rows: this.#terminal.rows || 24 };
  }

  /** Puts lines above the frame, for good. */
  print(lines: readonly string[]): void {
    this.#terminal.write(this.#erase() + asText(lines) + asText(this.#frame));
  }

  draw(frame: readonly string[]): void {
    const hide = this.#hide();
    const erase = this.#erase();
    this.#frame = frame;
    this.#terminal.write(hide + erase + asText(frame));
  }

  /** Takes the frame away. What was printed stays. */
  close(): void {
    const erase = this.#erase();
    this.#frame = [];
    if (!this.#isHidden) return;
    this.#isHidden = false;
    process.off('exit', this.#restore);
    process.off('SIGTSTP', this.#stop);
    this.#terminal.write(erase + showCursor);
  }

  #hide(): string {
    if (this.#isHidden) return '';
    this.#isHidden = true;
    process.on('exit', this.#restore);
    process.on('SIGTSTP', this.#stop);
    return hideCursor;
  }

  #erase(): string {
    const { columns } = this.size;
    const rows = this.#frame.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    return rows === 0 ? '' : `\u001b[${rows}A\r${clearBelow}`;
  }
}

function rowsOf(line: string, columns: number): number {
  return Math.max(Math.ceil(widthOf(stripVTControlCharacters(line)) / columns), 1);
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
