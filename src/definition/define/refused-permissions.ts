import type { Permissions } from '../../model/index.ts';
import type { Finding } from '../problems.ts';

type Refusal = Pick<Finding, 'message' | 'remedy'>;

/** Why an agent cannot be limited so. Its adapter says the same, when it is asked to. */
export function refusedPermissions(agent: string, permissions: Permissions): Refusal | undefined {
  return Object.hasOwn(refusals, agent) ? refusals[agent]!(permissions) : undefined;
}

const refusals: Readonly<Record<string, (permissions: Permissions) => Refusal | undefined>> = {
  command: (permissions) =>
    permissions === 'full'
      ? undefined
      : {
          message: 'The agent `command` is any program, which cannot be limited.',
          remedy:
            'Say `permissions: full` if it may do whatever it does; with `sandbox: required`, it still writes only in its place.',
        },
  goose: (permissions) =>
    permissions === 'full' || permissions === 'read'
      ? undefined
      : {
          message: 'The agent `goose` cannot be limited to some of its tools.',
          remedy: 'Say `permissions: full` (everything) or `permissions: read` (it only talks).',
        },
  codex: (permissions) =>
    typeof permissions === 'string' || isSandbox(permissions)
      ? undefined
      : {
          message: `The agent \`codex\` knows no list of tools, such as [${permissions.join(', ')}].`,
          remedy: `Write one of ${sandboxes.join(', ')}, and \`network\` if it may use that.`,
        },
};

const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'];

function isSandbox(words: readonly string[]): boolean {
  const others = words.filter((word) => !sandboxes.includes(word));
  return words.length - others.length === 1 && others.every((word) => word === 'network');
}
