import { traitsOf } from '../../model/index.ts';
import type { Agent } from '../contract.ts';
import { versionIn } from '../executable.ts';
import { ofGoose } from '../variables.ts';
import { gooseCommand, explainGoosePermissions } from './command.ts';
import { gooseParser } from './parser.ts';
import { gooseToolClass } from './tools.ts';

/**
 * Goose, written from its documentation and source only: no version of it has been run with this adapter, which
 * is why none counts as tested. A session is known by the name we give it.
 */
export const goose: Agent = Object.freeze({
  name: 'goose',
  title: 'Goose',
  choosesSession: true,
  traits: traitsOf('goose'),
  pricing: 'tokens',
  showsToolStart: true,
  asks: false,
  executable: 'goose',
  variables: ofGoose,
  login: 'goose configure',
  versionCommand: () => ['goose', '--version'],
  parseVersion: versionIn,
  command: gooseCommand,
  interactive: (session) => ['goose', 'session', '--resume', '--name', session],
  parser: gooseParser,
  toolClass: gooseToolClass,
  explainPermissions: explainGoosePermissions,
} satisfies Agent);
