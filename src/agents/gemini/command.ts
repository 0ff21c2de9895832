import { join } from 'node:path';
import type { AgentCommand, AgentRequest, SessionRequest, Unmet } from '../contract.ts';
import { sessionUnsupported } from '../refusals.ts';
import { promptWithSchema } from '../structured.ts';
import { geminiPermissions } from './permissions.ts';

const policyFile = 'gemini-policy.toml';

export function geminiCommand(request: AgentRequest): AgentCommand {
  const { mode, policy } = geminiPermissions(request);
  return {
    argv: [
      'gemini',
      '--output-format',
      'stream-json',
      '--skip-trust',
      '--approval-mode',
      mode,
      ...(policy === '' ? [] : ['--policy', join(request.folder, policyFile)]),
      ...sessionArguments(request.session),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...request.args,
    ],
    env: {},
    input: promptWithSchema(request.prompt, request.outputSchema),
    files: policy === '' ? {} : { [policyFile]: policy },
    unmet: unmetBy(request),
  };
}

function sessionArguments(session: SessionRequest): readonly string[] {
  if (session.type === 'fork') throw sessionUnsupported('Gemini CLI', 'fork');
  if (session.type === 'continue') return ['--resume', session.id];
  return session.id === undefined ? [] : ['--session-id', session.id];
}

/** The number of turns is a setting, and settings of ours would be read only from a folder that belongs to root. */
function unmetBy({ effort, maxTurns, budgetUsd }: AgentRequest): readonly Unmet[] {
  return [
    ...(effort === undefined ? [] : (['effort'] as const)),
    ...(maxTurns === undefined ? [] : (['max-turns'] as const)),
    ...(budgetUsd === undefined ? [] : (['budget'] as const)),
  ];
}
