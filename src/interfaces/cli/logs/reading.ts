import { isWithin, type Piton, type RunEvent } from '../../../library/index.ts';
import type { AttemptStarted } from '../conversation/index.ts';
import { cleanLine, padTo, widthOf, type Output } from '../output/index.ts';
import { isChosen, type AttemptChoice } from './select-attempts.ts';

/** What is to be shown of a run, and how. */
export interface Reading {
  readonly piton: Piton;
  readonly output: Output;
  readonly choice: AttemptChoice;
  /** Addresses of all tasks. */
  readonly known: readonly string[];
  /** The commit that was the last one when the reading began. */
  readonly head: number;
  readonly follow: boolean;
  /** What was printed as it was printed, also by agents. */
  readonly isRaw: boolean;
  readonly isMarkdown: boolean;
  /** Nothing of a conversation is cut. */
  readonly isFull: boolean;
  /** Only so many last lines of each attempt. */
  readonly tail: number | undefined;
  readonly signal: AbortSignal;
}

/** What an agent prints is for machines; its transcript is for people. */
export function beginsConversation(event: RunEvent, { choice, isRaw }: Reading): event is AttemptStarted {
  return isChosenStart(event, choice) && event.data.agent !== undefined && !isRaw;
}

/** What brings the work of a task to that of others is no process, and prints nothing. */
export function beginsOutput(event: RunEvent, reading: Reading): event is AttemptStarted {
  if (!isChosenStart(event, reading.choice) || event.data.kind === 'integrate') return false;
  return !beginsConversation(event, reading);
}

/** Whether something that people or checks have added is to be shown: it is of a task, not of one attempt. */
export function belongsToConversation(event: RunEvent, { choice, isRaw }: Reading): boolean {
  return !isRaw && choice.number === undefined && isChosen(event, choice);
}

function isChosenStart(event: RunEvent, choice: AttemptChoice): event is AttemptStarted {
  return event.type === 'attempt.started' && isChosen(event, choice);
}

/** Whose line it is, unless only one task can be meant. */
export function prefixOf(reading: Reading, whose: Whose): string {
  return reading.output.style.dim(plainPrefixOf(reading, whose));
}

export interface Whose {
  readonly task: string;
  /** Of the attempt. */
  readonly number?: number;
}

export function plainPrefixOf({ choice, known }: Reading, { task, number: of = 1 }: Whose): string {
  const { task: chosen } = choice;
  const shown = chosen === undefined ? known : known.filter((address) => isWithin(address, chosen));
  if (chosen !== undefined && shown.length === 1) return '';
  const width = Math.min(Math.max(...shown.map((address) => widthOf(address)), 0), 24);
  const number = of > 1 ? ` (${of})` : '';
  return `${padTo(cleanLine(task) + number, width)} │ `;
}
