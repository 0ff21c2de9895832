import { onTestFinished } from 'vitest';
import { open, type OpenOptions, type Piton } from '../../src/index.ts';

/** Piton on a store of its own in memory, closed with the test. */
export async function openPiton(options: Partial<OpenOptions> = {}): Promise<Piton> {
  const piton = await open({ store: 'memory:', ...options });
  onTestFinished(() => piton.close());
  return piton;
}

/** A promise to be settled from outside: a function waits at it until the test says so. */
export interface Latch<T = void> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

export function latch<T = void>(): Latch<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { opened: promise, open: resolve };
}
