/** A hook of Claude Code, for what it would ask. `permission-hook.ts [<key of an allowed call> …]`, the call on standard input. */
import { readFileSync } from 'node:fs';
import type { Json } from '../../base/index.ts';
import { askedText, callKey } from './asking.ts';

const { tool_name: tool, tool_input: input } = JSON.parse(readFileSync(0, 'utf8')) as {
  readonly tool_name: string;
  readonly tool_input: Json;
};
const isAllowed = process.argv.slice(2).includes(callKey({ tool, input }));
// The interruption ends the turn: otherwise the model would look for a way around.
const decision = isAllowed
  ? { behavior: 'allow' }
  : { behavior: 'deny', message: askedText, interrupt: true };
process.stdout.write(
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }),
);
