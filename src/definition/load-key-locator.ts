import type { keyLocator } from './yaml/locate-key.ts';

export type { KeyName, KeyPlace } from './yaml/locate-key.ts';

/** What reads YAML is loaded only where something is to be located. */
export async function loadKeyLocator(): Promise<typeof keyLocator> {
  return (await import('./yaml/locate-key.ts')).keyLocator;
}
