import { cleanText, type Output } from '../output/index.ts';

export interface PrinterOptions {
  readonly output: Output;
  /** Written before each line: whose it is. */
  readonly prefix: string;
  /** As it was printed, control characters included. */
  readonly isRaw: boolean;
  /** So many first lines are left out. */
  readonly skip: number;
}

/** Longer ones are broken: a line without end must fit in memory too. */
const longestLine = 1024 * 1024;

/** Prints what one attempt has written, each stream's lines whole. */
export class LinePrinter {
  readonly #options: PrinterOptions;
  readonly #partial = new Map<string, string>();
  #skipped = 0;
  hasPrinted = false;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  /** False once nobody reads it any more. Waits for whoever reads slowly: outputs may be bigger than memory. */
  async add(stream: string, text: string): Promise<boolean> {
    const lines = ((this.#partial.get(stream) ?? '') + text).split('\n');
    this.#partial.set(stream, lines.at(-1)!.length > longestLine ? '' : lines.pop()!);
    const isRead = this.#print(lines);
    await this.#options.output.flush();
    return isRead;
  }

  end(): void {
    this.#print([...this.#partial.values()].filter((rest) => rest !== ''));
  }

  #print(lines: readonly string[]): boolean {
    const { output, prefix, isRaw, skip } = this.#options;
    const left = Math.min(skip - this.#skipped, lines.length);
    this.#skipped += left;
    const shown = lines.slice(left).map((line) => `${prefix}${isRaw ? line : cleanText(line)}\n`);
    this.hasPrinted ||= shown.length > 0;
    return output.write(shown.join(''));
  }
}
