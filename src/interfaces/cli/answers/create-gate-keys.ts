import type { Progress } from '../progress/index.ts';
import type { GateKeys } from './gate-keys.ts';
import { canAskHere, type KeyPorts } from './key-ports.ts';

/** Undefined where nobody can be asked. `answered`: told when nobody is asked about a run any more. */
export async function createGateKeys(
  ports: KeyPorts,
  progress: Progress,
  answered: (run: string) => void,
): Promise<GateKeys | undefined> {
  if (!canAskHere(ports)) return undefined;
  const { GateKeys } = await import('./gate-keys.ts');
  return new GateKeys(ports, progress, answered);
}
