import type { AgentCommand, AgentRequest, Permissions, SessionRequest, Unmet } from '../contract.ts';
import { permissionsUnsupported, sessionUnsupported } from '../refusals.ts';
import { promptWithSchema } from '../structured.ts';

export function gooseCommand(request: AgentRequest): AgentCommand {
  return {
    argv: [
      'goose',
      'run',
      '--output-format',
      'stream-json',
      '--quiet',
      ...sessionArguments(request.session),
      ...(request.maxTurns === undefined ? [] : ['--max-turns', String(request.maxTurns)]),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...request.args,
      '--instructions',
      '-',
    ],
    env: { GOOSE_MODE: modeOf(request.permissions) },
    input: promptWithSchema(request.prompt, request.outputSchema),
    files: {},
    unmet: unmetBy(request),
  };
}

function sessionArguments(session: SessionRequest): readonly string[] {
  if (session.type === 'fork') throw sessionUnsupported('Goose', 'fork');
  if (session.type === 'continue') return ['--name', session.id, '--resume'];
  return session.id === undefined ? [] : ['--name', session.id];
}

/** Its modes are everything, asking (which would wait for nobody), and talking without tools. */
function modeOf(permissions: Permissions): string {
  if (permissions === 'full') return 'auto';
  if (permissions === 'read') return 'chat';
  const remedy = 'It can do everything (`permissions: full`) or only talk (`permissions: read`).';
  throw permissionsUnsupported('Goose', permissions, remedy);
}

export function explainGoosePermissions(permissions: Permissions): string {
  if (permissions === 'full') return 'GOOSE_MODE=auto: everything';
  if (permissions === 'read') return 'GOOSE_MODE=chat: talks, without any tools';
  return 'refused: Goose cannot be limited to some of its tools without asking';
}

function unmetBy({ effort, budgetUsd }: AgentRequest): readonly Unmet[] {
  return [
    ...(effort === undefined ? [] : (['effort'] as const)),
    ...(budgetUsd === undefined ? [] : (['budget'] as const)),
  ];
}
