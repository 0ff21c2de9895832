import type { AgentCommand, AgentRequest, SessionRequest, Unmet } from '../contract.ts';
import { promptWithSchema } from '../structured.ts';
import { opencodePermissions } from './permissions.ts';

export function opencodeCommand(request: AgentRequest): AgentCommand {
  return {
    argv: [
      'opencode',
      'run',
      '--format',
      'json',
      '--thinking',
      // At a usage limit it waits and tries again without end, and says so nowhere else.
      '--print-logs',
      '--log-level',
      'ERROR',
      ...sessionArguments(request.session),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...(request.effort === undefined ? [] : ['--variant', request.effort]),
      ...request.args,
    ],
    env: {
      OPENCODE_PERMISSION: JSON.stringify(opencodePermissions(request)),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
    input: promptWithSchema(request.prompt, request.outputSchema),
    files: {},
    unmet: unmetBy(request),
  };
}

function sessionArguments(session: SessionRequest): readonly string[] {
  if (session.type === 'new') return [];
  return session.type === 'continue' ? ['--session', session.id] : ['--session', session.of, '--fork'];
}

function unmetBy({ maxTurns, budgetUsd }: AgentRequest): readonly Unmet[] {
  return [
    ...(maxTurns === undefined ? [] : (['max-turns'] as const)),
    ...(budgetUsd === undefined ? [] : (['budget'] as const)),
  ];
}
