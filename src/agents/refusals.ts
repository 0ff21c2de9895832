import { PitonError } from '../base/index.ts';
import type { Permissions } from './contract.ts';

/** An agent that cannot be limited to this: better no attempt than one that may do more than was allowed. */
export function permissionsUnsupported(agent: string, permissions: Permissions, remedy: string): PitonError {
  const shown = typeof permissions === 'string' ? permissions : `[${permissions.join(', ')}]`;
  return new PitonError(
    'PERMISSIONS_UNSUPPORTED',
    `${agent} cannot be limited to \`permissions: ${shown}\`.`,
    {
      permissions,
      remedy,
    },
  );
}

export function sessionUnsupported(agent: string, what: 'continue' | 'fork'): PitonError {
  const cannot = what === 'fork' ? 'copy a session' : 'go on in an earlier session';
  return new PitonError('SESSION_UNSUPPORTED', `${agent} cannot ${cannot}.`, {
    remedy: `Remove \`session: { ${what}: … }\` from the task, or choose another agent.`,
  });
}
