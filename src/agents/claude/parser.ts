import type { Json, JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentParser, ParserContext } from '../contract.ts';
import {
  at,
  contentText,
  entryOf,
  listOf,
  numberAt,
  objectOf,
  sessionAt,
  shorten,
  showJson,
  textAt,
} from '../json-fields.ts';
import { momentOfEpoch } from '../reset-time.ts';
import { streamParser } from '../stream-parser.ts';
import { ignored, unknownEvent } from '../unknown.ts';
import { askedText } from './asking.ts';
import { resultEvents, type Turn } from './result.ts';
import { isSameUsage, sumUsage, usageOfMessages } from './usage.ts';

export function claudeParser(context: ParserContext): AgentParser {
  const turn: Turn = {
    context,
    deniedCalls: new Set(),
    askedCalls: new Set(),
    messageUsage: new Map(),
    isOpen: false,
    inBackground: 0,
  };
  return streamParser(
    {
      read: (event) => keepResult(entryOf(readers, event['type'])?.(event, turn), turn),
      isDone: () => turn.result !== undefined && turn.inBackground === 0,
      end: () => (turn.result === undefined ? [] : [turn.result]),
    },
    context,
  );
}

/**
 * A result need not be the end: when something has ended that was left in the background, the CLI begins another turn by
 * itself. So the last one counts. A failure is told at once: what has failed, has failed.
 */
function keepResult(
  events: readonly AgentEvent[] | undefined,
  turn: Turn,
): readonly AgentEvent[] | undefined {
  if (events === undefined) return undefined;
  turn.result = events.find((event) => event.type === 'result') ?? turn.result;
  return events.filter(({ type }) => type !== 'result');
}

type Reader = (event: JsonObject, turn: Turn) => readonly AgentEvent[];

const readers: Readonly<Record<string, Reader>> = {
  system: systemEvents,
  assistant: assistantEvents,
  user: userEvents,
  result: resultEvents,
  rate_limit_event: limitEvents,
  stream_event: ignored,
  tool_progress: ignored,
  tool_use_summary: ignored,
  auth_status: ignored,
  prompt_suggestion: ignored,
  conversation_reset: ignored,
  keep_alive: ignored,
};

function systemEvents(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const read = entryOf(systemReaders, event['subtype']);
  return read?.(event, turn) ?? unknownEvent('system', event['subtype']);
}

const systemReaders: Readonly<Record<string, Reader>> = {
  init: openedSession,
  permission_denied: deniedCall,
  api_retry: (event) => [{ type: 'notice', text: retryNotice(event) }],
  compact_boundary: () => [{ type: 'notice', text: 'The conversation was compacted.' }],
  background_tasks_changed: countBackground,
  commands_changed: ignored,
  control_request_progress: ignored,
  elicitation_complete: ignored,
  files_persisted: ignored,
  hook_progress: ignored,
  hook_response: ignored,
  hook_started: ignored,
  informational: ignored,
  local_command_output: ignored,
  memory_recall: ignored,
  mirror_error: ignored,
  model_refusal_fallback: ignored,
  model_refusal_no_fallback: ignored,
  notification: ignored,
  plugin_install: ignored,
  session_state_changed: ignored,
  session_writes_lost: ignored,
  status: ignored,
  task_notification: ignored,
  task_progress: ignored,
  task_started: ignored,
  task_updated: ignored,
  thinking_tokens: ignored,
  worker_shutting_down: ignored,
};

/** Comes once more with each turn that the CLI begins by itself: then what it had said before was not its last word. */
function openedSession(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.result = undefined;
  const id = sessionAt(event, 'session_id');
  const model = textAt(event, 'model');
  const version = textAt(event, 'claude_code_version');
  if (id === undefined || turn.isOpen) return [];
  turn.isOpen = true;
  return [
    { type: 'session', id, ...(model !== undefined && { model }), ...(version !== undefined && { version }) },
  ];
}

/** When the last of them has ended, another turn begins by itself. */
function countBackground(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.inBackground = listOf(event['tasks']).filter((task) => at(task, 'ambient') !== true).length;
  return [];
}

function deniedCall(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const call = textAt(event, 'tool_use_id');
  const isAsked = textAt(event, 'message') === askedText;
  if (call !== undefined) (isAsked ? turn.askedCalls : turn.deniedCalls).add(call);
  // The result tells it, with the input.
  if (isAsked) return [];
  const reason = textAt(event, 'message') ?? textAt(event, 'decision_reason') ?? 'permission was not granted';
  return [{ type: 'denied', tool: textAt(event, 'tool_name') ?? 'a tool', reason: shorten(reason, 200) }];
}

function retryNotice(event: JsonObject): string {
  const status = showJson(event['error_status'] ?? event['error'] ?? null);
  return `The request is tried again${status === '' ? '' : ` after ${shorten(status, 100)}`}.`;
}

function assistantEvents(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const error = textAt(event, 'error');
  if (error !== undefined) turn.apiError = error;
  const message = objectOf(event['message']);
  const isOwn = textAt(event, 'parent_tool_use_id') === undefined;
  const content = message?.['content'];
  const told = Array.isArray(content)
    ? content.flatMap((block) => blockEvents(block, isOwn))
    : unknownEvent('assistant', 'without content');
  return [...told, ...usageSoFar(message, turn)];
}

/** Told at once: one that is killed says nothing at its end. A message comes as several events, each with the usage of the whole. */
function usageSoFar(message: JsonObject | undefined, { messageUsage }: Turn): readonly AgentEvent[] {
  const id = textAt(message, 'id');
  const usage = sumUsage(objectOf(message?.['usage']));
  if (id === undefined || usage === undefined || isSameUsage(usage, messageUsage.get(id))) return [];
  messageUsage.set(id, usage);
  return usageOfMessages(messageUsage);
}

/** What a sub-agent says to its caller is no message of the session. */
function blockEvents(block: Json, isOwn: boolean): readonly AgentEvent[] {
  const text = textAt(block, 'text') ?? textAt(block, 'thinking') ?? '';
  switch (textAt(block, 'type')) {
    case 'text':
      return text === ''
        ? []
        : [isOwn ? { type: 'message', role: 'assistant', text } : { type: 'reasoning', text }];
    case 'thinking':
      return text === '' ? [] : [{ type: 'reasoning', text }];
    case 'tool_use':
      return startedTool(block);
    default:
      return otherBlock(at(block, 'type'));
  }
}

function otherBlock(type: Json | undefined): readonly AgentEvent[] {
  return typeof type === 'string' && quietBlocks.has(type) ? [] : unknownEvent('assistant', type);
}

/** What is done there, is done by the model's interface, and nothing of it is left. */
const quietBlocks = new Set([
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
]);

function startedTool(block: Json): readonly AgentEvent[] {
  const id = textAt(block, 'id');
  if (id === undefined) return unknownEvent('tool_use', 'without an id');
  return [
    { type: 'tool-started', id, name: textAt(block, 'name') ?? 'unknown', input: at(block, 'input') ?? {} },
  ];
}

function userEvents(event: JsonObject): readonly AgentEvent[] {
  const content = at(event, 'message', 'content');
  if (!Array.isArray(content) && typeof content !== 'string') return unknownEvent('user', 'without content');
  return listOf(content).flatMap((block): readonly AgentEvent[] => {
    const [type, id] = [textAt(block, 'type') ?? '', textAt(block, 'tool_use_id')];
    if (givenBlocks.has(type)) return [];
    if (type !== 'tool_result' || id === undefined) return unknownEvent('user', at(block, 'type'));
    const isError = at(block, 'is_error') === true;
    return [{ type: 'tool-finished', id, isError, output: contentText(at(block, 'content')) }];
  });
}

/** What the model is given otherwise than by a tool. */
const givenBlocks = new Set(['text', 'image', 'document']);

/** Only remembered: a limit that is paid for otherwise does not end the turn. */
function limitEvents(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const info = objectOf(event['rate_limit_info']);
  const status = textAt(info, 'status');
  const until = momentOfEpoch(numberAt(info, 'resetsAt') ?? Number.NaN);
  if (status === 'rejected' && until !== undefined) turn.limitedUntil = until;
  if (status === undefined || status === 'allowed') return [];
  const kind = textAt(info, 'rateLimitType') ?? 'usage';
  return [
    { type: 'notice', text: `The ${kind.replaceAll('_', ' ')} limit: ${status.replaceAll('_', ' ')}.` },
  ];
}
