import type { Context } from '../context.ts';
import { isTrustedByCaller, reasonOf, standingOf } from '../trust/project-trust.ts';
import { ok, warn, type Check } from './check.ts';

/** Whether what the project says may be executed. Nothing to say where there is no project, or nothing in it. */
export function checkTrust({ config, env }: Pick<Context, 'config' | 'env'>): Check[] {
  if (!config.isProject) return [];
  if (isTrustedByCaller(env)) return [ok('trust', 'given by PITON_TRUST')];
  const standing = standingOf(config, env);
  if (standing.isTrusted) return [ok('trust', 'this project is trusted')];
  return [warn('trust', `${reasonOf(standing)}: nothing of it is executed`, 'piton trust')];
}
