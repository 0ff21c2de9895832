import type { ChildProcess } from 'node:child_process';
import type { Ending, Sighting } from '../order.ts';

export interface Wait {
  /** Cheap: looks only if there is an exit record. */
  readonly glance: () => Sighting | undefined;
  readonly look: () => Sighting;
  /** Makes sure that what has not begun never will. */
  readonly claim: () => boolean;
  readonly child?: ChildProcess | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A stranger's end is seen by polling; our own child's is told, polling only guards against what we did not think of. */
const strangerPollMs = 50;
const childPollMs = 1_000;

/** Looking for a process costs more than looking at a file, and is needed only if it died without a word. */
const pollsPerLook = 10;

/** Undefined: the signal was given. Never rejects: what cannot be read now is read later. */
export async function awaitEnd(wait: Wait): Promise<Ending | undefined> {
  for (let polls = 0; wait.signal?.aborted !== true; polls++) {
    const isLook = wait.child !== undefined || polls % pollsPerLook === 0;
    const ending = tryToSee(wait, isLook);
    if (ending !== undefined) return ending;
    await nextSign(wait);
  }
  return undefined;
}

function tryToSee(wait: Wait, isLook: boolean): Ending | undefined {
  try {
    const sighting = wait.glance() ?? (isLook ? wait.look() : undefined);
    return sighting && endingOf(sighting, wait);
  } catch {
    return undefined;
  }
}

function endingOf(sighting: Sighting, { claim }: Wait): Ending | undefined {
  switch (sighting.type) {
    case 'exited':
    case 'vanished':
      return sighting;
    case 'absent':
      return { type: 'vanished' };
    case 'unclaimed':
      return claim() ? sighting : undefined;
    default:
      return undefined;
  }
}

async function nextSign({ child, signal }: Wait): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isRunning = child !== undefined && child.exitCode === null && child.signalCode === null;
  const timer = setTimeout(resolve, isRunning ? childPollMs : strangerPollMs);
  const wake = (): void => resolve();
  child?.once('exit', wake);
  signal?.addEventListener('abort', wake);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    child?.off('exit', wake);
    signal?.removeEventListener('abort', wake);
  }
}
