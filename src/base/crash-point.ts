import { appendFileSync } from 'node:fs';

/**
 * Named places where tests kill the real process: `PITON_CRASH_AT=after:task.succeeded#3` dies by SIGKILL the third time
 * that place is passed, `PITON_STOP_AT` is stopped there until it gets SIGCONT, and `PITON_CRASH_LOG` names a file that
 * gets a line for each place passed. Without these variables a place costs one comparison.
 */
const deadly = parsePlace(process.env['PITON_CRASH_AT']);
const halting = parsePlace(process.env['PITON_STOP_AT']);
const log = process.env['PITON_CRASH_LOG'];

export const crashPointsArmed = deadly !== undefined || halting !== undefined || log !== undefined;

export function crashPoint(name: string): void {
  if (!crashPointsArmed) return;
  if (log !== undefined) appendFileSync(log, `${name}\n`);
  if (isReached(halting, name)) process.kill(process.pid, 'SIGSTOP');
  if (!isReached(deadly, name)) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal is delivered when the call returns to the event loop at the latest: nothing more may happen before.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

interface Place {
  readonly name: string;
  /** Passings left; negative once it was reached. */
  remaining: number;
}

function isReached(place: Place | undefined, name: string): boolean {
  return place?.name === name && --place.remaining === 0;
}

function parsePlace(text: string | undefined): Place | undefined {
  if (!text) return undefined;
  const [name = '', count = '1'] = text.split('#');
  return { name, remaining: Number(count) };
}
