import { findSandbox } from '../../sandbox/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { ok, warn, type DoctorCheck } from './check.ts';

/** Whether agents can be contained, and what that does not cover. */
export async function checkSandbox({ env }: Pick<Surroundings, 'env'>): Promise<DoctorCheck> {
  const found = await findSandbox(env);
  if (found.by === 'none') {
    return warn('sandbox', `agents and their checks are not contained: ${found.why}`, found.remedy);
  }
  const untested = found.by === 'seatbelt' ? ' (untested)' : '';
  const text = `${found.by}${untested}: agents that may read or edit, and their checks, write only in their place`;
  return ok('sandbox', `${text}; commands and \`permissions: full\` are not contained`);
}
