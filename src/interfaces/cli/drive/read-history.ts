import type { RunEvent } from '../../../engine/index.ts';
import type { Run } from '../../../library/index.ts';

/** The events of a run up to a commit; those that come after it are not waited for. What agents have said is left out unless it is asked for. */
export async function* readHistory(
  run: Run,
  head: number,
  { transcripts = false }: { readonly transcripts?: boolean } = {},
): AsyncGenerator<RunEvent> {
  if (head < 1) return;
  const enough = new AbortController();
  for await (const event of run.events({ signal: enough.signal, transcripts })) {
    if (event.seq > head) return;
    // A commit has several events: those that are left of it come before the reading ends.
    if (event.seq === head) enough.abort();
    yield event;
  }
}
