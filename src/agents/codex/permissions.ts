import type { Permissions } from '../contract.ts';
import { permissionsUnsupported } from '../refusals.ts';

const sandboxes = { read: 'read-only', edit: 'workspace-write', full: 'danger-full-access' } as const;

/** Codex limits where a command may write and whether it reaches the network, not which tools are used. */
export function codexPermissions(permissions: Permissions): readonly string[] {
  // Asking is switched off: nobody could answer.
  const never = ['-c', 'approval_policy="never"'];
  if (typeof permissions === 'string') return ['--sandbox', sandboxes[permissions], ...never];
  const sandbox = permissions.filter((word) => Object.values<string>(sandboxes).includes(word));
  const others = permissions.filter((word) => !sandbox.includes(word) && word !== 'network');
  if (sandbox.length !== 1 || others.length > 0) throw unsupported(permissions);
  const network = permissions.includes('network')
    ? ['-c', 'sandbox_workspace_write.network_access=true']
    : [];
  return ['--sandbox', sandbox[0]!, ...network, ...never];
}

function unsupported(permissions: Permissions): Error {
  const remedy =
    'It knows no list of tools: write one of read-only, workspace-write and danger-full-access, and `network` if it may use it.';
  return permissionsUnsupported('Codex', permissions, remedy);
}

export function explainCodexPermissions(permissions: Permissions): string {
  const flags = codexPermissions(permissions).join(' ');
  if (permissions === 'read') return `${flags}: any command, but none can write or use the network`;
  if (permissions === 'edit') {
    return `${flags}: edits, and any command; none can write outside of the workspace and temporary folders, or use the network`;
  }
  return permissions === 'full' ? `${flags}: everything` : flags;
}
