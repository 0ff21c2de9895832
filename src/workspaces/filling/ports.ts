import { crashPoint, sha256, stateFolder } from '../../base/index.ts';
import type { PortBlock } from '../contract.ts';
import { isPortFree } from './free-ports.ts';
import { claimPorts, dropClaims, markChecked, withClaims, type ClaimSettings } from './port-claims.ts';

/** Not where systems give out ports by themselves, and above what is well known. */
export const defaultRange = { first: 20_000, last: 29_999 } as const;

/** For all Pitons of this user on this machine. */
export function portsFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return stateFolder('ports', environment);
}

/** Ports that nobody else is given while the place at this path is there: the same whenever it is asked again. */
export async function givePorts(settings: ClaimSettings, path: string, count: number): Promise<PortBlock> {
  const taken = new Set<number>();
  const from = likelyPort(settings, path);
  for (;;) {
    const claim = withClaims(settings, (claims) =>
      claimPorts(claims, settings, { path, count, from, taken }),
    );
    crashPoint('after:workspace.ports-claimed');
    const { first, isChecked } = claim;
    const busy = isChecked ? [] : await busyPorts(claim);
    withClaims(settings, (claims) => (busy.length === 0 ? markChecked : dropClaims)(claims, path));
    if (busy.length === 0) return { first, count };
    for (const port of busy) taken.add(port);
  }
}

export function releasePorts(settings: ClaimSettings, path: string): void {
  withClaims(settings, (claims) => dropClaims(claims, path));
}

/** Spread by the path: a port that was given back is not given to the next place at once. */
function likelyPort({ first, last }: ClaimSettings, path: string): number {
  return first + (Number.parseInt(sha256(path).slice(0, 8), 16) % (last - first + 1));
}

async function busyPorts({ first, count }: PortBlock): Promise<number[]> {
  const busy: number[] = [];
  for (let port = first; port < first + count; port++) if (!(await isPortFree(port))) busy.push(port);
  return busy;
}
