import { join } from 'node:path';
import { programFile } from '../../base/index.ts';
import type { AgentCommand, AgentRequest, SessionRequest, Unmet } from '../contract.ts';
import { promptWithSchema } from '../structured.ts';
import type { Order } from './order.ts';

const client = programFile('agents/acp/client');
const orderFile = 'acp-order.json';
/** A package runner may have to fetch the agent first. */
const patienceMs = 180_000;

export function acpCommand(request: AgentRequest): AgentCommand {
  return {
    argv: [process.execPath, client, join(request.folder, orderFile), ...request.args],
    env: {},
    input: promptWithSchema(request.prompt, request.outputSchema),
    files: { [orderFile]: JSON.stringify(orderOf(request)) },
    unmet: unmetBy(request),
  };
}

function orderOf(request: AgentRequest): Order {
  const { directory, permissions, allowedCommands, allowed, writes, model, effort } = request;
  return {
    directory,
    session: withoutChoice(request.session),
    permissions,
    allowedCommands,
    ...(writes !== undefined && { writes }),
    allowed,
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    patienceMs,
  };
}

/** The agent names its sessions itself. */
function withoutChoice(session: SessionRequest): SessionRequest {
  if (session.type === 'new') return { type: 'new' };
  return session.type === 'fork' ? { type: 'fork', of: session.of } : session;
}

function unmetBy({ maxTurns, budgetUsd }: AgentRequest): readonly Unmet[] {
  return [
    ...(maxTurns === undefined ? [] : (['max-turns'] as const)),
    ...(budgetUsd === undefined ? [] : (['budget'] as const)),
  ];
}
