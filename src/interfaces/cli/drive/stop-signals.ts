import { exitCodes } from '../exit-codes.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Stopping {
  stop(signal: NodeJS.Signals): void;
  /** The last words before this process ends. */
  leave(): void;
}

/**
 * The first signal asks us to stop in good order. The second one ends this process at once: what runs as a process of
 * its own lives on, and whoever resumes the run adopts it. Returns the way to listen no longer, if there was none.
 */
export function onStopSignals({ stop, leave }: Stopping): () => void {
  let isStopping = false;
  const hear = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      leave();
      process.exit(exitCodes.interrupted);
    }
    isStopping = true;
    stop(signal);
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    // Whoever has asked once is still heard while the last words are said.
    if (isStopping) return;
    for (const signal of signals) process.off(signal, hear);
  };
}
