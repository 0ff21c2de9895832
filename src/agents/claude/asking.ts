import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashJson, isPlainObject, type Json } from '../../base/index.ts';
import type { AgentRequest, AskedCall } from '../contract.ts';

/** What our hook answers, and the stream repeats: by it a call that waits for a person is told from a denied one. */
export const askedText = 'A person has to allow this call first. (Piton asks for it.)';

/** Beside this file: with the ending the whole project has, as a source or compiled. */
const hook = join(import.meta.dirname, `permission-hook${extname(fileURLToPath(import.meta.url))}`);

/**
 * Where the CLI would ask, it asks the hook: that lets pass what a person has allowed, and stops the turn at
 * anything else. The allowed calls are in the arguments, as hashes: a file the agent could write to itself.
 */
export function askingArguments({ allowed }: AgentRequest): readonly string[] {
  const command = [process.execPath, hook, ...allowed.map(callKey)].map(shellWord).join(' ');
  const hooks = { PermissionRequest: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
  return ['--settings', JSON.stringify({ hooks })];
}

/** The same for the same call, in whatever words it is described to people. */
export function callKey({ tool, input }: AskedCall): string {
  return hashJson([tool, shells.has(tool) && isPlainObject(input) ? undescribed(input) : input]);
}

const shells = new Set(['Bash', 'PowerShell']);

function undescribed({ description: _, ...rest }: Record<string, unknown>): Json {
  return rest as Json;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In the CLI's memory the call was rejected for good: only the prompt can say that this has changed. */
export function promptWithAllowed({ prompt, allowed }: AgentRequest): string {
  if (allowed.length === 0) return prompt;
  const calls = allowed.map(({ tool, input }) => `- ${tool} ${JSON.stringify(input)}`).join('\n');
  return `${prompt}\n\nThe tool calls below were stopped to ask a person, who has allowed them, exactly as they are. Those that are not done yet: make them now, unchanged.\n${calls}\n`;
}
