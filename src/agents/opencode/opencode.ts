import { traitsOf } from '../../model/index.ts';
import type { Agent } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { ofOpencode } from '../variables.ts';
import { opencodeCommand } from './command.ts';
import { opencodeDatabase } from './database.ts';
import { opencodeParser } from './parser.ts';
import { explainOpencodePermissions } from './permissions.ts';
import { opencodeToolClass } from './tools.ts';

/**
 * OpenCode. It names its sessions itself. A tool call it tells when that has ended, and before it begins only if it has
 * loaded our plugin.
 */
export const opencode: Agent = Object.freeze({
  name: 'opencode',
  title: 'OpenCode',
  choosesSession: false,
  traits: traitsOf('opencode'),
  bindsSessions: true,
  pricing: 'usd',
  showsToolStart: false,
  asks: false,
  waitsAtLimits: true,
  preparedFile: opencodeDatabase,
  executable: 'opencode',
  tested: { from: '1.18.33', to: '1.18.33' },
  variables: ofOpencode,
  login: 'opencode auth login',
  versionCommand: () => ['opencode', '--version'],
  parseVersion: versionIn,
  command: opencodeCommand,
  interactive: (session) => ['opencode', '--session', session],
  parser: opencodeParser,
  toolClass: opencodeToolClass,
  explainPermissions: explainOpencodePermissions,
} satisfies Agent);
