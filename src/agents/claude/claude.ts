import { traitsOf } from '../../model/index.ts';
import type { Agent } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { ofClaude } from '../variables.ts';
import { claudeCommand } from './command.ts';
import { claudeParser } from './parser.ts';
import { explainClaudePermissions } from './permissions.ts';
import { claudeToolClass } from './tools.ts';

/** Claude Code. */
export const claude: Agent = Object.freeze({
  name: 'claude',
  title: 'Claude Code',
  choosesSession: true,
  traits: traitsOf('claude'),
  pricing: 'usd',
  showsToolStart: true,
  asks: true,
  executable: 'claude',
  tested: { from: '2.1.325', to: '2.1.325' },
  variables: ofClaude,
  login: 'claude auth login',
  versionCommand: () => ['claude', '--version'],
  parseVersion: versionIn,
  command: claudeCommand,
  interactive: (session) => ['claude', '--resume', session],
  parser: claudeParser,
  toolClass: claudeToolClass,
  explainPermissions: explainClaudePermissions,
} satisfies Agent);
