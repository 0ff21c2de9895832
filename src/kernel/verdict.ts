import type { Event } from '../model/index.ts';

/** What a command comes to. */
export interface Verdict {
  readonly accepted: boolean;
  readonly text: string;
  readonly events?: readonly Event[];
}

export function accept(text: string, ...events: Event[]): Verdict {
  return { accepted: true, text, events };
}

export function refuse(text: string): Verdict {
  return { accepted: false, text };
}
