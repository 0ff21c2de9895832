import { visibleText, type Json } from '../base/index.ts';
import type { AgentEvent, UnknownEvent } from './contract.ts';
import { shorten, showJson } from './json-fields.ts';

const longestKind = 60;

/** Events of a kind that the adapter knows, and has no use for. */
export const ignored = (): readonly AgentEvent[] => [];

/** An event of a kind that is not known, or without what makes it one: `item.started/teleport`. */
export function unknownEvent(...kind: readonly (Json | undefined)[]): readonly [UnknownEvent] {
  const words = kind.map((word) => showJson(word ?? null) || 'without a type');
  const name = shorten(visibleText(words.join('/')).replaceAll(/\s+/g, ' '), longestKind);
  return [{ type: 'unknown', kind: name, text: `event ${name}` }];
}

/** A line that is no event of any kind. */
export function unknownLine(text: string): UnknownEvent {
  return { type: 'unknown', text };
}
