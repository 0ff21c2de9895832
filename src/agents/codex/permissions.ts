import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRequest, Permissions } from '../contract.ts';
import { permissionsUnsupported } from '../refusals.ts';
import { steeringRules } from '../steering-files.ts';

const sandboxes = { read: 'read-only', edit: 'workspace-write', full: 'danger-full-access' } as const;

type Limits = Pick<AgentRequest, 'permissions' | 'directory' | 'writes'>;

/** Codex limits where a command may write and whether it reaches the network, not which tools are used. */
export function codexPermissions(request: Limits): readonly string[] {
  const { permissions } = request;
  // Asking is switched off: nobody could answer.
  const never = ['-c', 'approval_policy="never"'];
  if (permissions === 'edit') return [...workspace(request), ...never];
  if (typeof permissions === 'string') return ['--sandbox', sandboxes[permissions], ...never];
  const sandbox = permissions.filter((word) => Object.values<string>(sandboxes).includes(word));
  const others = permissions.filter((word) => !sandbox.includes(word) && word !== 'network');
  if (sandbox.length !== 1 || others.length > 0) throw unsupported(permissions);
  const network = permissions.includes('network')
    ? ['-c', 'sandbox_workspace_write.network_access=true']
    : [];
  return ['--sandbox', sandbox[0]!, ...network, ...never];
}

/**
 * Its own sandbox, in which what steers is read-only. A version that knows no profiles takes the mode that is named first; one that
 * does takes the profile.
 */
function workspace(request: Limits): readonly string[] {
  const paths = protectedPaths(request).map((path) => `${JSON.stringify(path)}="read"`);
  const profile = `{extends=":workspace",filesystem={":project_roots"={${paths.join(',')}}}}`;
  const settings = [
    `sandbox_mode="${sandboxes.edit}"`,
    'default_permissions="piton"',
    `permissions.piton=${profile}`,
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/** In its default already. */
const ownProtection = new Set(['.git', '.codex']);
/** Also where they are not there: the agent then sees an empty file in their place. */
const neverMade = new Set(['.piton', '.claude', '.mcp.json']);

/** There are no patterns: of other folders, those that are there; and where one is a link, every command would be refused. */
function protectedPaths(request: Limits): readonly string[] {
  const { folders, foldersBelow, files } = steeringRules(request);
  return [...folders, ...foldersBelow, ...files].filter((path) => {
    if (ownProtection.has(path)) return false;
    const ways = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
    const found = ways.map((way) => lstatSync(join(request.directory, way), { throwIfNoEntry: false }));
    return neverMade.has(path)
      ? found[0]?.isSymbolicLink() !== true
      : found.every((one) => one !== undefined && !one.isSymbolicLink());
  });
}

function unsupported(permissions: Permissions): Error {
  const remedy =
    'It knows no list of tools: write one of read-only, workspace-write and danger-full-access, and `network` if it may use it.';
  return permissionsUnsupported('Codex', permissions, remedy);
}

export function explainCodexPermissions(permissions: Permissions): string {
  const flags =
    permissions === 'edit'
      ? `sandbox ${sandboxes.edit}`
      : codexPermissions({ permissions, directory: '' }).join(' ');
  if (permissions === 'read') return `${flags}: any command, but none can write or use the network`;
  if (permissions === 'edit') {
    return `${flags}: edits, and any command; none can write outside of the workspace and temporary folders or to the settings of agents, git and Piton in it, or use the network`;
  }
  return permissions === 'full' ? `${flags}: everything` : flags;
}
