import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { canonicalJson, isPlainObject, type Json } from '../../base/index.ts';
import { isSteering } from '../steering-files.ts';
import { commandIn, inputOf, nameOf, type Call } from './calls.ts';
import type { Order } from './order.ts';

export type Policy = Pick<Order, 'directory' | 'permissions' | 'allowedCommands' | 'allowed' | 'writes'>;

const reading = new Set(['read', 'search', 'think']);
const acting = new Set(['edit', 'move', 'delete', 'execute', 'fetch']);

/** Whether a call that the agent asks for is allowed without asking a person. */
export function isAllowed(call: Call, policy: Policy): boolean {
  const { permissions } = policy;
  if (permissions === 'full' || reading.has(call.kind) || wasAllowed(call, policy)) return true;
  if (permissions === 'read') return false;
  if (permissions === 'edit') return isOwnEdit(call, policy) || isCheck(call, policy);
  return wordsFor(call).some((word) => permissions.includes(word));
}

/**
 * Whether a call may have been made without asking. Agents make harmless calls unasked, and call some of them commands;
 * one that changes something so has not kept to what it was allowed.
 */
export function isTolerated(call: Call, policy: Policy): boolean {
  if (isAllowed(call, policy) || !acting.has(call.kind)) return true;
  if (call.kind === 'execute') return onlyReads(commandIn(call.rawInput));
  return policy.permissions === 'edit' && call.kind === 'edit' && call.paths.length === 0;
}

/** An edit whose place is not told may be anywhere. */
function isOwnEdit({ kind, paths }: Call, policy: Policy): boolean {
  if (kind !== 'edit' && kind !== 'move') return false;
  return paths.length > 0 && paths.every((path) => isOwnFile(path, policy));
}

/** Inside of the folder, and nothing that programs obey. A link may lead elsewhere. */
function isOwnFile(path: string, { directory, writes }: Policy): boolean {
  const way = relative(realPath(directory), realPath(resolve(directory, path)));
  return !isAbsolute(way) && way.split(/[/\\]/)[0] !== '..' && !isSteering(way, writes);
}

/** Of what is not there yet, as far as there is something. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

function isCheck({ kind, rawInput }: Call, { allowedCommands }: Policy): boolean {
  const command = kind === 'execute' ? commandIn(rawInput) : undefined;
  return command !== undefined && allowedCommands.includes(command);
}

/**
 * By its kind and its tool; of a command, `execute(make)`. A title may be what the model says of it: it counts only where
 * there is nothing else to name the call by.
 */
function wordsFor({ kind, tool, title, rawInput }: Call): readonly string[] {
  const command = kind === 'execute' ? commandIn(rawInput) : undefined;
  if (command !== undefined) return [kind, `execute(${command})`];
  return kind === 'other' ? [tool ?? title] : [kind];
}

function wasAllowed(call: Call, { allowed }: Policy): boolean {
  const asked = sameness(nameOf(call), inputOf(call));
  return allowed.some(({ tool, input }) => sameness(tool, input) === asked);
}

/** A model that makes the same command again explains it in other words; elsewhere a description is what is done. */
function sameness(tool: string, input: Json): string {
  if (tool !== 'execute' || !isPlainObject(input)) return canonicalJson([tool, input]);
  const { description: _words, ...rest } = input;
  return canonicalJson([tool, rest as Json]);
}

const readers = new Set(
  'cat cd cut date df du echo file grep head id ls printf pwd rg stat tail test true type uname wc which whoami'.split(
    ' ',
  ),
);
const readingGit = /^git (?:--no-pager )?(?:blame|diff|log|rev-parse|show|status)\b(?!.*\s--(?:ou|ext))/;
const quietStreams = /\d?>(?:&\d|\s*\/dev\/null)/g;

function onlyReads(command: string | undefined): boolean {
  const text = command?.replaceAll(quietStreams, '') ?? '>';
  if (/[>`]|[$<]\(|(?<!&)&(?!&)/.test(text)) return false;
  const parts = text.split(/&&|\|\||[;|\n]/).map((part) => part.trim());
  return parts.every((part) => isReader(part) || readingGit.test(part));
}

/** Some can be told to start another program. */
function isReader(part: string): boolean {
  return readers.has(part.split(/\s/)[0]!) && !/\s--(?:pre|hostname-bin)\b/.test(part);
}
