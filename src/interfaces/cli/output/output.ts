import { isColoured, styleFor, type Style } from './style.ts';
import { cleanLine, cleanPainted, escapeControls } from './text.ts';
import { tableLines, type Cell, type TableOptions } from './table.ts';

/** Where a command says what it has to say. */
export interface Output {
  /** `--json`: standard output holds JSON and nothing else. */
  readonly isJson: boolean;
  /** Someone looks at standard output. */
  readonly isTerminal: boolean;
  /** What has been written there can be written over. */
  readonly canRedraw: boolean;
  readonly columns: number;
  readonly rows: number;
  /** For standard output. */
  readonly style: Style;
  /** For standard error. */
  readonly errorStyle: Style;
  /**
   * A line on standard output; not in JSON mode. Whatever has come into it, only colours of ours reach the terminal; what may hold ends
   * of lines is for the caller to clean.
   */
  print(line?: string): void;
  table(rows: readonly (readonly (Cell | string)[])[], options?: Omit<TableOptions, 'columns'>): void;
  /** A JSON value on standard output, in JSON mode. `isLine`: as one line of many. */
  json(value: unknown, isLine?: boolean): void;
  /** A line on standard error: what is worth knowing, but is not the answer. In JSON mode as `{"note":…}`. */
  note(line: string): void;
  /** A line on standard error, in any mode. */
  complain(line: string): void;
  /** The last lines: what to do next, each as it can be typed; the best first. Not in JSON mode. */
  next(line: string, ...others: readonly string[]): void;
  /** Text as it is on standard output, in any mode. False once nobody reads it any more. */
  write(text: string): boolean;
  /** Aborted once nobody reads standard output any more: who only shows something to people may leave then. */
  readonly readerGone: AbortSignal;
  /** Resolves when all has been handed over. */
  flush(): Promise<void>;
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const widthOfFiles = 120;

/** A reader that goes away (`| head`, a closed terminal) ends the printing, never the work. */
export function createOutput({ stdout, stderr, env }: Streams, isJson: boolean): Output {
  const out = safeWriter(stdout);
  const err = safeWriter(stderr);
  const [hasColours, hasErrorColours] = [isColoured(stdout, env), isColoured(stderr, env)];
  const style = styleFor(hasColours);
  const output: Output = {
    isJson,
    isTerminal: stdout.isTTY === true,
    canRedraw: stdout.isTTY === true && env['TERM'] !== 'dumb',
    get columns() {
      return stdout.columns || widthOfFiles;
    },
    get rows() {
      return stdout.rows;
    },
    style,
    errorStyle: styleFor(hasErrorColours),
    print: (line = '') => void (isJson || out.write(`${cleanPainted(line, hasColours)}\n`)),
    table(rows, options = {}) {
      const lines = tableLines(rows, { paintHead: style.dim, ...options, columns: output.columns });
      for (const line of lines) output.print(line);
    },
    json(value, isLine = false) {
      if (isJson) out.write(`${escapeControls(JSON.stringify(value, null, isLine ? 0 : 2))}\n`);
    },
    note: (line) => output.complain(isJson ? JSON.stringify({ note: line }) : line),
    complain: (line) =>
      void err.write(`${cleanPainted(isJson ? escapeControls(line) : line, hasErrorColours)}\n`),
    next(line, ...others) {
      output.print(`${style.dim('Next:')} ${cleanLine(line)}`);
      for (const other of others) output.print(`${style.dim('  or:')} ${cleanLine(other)}`);
    },
    write: (text) => out.write(text),
    readerGone: out.gone,
    flush: async () => void (await Promise.all([out.flush(), err.flush()])),
  };
  return output;
}

interface SafeWriter {
  readonly gone: AbortSignal;
  write(text: string): boolean;
  flush(): Promise<void>;
}

function safeWriter(stream: NodeJS.WriteStream): SafeWriter {
  const gone = new AbortController();
  // As it is now: others may be kept from writing to it later.
  const write = stream.write.bind(stream);
  stream.on('error', () => gone.abort());
  return {
    gone: gone.signal,
    write(text) {
      if (!gone.signal.aborted) write(text);
      return !gone.signal.aborted;
    },
    flush: () =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve();
        const done = (): void => {
          stream.off('error', done);
          resolve();
        };
        stream.once('error', done);
        write('', done);
      }),
  };
}
