import type { Agent } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { opencodeCommand } from './command.ts';
import { opencodeParser } from './parser.ts';
import { explainOpencodePermissions } from './permissions.ts';
import { opencodeToolClass } from './tools.ts';

/** OpenCode. It names its sessions itself, and tells of a tool call only when that has ended. */
export const opencode: Agent = Object.freeze({
  name: 'opencode',
  title: 'OpenCode',
  choosesSession: false,
  forks: true,
  bindsSessions: true,
  pricing: 'usd',
  showsToolStart: false,
  asks: false,
  waitsAtLimits: true,
  executable: 'opencode',
  tested: { from: '1.18.33', to: '1.18.33' },
  login: 'opencode auth login',
  versionCommand: () => ['opencode', '--version'],
  parseVersion: versionIn,
  command: opencodeCommand,
  interactive: (session) => ['opencode', '--session', session],
  parser: opencodeParser,
  toolClass: opencodeToolClass,
  explainPermissions: explainOpencodePermissions,
} satisfies Agent);
