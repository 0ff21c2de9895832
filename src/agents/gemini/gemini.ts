import { traitsOf } from '../../model/index.ts';
import type { Agent } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { ofGemini } from '../variables.ts';
import { geminiCommand } from './command.ts';
import { geminiParser } from './parser.ts';
import { explainGeminiPermissions } from './permissions.ts';
import { geminiToolClass } from './tools.ts';

/** Gemini CLI. Killed in a tool call, it forgets the call: the next prompt has to tell of it. */
export const gemini: Agent = Object.freeze({
  name: 'gemini',
  title: 'Gemini CLI',
  choosesSession: true,
  traits: traitsOf('gemini'),
  bindsSessions: true,
  pricing: 'tokens',
  showsToolStart: true,
  asks: false,
  executable: 'gemini',
  tested: { from: '0.61.0', to: '0.61.0' },
  variables: ofGemini,
  login: 'gemini, then /auth',
  versionCommand: () => ['gemini', '--version'],
  parseVersion: versionIn,
  command: geminiCommand,
  interactive: (session) => ['gemini', '--resume', session],
  parser: geminiParser,
  toolClass: geminiToolClass,
  explainPermissions: explainGeminiPermissions,
} satisfies Agent);
