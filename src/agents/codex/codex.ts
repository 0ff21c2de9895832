import { traitsOf } from '../../model/index.ts';
import type { Agent } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { ofCodex } from '../variables.ts';
import { codexCommand } from './command.ts';
import { codexParser } from './parser.ts';
import { explainCodexPermissions } from './permissions.ts';
import { codexToolClass } from './tools.ts';

/** OpenAI Codex. It names its sessions itself, and counts tokens over the whole session. */
export const codex: Agent = Object.freeze({
  name: 'codex',
  title: 'Codex',
  choosesSession: false,
  traits: traitsOf('codex'),
  pricing: 'tokens',
  showsToolStart: true,
  asks: false,
  executable: 'codex',
  tested: { from: '0.166.0', to: '0.166.0' },
  variables: ofCodex,
  login: 'codex login',
  versionCommand: () => ['codex', '--version'],
  parseVersion: versionIn,
  command: codexCommand,
  // A server that it leaves behind by default would keep the session for itself for half an hour.
  interactive: (session) => ['codex', 'resume', '-c', 'features.daemon_auto_start=false', session],
  parser: codexParser,
  toolClass: codexToolClass,
  explainPermissions: explainCodexPermissions,
} satisfies Agent);
