import type { Setting } from './setting.ts';

/** What is remembered while playing. */
export interface Stage {
  readonly setting: Setting;
  lastWords: string;
  toolCalls: number;
  spentUsd: number;
  hasAnswered: boolean;
}

/** A step that ends the play gives the exit code. */
export type Ending = number | undefined;
