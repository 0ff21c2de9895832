import type { WatchedRun } from '../../../library/index.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

/** How driving or watching a run ended. */
export type Ending =
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  /** Only a person can go on with it. */
  | 'waiting'
  /** We were asked to stop. */
  | 'stopped'
  /** It goes on, driven elsewhere; only the watching has ended. */
  | 'left'
  /** It has not ended, and nobody drives it any more. */
  | 'abandoned'
  /** This process cannot go on driving it: see the error. */
  | 'lost';

export interface Ended {
  readonly ending: Ending;
  readonly view: WatchedRun;
  readonly error?: Error;
}

const codes: Readonly<Record<Ending, ExitCode>> = {
  succeeded: exitCodes.done,
  failed: exitCodes.failed,
  cancelled: exitCodes.failed,
  waiting: exitCodes.waiting,
  stopped: exitCodes.interrupted,
  left: exitCodes.interrupted,
  abandoned: exitCodes.refused,
  lost: exitCodes.refused,
};

export function exitCodeOfEnding(ending: Ending): ExitCode {
  return codes[ending];
}

/** From the best to the worst. */
const severity: readonly ExitCode[] = [
  exitCodes.done,
  exitCodes.waiting,
  exitCodes.failed,
  exitCodes.usage,
  exitCodes.refused,
  exitCodes.interrupted,
];

export function worstOf(given: readonly ExitCode[]): ExitCode {
  return given.reduce((worst, code) => (severity.indexOf(code) > severity.indexOf(worst) ? code : worst), 0);
}
