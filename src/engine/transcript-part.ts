import type { Json } from '../base/index.ts';
import { lastWord } from '../model/index.ts';
import type { TranscriptPart } from './agent-ports.ts';
import type { Passage } from './agent-stream.ts';
import { redactJson, type Redact } from './redact.ts';

/** What an agent has said, for the journal: without secrets, and with what is told of it without reading it. */
export function transcriptPart({ upTo, events }: Passage, redact: Redact): TranscriptPart {
  const entries = events.map((event) => redactJson(event as unknown as Json, redact));
  const used = entries.filter((_, index) => events[index]!.type === 'usage');
  const last = lastWord(entries);
  // Once more: control characters that stood between the letters of a secret are not in it any more.
  return { upTo, entries, used, ...(last !== undefined && { last: redact(last) }) };
}
