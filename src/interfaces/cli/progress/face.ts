import type { RunEvent, WatchedRun } from '../../../library/index.ts';
import type { Output } from '../output/index.ts';
import type { Saying } from './describe-event.ts';

export interface ProgressOptions {
  readonly output: Output;
  /** Several runs share the screen: lines say which one they are about. */
  readonly isShared?: boolean;
  /** Whoever watches is asked here what gates ask: then nobody needs to be told what to type instead. */
  readonly asksHere?: boolean;
  /** The last line a process has printed. */
  lastLine(attempt: string): string | undefined;
  /** When it last printed anything. */
  lastOutputAt?(attempt: string): number | undefined;
}

/** The lines of a prompt, none wider than so many columns. */
export type PromptLines = (columns: number) => readonly string[];

/** How it is shown: to somebody, to a file, or to a program. */
export interface Face {
  show(event: RunEvent, saying: Saying | undefined, view: WatchedRun): void;
  /** Something is known of a run that is no news: how it stands may be shown from now on. */
  know(): void;
  say(saying: Saying): void;
  /** What a person is asked, below all else; drawn again as often as it changes. */
  prompt(lines: PromptLines | undefined): void;
  close(): void;
}
