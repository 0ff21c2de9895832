import { join } from 'node:path';
import type { AgentCommand, AgentRequest, SessionRequest, Unmet } from '../contract.ts';
import { codexPermissions } from './permissions.ts';
import { strictSchema } from './strict-schema.ts';

const schemaFile = 'output-schema.json';

export function codexCommand(request: AgentRequest): AgentCommand {
  return {
    argv: [
      'codex',
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--cd',
      request.directory,
      ...codexPermissions(request),
      ...modelArguments(request),
      ...schemaArguments(request),
      // Ours and theirs are options of `exec`: behind the name of the subcommand some are refused.
      ...request.args,
      ...sessionArguments(request.session),
      '-',
    ],
    env: {},
    input: request.prompt,
    files:
      request.outputSchema === undefined
        ? {}
        : { [schemaFile]: JSON.stringify(strictSchema(request.outputSchema)) },
    unmet: unmetBy(request),
  };
}

function sessionArguments(session: SessionRequest): readonly string[] {
  if (session.type === 'new') return [];
  return session.type === 'continue' ? ['resume', session.id] : ['fork', session.of];
}

function modelArguments({ model, effort }: AgentRequest): readonly string[] {
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(effort)}`]),
  ];
}

function schemaArguments({ outputSchema, folder }: AgentRequest): readonly string[] {
  return outputSchema === undefined ? [] : ['--output-schema', join(folder, schemaFile)];
}

function unmetBy({ maxTurns, budgetUsd }: AgentRequest): readonly Unmet[] {
  return [
    ...(maxTurns === undefined ? [] : (['max-turns'] as const)),
    ...(budgetUsd === undefined ? [] : (['budget'] as const)),
  ];
}
