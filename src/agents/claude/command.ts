import type { AgentCommand, AgentRequest, SessionRequest } from '../contract.ts';
import { askingArguments, promptWithAllowed } from './asking.ts';
import { claudePermissions } from './permissions.ts';

/** Without a number the CLI repeats a refused login for minutes before it says so. */
const retries = { CLAUDE_CODE_MAX_RETRIES: '3' };

export function claudeCommand(request: AgentRequest): AgentCommand {
  return {
    argv: [
      'claude',
      '--print',
      '--output-format',
      'stream-json',
      '--verbose',
      ...sessionArguments(request.session),
      ...claudePermissions(request.permissions, request.allowedCommands),
      ...askingArguments(request),
      ...limitArguments(request),
      ...request.args,
    ],
    env: retries,
    input: promptWithAllowed(request),
    files: {},
    unmet: [],
  };
}

/** The id of a session that exists must not be given by `--session-id`: it counts as in use for ever. */
function sessionArguments(session: SessionRequest): readonly string[] {
  switch (session.type) {
    case 'new':
      return session.id === undefined ? [] : ['--session-id', session.id];
    case 'continue':
      return ['--resume', session.id];
    case 'fork': {
      const chosen = session.id === undefined ? [] : ['--session-id', session.id];
      return ['--resume', session.of, '--fork-session', ...chosen];
    }
  }
}

function limitArguments(request: AgentRequest): readonly string[] {
  return [
    ...option('--model', request.model),
    ...option('--effort', request.effort),
    ...option('--max-turns', request.maxTurns),
    ...option('--max-budget-usd', request.budgetUsd),
    ...option('--json-schema', request.outputSchema && JSON.stringify(request.outputSchema)),
  ];
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}
