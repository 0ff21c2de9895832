import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../base/index.ts';
import { isBusy, storeError, type StorePlace } from './faults.ts';

export interface Patience extends StorePlace {
  readonly patienceMs: number;
}

/**
 * Tries again while another connection holds the lock, without blocking the event loop: SQLite's own busy handler
 * sleeps in place, and lets writers starve each other for seconds.
 */
export async function patiently<T>(patience: Patience, attempt: () => T): Promise<T> {
  const startedAt = systemClock.elapsed();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || isOver(patience, startedAt)) throw storeError(error, patience);
    }
    await untilNextTry();
  }
}

/** By the machine's own time: a clock that tests advance would never run out by itself. */
export function isOver({ patienceMs }: Patience, startedAt: number): boolean {
  return systemClock.elapsed() - startedAt >= patienceMs;
}

/** Jittered, so that two who collided do not collide again. */
export function untilNextTry(): Promise<void> {
  return pause(1 + Math.random() * 9);
}
