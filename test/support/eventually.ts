import { setTimeout as pause } from 'node:timers/promises';

/** Waits until the condition holds. Fails after the deadline, naming what was waited for: on a busy machine all take their time. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs = 240_000,
): Promise<void> {
  const until = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await pause(5);
  }
}
