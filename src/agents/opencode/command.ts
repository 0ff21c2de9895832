import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentCommand, AgentRequest, SessionRequest, Unmet } from '../contract.ts';
import { listOf, readObject } from '../json-fields.ts';
import { promptWithSchema } from '../structured.ts';
import { isEquipped } from './dependencies.ts';
import { opencodePermissions } from './permissions.ts';
import { pluginText } from './plugin.ts';

const pluginFile = 'opencode-plugin.js';

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
      ...configuration(request),
    },
    input: promptWithSchema(request.prompt, request.outputSchema),
    files: { [pluginFile]: pluginText },
    unmet: unmetBy(request),
  };
}

/**
 * Beside what the person has there. If that is not to be understood it stays as it is, and where the plugin would cost
 * time it is not used: then nothing tells of calls before they end, and an attempt that was cut off is held.
 */
function configuration({ folder, directory, environment }: AgentRequest): Readonly<Record<string, string>> {
  if (environment === undefined || !isEquipped(directory, environment)) return {};
  const config = readObject(environment['OPENCODE_CONFIG_CONTENT'] || '{}');
  const plugins = config?.['plugin'] ?? [];
  if (config === undefined || !Array.isArray(plugins)) return {};
  const plugin = [...listOf(plugins), pathToFileURL(join(folder, pluginFile)).href];
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, plugin }) };
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
