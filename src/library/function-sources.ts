import { sha256 } from '../base/index.ts';
import type { TaskFunction } from '../engine/index.ts';

/** The functions that users wrote, by those that are called in their stead. */
const written = new WeakMap<object, object>();

/** Says which function of the user's another one is made from: its text is what can change. */
export function standsFor<Wrapper extends object>(wrapper: Wrapper, original: object): Wrapper {
  written.set(wrapper, written.get(original) ?? original);
  return wrapper;
}

/** A hash of the text of each function, by name; formatting does not count. Those without a text of their own are left out. */
export function sourcesOf(
  functions: Readonly<Record<string, TaskFunction>>,
): Readonly<Record<string, string>> {
  const texts = Object.entries(functions).flatMap(([name, run]) => {
    const text = written.has(run) ? String(written.get(run)) : undefined;
    return text === undefined || text.includes('[native code]') ? [] : [[name, hashOf(text)] as const];
  });
  return Object.fromEntries(texts);
}

function hashOf(text: string): string {
  return sha256(text.replaceAll(/\s+/g, ' ')).slice(0, 16);
}
