import { systemClock } from '../../../base/index.ts';
import type { RunEvent, WatchedRun } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import type { Output } from '../output/index.ts';
import type { Saying } from './describe-event.ts';
import { drawFrame, type FrameLine } from './frame.ts';
import { LiveScreen } from './live-screen.ts';
import { paintLine, sayingLines } from './paint-line.ts';
import type { Face, ProgressOptions, PromptLines } from './face.ts';

const redrawMs = 100;

/** On a terminal: what has ended scrolls up, what runs is drawn again and again below it. */
export class LiveProgress implements Face {
  readonly #options: ProgressOptions;
  readonly #views: ReadonlyMap<string, WatchedRun>;
  readonly #output: Output;
  readonly #screen: LiveScreen;
  #timer: NodeJS.Timeout | undefined;
  #prompt: PromptLines | undefined;
  #isClosed = false;

  constructor(options: ProgressOptions, views: ReadonlyMap<string, WatchedRun>) {
    this.#options = options;
    this.#views = views;
    this.#output = options.output;
    this.#screen = new LiveScreen({
      write: (text) => this.#output.write(text),
      get columns() {
        return options.output.columns;
      },
      get rows() {
        return options.output.rows;
      },
    });
  }

  show(event: RunEvent, saying: Saying | undefined): void {
    if (this.#isClosed) return;
    if (this.#timer === undefined) this.#draw();
    this.know();
    if (saying !== undefined && saying.rank === undefined) this.#print(saying, event.run);
  }

  /** What comes in the same breath is waited for; nothing of it keeps the process alive. */
  know(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#draw(), redrawMs);
    this.#timer.unref();
  }

  say(saying: Saying): void {
    this.#print(saying);
  }

  prompt(lines: PromptLines | undefined): void {
    if (this.#isClosed || (lines === undefined && this.#prompt === undefined)) return;
    this.#prompt = lines;
    this.know();
    this.#draw();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#screen.close();
  }

  #print(saying: Saying, run?: string): void {
    const { style } = this.#output;
    const [first = '', ...more] = sayingLines(style, saying);
    const of = this.#options.isShared === true && run !== undefined ? `${style.dim(run)} ` : '';
    this.#screen.print([of + first, ...more]);
  }

  #draw(): void {
    const { lastLine, lastOutputAt } = this.#options;
    const { columns, rows: all } = this.#screen.size;
    const prompt = this.#prompt?.(Math.max(columns - 1, 1)) ?? [];
    const rows = Math.max(all - prompt.length, 1);
    const views = [...this.#views.values()].filter(({ status }) => !isFinal(status));
    const share = Math.max(Math.floor(rows / Math.max(views.length, 1)), 3);
    const frame = views
      .flatMap((view) =>
        drawFrame(view, {
          columns,
          rows: share,
          now: systemClock.now(),
          lastLine,
          ...(lastOutputAt && { lastOutputAt }),
        }),
      )
      .slice(-Math.max(rows - 1, 1));
    const painted = frame.map((line: FrameLine) => paintLine(this.#output.style, line));
    this.#screen.draw([...painted, ...prompt].slice(-Math.max(all - 1, 1)));
  }
}
