import { traitsOf } from '../../model/index.ts';
import type { Agent, Permissions } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { ofNamed } from '../variables.ts';
import { acpCommand } from './command.ts';
import { acpParser } from './parser.ts';
import { acpToolClass } from './tools.ts';

/**
 * Any agent that speaks the Agent Client Protocol; its command line is in `args`. A client of ours runs beside it inside
 * the attempt, so that an attempt needs nobody else to go on.
 */
export const acp: Agent = Object.freeze({
  name: 'acp',
  title: 'ACP agent',
  choosesSession: false,
  traits: traitsOf('acp'),
  pricing: 'tokens',
  showsToolStart: true,
  asks: true,
  waitsAtLimits: true,
  executable: '',
  variables: ofNamed,
  login: '',
  versionCommand: () => ['', '--version'],
  parseVersion: versionIn,
  command: acpCommand,
  // Which program it was is not known from its session alone.
  interactive: () => [],
  parser: acpParser,
  toolClass: acpToolClass,
  explainPermissions,
} satisfies Agent);

const trust =
  'this rests on the agent asking: one that acts unasked is stopped afterwards, and the task fails';

function explainPermissions(permissions: Permissions): string {
  if (permissions === 'full') return 'whatever it asks for is allowed';
  if (permissions === 'read') return `allowed when it asks: reading; all else is asked of you; ${trust}`;
  if (permissions === 'edit')
    return `allowed when it asks: reading, edits in its folder but for settings of agents, git and Piton, the checks; all else is asked of you; ${trust}`;
  return `allowed when it asks: reading, ${permissions.join(', ')}; all else is asked of you; ${trust}`;
}
