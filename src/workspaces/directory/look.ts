import { errorText, asError } from '../../base/index.ts';
import type { KnownRequest } from '../contract.ts';
import type { Look } from '../upkeep-contract.ts';
import { findLost, someOf, type Search } from './find-lost.ts';
import { standingOf } from './standing.ts';

type LookTools = Pick<Search, 'filling' | 'caches'>;

/** Changes nothing. */
export async function lookAtDirectory(tools: LookTools, request: KnownRequest): Promise<Look> {
  const { token } = request.known;
  try {
    return { token, ...(await see(tools, request)) };
  } catch (error) {
    return { token, health: 'unknown', text: errorText(asError(error), 'message') ?? 'it cannot be read' };
  }
}

async function see(tools: LookTools, request: KnownRequest): Promise<Omit<Look, 'token'>> {
  const { path } = request.known;
  const standing = await standingOf(request.known);
  if (standing.type === 'absent') return { health: 'missing', text: `${path} is gone` };
  if (standing.type !== 'ours') return { health: 'drifted', text: `${path} ${standing.why}` };
  const lost = await findLost({ ...tools, request, path, isQuick: true });
  if (lost.length === 0) return { health: 'clean', text: 'nothing in it is new or changed' };
  return { health: 'dirty', text: `new or changed: ${someOf(lost)}` };
}
