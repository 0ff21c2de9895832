import type { Surroundings } from '../surroundings.ts';
import { isTrustedByCaller, standingOf } from '../trust/project-trust.ts';
import { ok, warn, type DoctorCheck } from './check.ts';

/** Whether what the project says may be executed. Nothing to say where there is no project, or nothing in it. */
export function checkTrust({ config, env }: Pick<Surroundings, 'config' | 'env'>): DoctorCheck[] {
  if (!config.isProject) return [];
  if (isTrustedByCaller(env)) return [ok('trust', 'given by PITON_TRUST')];
  const standing = standingOf(config, env);
  if (standing.isTrusted) return [ok('trust', 'this project is trusted')];
  return [warn('trust', `${standing.reason}: nothing of it is executed`, 'piton trust')];
}
