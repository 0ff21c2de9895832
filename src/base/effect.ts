import { AsyncLocalStorage } from 'node:async_hooks';
import { crashPoint } from './crash-point.ts';

const guards = new AsyncLocalStorage<() => Promise<void>>();

/** `guard` is asked before every effect of `work`, and throws if there is to be none any more. */
export function guarded<T>(guard: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  return guards.run(guard, work);
}

/**
 * A change of the world outside of the store: a place to be killed at before and after it. Whoever has slept before it, and
 * has meanwhile lost the right to it, does not do it.
 */
export async function effect<T>(name: string, act: () => Promise<T>): Promise<T> {
  crashPoint(`before:${name}`);
  await guards.getStore()?.();
  const made = await act();
  crashPoint(`after:${name}`);
  return made;
}
