import { guarded } from '../base/index.ts';
import type { Workspaces } from '../workspaces/index.ts';

type Method = (...given: unknown[]) => Promise<unknown>;

/**
 * The same places, in which nothing is changed any more once another drives the run (`guard` throws then): whoever was
 * asleep in the middle of something would do the rest of it under the agent that works there by now.
 */
export function whileDriving(workspaces: Workspaces, guard: () => Promise<void>): Workspaces {
  const methods = workspaces as unknown as Readonly<Record<string | symbol, Method>>;
  const call =
    (name: string | symbol): Method =>
    (...given) =>
      guarded(guard, () => methods[name]!(...given));
  return new Proxy(workspaces, { get: (_, name) => call(name) });
}
