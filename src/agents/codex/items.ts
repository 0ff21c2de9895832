import type { Json, JsonObject } from '../../base/index.ts';
import type { AgentEvent } from '../contract.ts';
import { contentText, entryOf, numberAt, shorten, showJson, textAt } from '../json-fields.ts';
import { unknownEvent } from '../unknown.ts';

/** What each kind of tool item was asked to do, and what came of it. */
interface ToolKind {
  name(item: JsonObject): string;
  input(item: JsonObject): Json;
  output(item: JsonObject): string;
}

const toolKinds: Readonly<Record<string, ToolKind>> = {
  command_execution: {
    name: () => 'command_execution',
    input: (item) => ({ command: showJson(item['command']) }),
    output: (item) => showJson(item['aggregated_output']),
  },
  file_change: {
    name: () => 'file_change',
    input: (item) => ({ changes: item['changes'] ?? [] }),
    output: (item) => showJson(item['status']),
  },
  mcp_tool_call: {
    name: (item) => `mcp:${showJson(item['server'])}/${showJson(item['tool'])}`,
    input: (item) => item['arguments'] ?? {},
    output: (item) => showJson(item['error']) || contentText(item['result']),
  },
  collab_tool_call: {
    name: (item) => `collab:${showJson(item['tool'])}`,
    input: (item) => ({ prompt: item['prompt'] ?? null }),
    output: (item) => showJson(item['status']),
  },
  web_search: {
    name: () => 'web_search',
    input: (item) => ({ query: item['query'] ?? null }),
    output: () => '',
  },
};

const otherItems = new Set(['agent_message', 'reasoning', 'error', 'todo_list']);

export function isKnownItem({ type, id }: JsonObject): boolean {
  if (entryOf(toolKinds, type) !== undefined) return typeof id === 'string';
  return typeof type === 'string' && otherItems.has(type);
}

export function startedItem(item: JsonObject, started: Set<string>): readonly AgentEvent[] {
  const kind = entryOf(toolKinds, item['type']);
  const id = textAt(item, 'id');
  if (!isKnownItem(item)) return unknownEvent('item.started', item['type']);
  if (kind === undefined || id === undefined || started.has(id)) return [];
  started.add(id);
  return [{ type: 'tool-started', id, name: kind.name(item), input: kind.input(item) }];
}

export function finishedItem(item: JsonObject, started: Set<string>): readonly AgentEvent[] {
  const text = textAt(item, 'text') ?? '';
  switch (item['type']) {
    case 'agent_message':
      return text === '' ? [] : [{ type: 'message', role: 'assistant', text }];
    case 'reasoning':
      return text === '' ? [] : [{ type: 'reasoning', text }];
    case 'error':
      return [{ type: 'notice', text: shorten(textAt(item, 'message') ?? 'an error without a message') }];
    default:
      return finishedTool(item, started);
  }
}

function finishedTool(item: JsonObject, started: Set<string>): readonly AgentEvent[] {
  const kind = entryOf(toolKinds, item['type']);
  const id = textAt(item, 'id');
  if (!isKnownItem(item)) return unknownEvent('item.completed', item['type']);
  if (kind === undefined || id === undefined) return [];
  const isError =
    item['status'] === 'failed' || item['status'] === 'declined' || (numberAt(item, 'exit_code') ?? 0) !== 0;
  const finished: AgentEvent = { type: 'tool-finished', id, isError, output: kind.output(item) };
  return [...startedItem(item, started), finished, ...declined(item, kind)];
}

function declined(item: JsonObject, kind: ToolKind): readonly AgentEvent[] {
  if (item['status'] !== 'declined') return [];
  return [{ type: 'denied', tool: kind.name(item), reason: shorten(showJson(kind.input(item)), 200) }];
}
