import { hashJson, isPlainObject, programFile, shellWord, type Json } from '../../base/index.ts';
import type { AgentRequest, AskedCall } from '../contract.ts';
import { steeringRules } from '../steering-files.ts';

/** What our hook answers, and the stream repeats: by it a call that waits for a person is told from a denied one. */
export const askedText = 'A person has to allow this call first. (Piton asks for it.)';

const hook = programFile('agents/claude/permission-hook');

/**
 * Where the CLI would ask, it asks the hook: that lets pass what a person has allowed, and stops the turn at
 * anything else. The allowed calls are in the arguments, as hashes: a file the agent could write to itself.
 */
export function askingArguments(request: AgentRequest): readonly string[] {
  const { permissions, allowed, allowedCommands } = request;
  const checks = permissions === 'edit' ? allowedCommands.map(shellCall) : [];
  const command = [process.execPath, hook, ...[...allowed, ...checks].map(callKey)].map(shellWord).join(' ');
  const hooks = { PermissionRequest: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
  const limits = permissions === 'edit' ? { permissions: { deny: denied(request) } } : {};
  return ['--settings', JSON.stringify({ hooks, ...limits })];
}

/** A rule for it may not be possible: the hook knows it word for word. */
function shellCall(command: string): AskedCall {
  return { tool: 'Bash', input: { command } };
}

/**
 * About these it asks by itself, also where a command writes there. About those of others it does not, and a rule to ask
 * holds for its editing tools only: so they are denied.
 */
const asked = new Set(['.git', '.claude', '.mcp.json']);

function isDenied(path: string): boolean {
  return !asked.has(path);
}

function denied(request: AgentRequest): readonly string[] {
  const { folders, foldersBelow, files } = steeringRules(request);
  const paths = [...folders.filter(isDenied).map((folder) => `${folder}/**`), ...files.filter(isDenied)];
  const below = foldersBelow.filter(isDenied).map((folder) => `Edit(/${request.directory}/**/${folder}/**)`);
  return [...paths.map((path) => `Edit(**/${path})`), ...below];
}

/** The same for the same call, in whatever words it is described to people. */
export function callKey({ tool, input }: AskedCall): string {
  return hashJson([tool, shells.has(tool) && isPlainObject(input) ? undescribed(input) : input]);
}

const shells = new Set(['Bash', 'PowerShell']);

function undescribed({ description: _, ...rest }: Record<string, unknown>): Json {
  return rest as Json;
}

/** In the CLI's memory the call was rejected for good: only the prompt can say that this has changed. */
export function promptWithAllowed({ prompt, allowed }: AgentRequest): string {
  if (allowed.length === 0) return prompt;
  const calls = allowed.map(({ tool, input }) => `- ${tool} ${JSON.stringify(input)}`).join('\n');
  return `${prompt}\n\nThe tool calls below were stopped to ask a person, who has allowed them, exactly as they are. Those that are not done yet: make them now, unchanged.\n${calls}\n`;
}
