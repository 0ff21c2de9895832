/**
 * Named places where tests kill the real process: `PITON_CRASH_AT=after:task.succeeded#3` dies by SIGKILL
 * the third time that place is passed. Without the variable this costs one comparison.
 */
const wanted = parseWanted(process.env['PITON_CRASH_AT']);
let passed = 0;

export function crashPoint(name: string): void {
  if (wanted === undefined || name !== wanted.name || ++passed !== wanted.count) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal is delivered when the call returns to the event loop at the latest: nothing more may happen before.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

export const crashPointsArmed = wanted !== undefined;

function parseWanted(text: string | undefined): { name: string; count: number } | undefined {
  if (!text) return undefined;
  const [name = '', count = '1'] = text.split('#');
  return { name, count: Number(count) };
}
