import { join } from 'node:path';
import { programFile } from '../../base/index.ts';
import { traitsOf } from '../../model/index.ts';
import type { Agent, AgentCommand, AgentRequest, Permissions, Unmet } from '../contract.ts';
import { ofScripted } from '../variables.ts';
import type { Order } from './order.ts';
import { scriptedParser } from './parser.ts';
import { scriptedToolClass } from './tools.ts';

/**
 * Plays a written part instead of asking a model: for tests and demonstrations. It speaks, runs tools and keeps
 * sessions as the others do, and misbehaves on request.
 */
export const scripted: Agent = Object.freeze({
  name: 'scripted',
  title: 'Scripted agent',
  choosesSession: true,
  traits: traitsOf('scripted'),
  pricing: 'usd',
  showsToolStart: true,
  asks: true,
  executable: process.execPath,
  tested: { from: '1.0.0', to: '1.0.0' },
  variables: ofScripted,
  login: '',
  versionCommand: () => [process.execPath, player, '--version'],
  parseVersion: (output) => /\d+\.\d+\.\d+/.exec(output)?.[0],
  command: scriptedCommand,
  interactive: (session) => [process.execPath, player, '--talk', session],
  parser: scriptedParser,
  toolClass: scriptedToolClass,
  explainPermissions,
} satisfies Agent);

const player = programFile('agents/scripted/player');

function scriptedCommand(request: AgentRequest): AgentCommand {
  const { session, permissions, allowedCommands, allowed, outputSchema, maxTurns, budgetUsd, model } =
    request;
  const order: Order = {
    session,
    permissions,
    allowedCommands,
    allowed,
    ...(model !== undefined && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(outputSchema !== undefined && { outputSchema }),
  };
  return {
    argv: [process.execPath, player, join(request.folder, orderFile), ...request.args],
    env: {},
    input: request.prompt,
    files: { [orderFile]: JSON.stringify(order) },
    unmet: request.effort === undefined ? [] : (['effort'] satisfies Unmet[]),
  };
}

const orderFile = 'scripted-order.json';

function explainPermissions(permissions: Permissions): string {
  if (permissions === 'full') return 'runs and edits whatever its part says';
  if (permissions === 'read') return 'reads; asks about commands and edits';
  if (permissions === 'edit') return 'reads, edits and runs the checks; asks about other commands';
  return `reads and uses ${permissions.join(', ')}; asks about anything else`;
}
