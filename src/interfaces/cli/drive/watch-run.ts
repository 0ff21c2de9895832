import type { Run } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import { createGateKeys } from '../answers/create-gate-keys.ts';
import { canAskHere, type KeyPorts } from '../answers/key-ports.ts';
import { createProgress } from '../progress/index.ts';
import { lastKnown } from './last-known.ts';
import type { Ended, Ending } from './ending.ts';

export interface WatchOptions {
  /** What was committed until then is no news. */
  readonly head: number;
  /** Printed first. */
  readonly intro: string;
}

/**
 * Shows what happens to a run that is driven elsewhere, until it has ended, nobody drives it any more, or nobody reads what is
 * shown. Ctrl-C ends the watching, and never touches the run.
 */
export async function watchRun(ports: KeyPorts, run: Run, { head, intro }: WatchOptions): Promise<Ended> {
  const { piton, output } = ports;
  const progress = createProgress({
    output,
    asksHere: canAskHere(ports),
    lastLine: lastKnown((attempt) => piton.lastLine(attempt)),
    lastOutputAt: lastKnown((attempt) => piton.lastOutputAt(attempt)),
  });
  const keys = await createGateKeys(ports, progress, () => {});
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  try {
    // Said when it is true: before this, Ctrl-C would end the process without a word.
    output.print(intro);
    const signal = AbortSignal.any([leaving.signal, output.readerGone]);
    const reading = { signal, transcripts: output.isJson };
    for await (const event of run.events(reading)) {
      progress.tell(event, event.seq > head);
      if (event.seq >= head) keys?.refresh(progress.viewOf(run.id));
    }
    const view = progress.viewOf(run.id);
    return { ending: signal.aborted ? 'left' : await standing(run), view };
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, leave);
    keys?.close();
    progress.close();
  }
}

/** How a run stands that is not driven. */
async function standing(run: Run): Promise<Ending> {
  const status = await run.status();
  if (status === 'held') return 'waiting';
  return status !== 'interrupted' && isFinal(status) ? (status as Ending) : 'abandoned';
}
