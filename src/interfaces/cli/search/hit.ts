import type { Spoken } from '../conversation/index.ts';
import type { Pattern, Place } from './pattern.ts';

/** A line of a conversation in which something was found. */
export interface Hit {
  readonly run: string;
  readonly workflow: string;
  readonly task: string;
  /** Of the attempt; absent for what was said between two. */
  readonly attempt?: number;
  readonly agent?: string;
  readonly at: number;
  readonly role: Spoken['role'];
  readonly tool?: string;
  /** The line, or the part of a long one around the first place. */
  readonly line: string;
  readonly places: readonly Place[];
}

/** Whose words they are. */
export type Source = Pick<Hit, 'run' | 'workflow' | 'task' | 'attempt' | 'agent' | 'at'>;

const longestLine = 400;
const before = 80;

export function hitsIn(source: Source, { role, tool, text }: Spoken, pattern: Pattern): Hit[] {
  return text.split('\n').flatMap((line) => {
    const places = pattern(line);
    if (places.length === 0) return [];
    return [{ ...source, role, ...(tool !== undefined && { tool }), ...excerptOf(line, places) }];
  });
}

/** A line may be as long as a file: what surrounds the first place is enough. */
function excerptOf(line: string, places: readonly Place[]): Pick<Hit, 'line' | 'places'> {
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
