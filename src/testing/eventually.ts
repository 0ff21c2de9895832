import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../base/index.ts';

/** Waits until the condition holds. Fails after the deadline, naming what was waited for: on a busy machine all take their time. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs = 240_000,
): Promise<void> {
  const until = systemClock.elapsed() + deadlineMs;
  while (!(await holds())) {
    if (systemClock.elapsed() > until) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await pause(5);
  }
}
