import type { SearchPattern } from './search-pattern.ts';
import type { Turn } from './turns.ts';

/** A line of a conversation in which something was found. */
export interface SearchHit {
  readonly run: string;
  readonly workflow: string;
  readonly task: string;
  /** The id of the attempt; absent for what was said between two. */
  readonly attempt?: string;
  /** Of the attempt, counted in its task. */
  readonly number?: number;
  readonly agent?: string;
  /** The commit in which it was said. */
  readonly seq: number;
  readonly at: number;
  /** Who or what it is from. */
  readonly role: Turn['role'];
  /** Of calls, answers, questions and refusals. */
  readonly tool?: string;
  /** The line, or the part of a long one around the first place. Without control characters. */
  readonly line: string;
  /** Where in the line, as offsets. */
  readonly places: readonly { readonly start: number; readonly end: number }[];
}

const longestLine = 400;
const before = 80;

/** The lines of a text that match. */
export function matchingLines(text: string, placesIn: SearchPattern): Pick<SearchHit, 'line' | 'places'>[] {
  return text.split('\n').flatMap((line) => {
    const places = placesIn(line);
    return places.length === 0 ? [] : [excerptOf(line, places)];
  });
}

/** A line may be as long as a file: what surrounds the first place is enough. */
function excerptOf(line: string, places: SearchHit['places']): Pick<SearchHit, 'line' | 'places'> {
  const tidy = line.trim();
  const lead = line.length - line.trimStart().length;
  const first = Math.max(places[0]!.start - lead, 0);
  const from = tidy.length <= longestLine ? 0 : Math.max(first - before, 0);
  const part = tidy.slice(from, from + longestLine);
  const [head, tail] = [from > 0 ? '…' : '', from + longestLine < tidy.length ? '…' : ''];
  const shift = head.length - from - lead;
  const inside = places
    .map(({ start, end }) => ({
      start: Math.max(start + shift, head.length),
      end: Math.min(end + shift, head.length + part.length),
    }))
    .filter(({ start, end }) => start < end);
  return { line: head + part + tail, places: inside };
}
