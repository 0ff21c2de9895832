import type { Json, JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentParser, ParserContext } from '../contract.ts';
import {
  at,
  contentText,
  entryOf,
  listOf,
  numberAt,
  objectOf,
  shorten,
  showJson,
  textAt,
} from '../json-fields.ts';
import { momentOfEpoch } from '../reset-time.ts';
import { streamParser } from '../stream-parser.ts';
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
  };
  return streamParser(
    {
      read: (event) =>
        keepResult(entryOf(readers, event['type'])?.(event, turn) ?? unknownEvent(event), turn),
      end: () => (turn.result === undefined ? [] : [turn.result]),
    },
    context,
  );
}

/**
 * A result need not be the end: when something has ended that was left in the background, the CLI begins another turn by
 * itself. So the last one counts. A failure is told at once: what has failed, has failed.
 */
function keepResult(events: readonly AgentEvent[], turn: Turn): readonly AgentEvent[] {
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
  stream_event: () => [],
};

function unknownEvent(event: JsonObject): readonly AgentEvent[] {
  return [
    { type: 'notice', text: `event ${shorten(showJson(event['type'] ?? null) || 'without a type', 80)}` },
  ];
}

function systemEvents(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  switch (textAt(event, 'subtype')) {
    case 'init':
      return openedSession(event, turn);
    case 'permission_denied':
      return deniedCall(event, turn);
    case 'api_retry':
      return [{ type: 'notice', text: retryNotice(event) }];
    case 'compact_boundary':
      return [{ type: 'notice', text: 'The conversation was compacted.' }];
    default:
      return [];
  }
}

/** Comes once more with each turn that the CLI begins by itself: then what it had said before was not its last word. */
function openedSession(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.result = undefined;
  const id = textAt(event, 'session_id');
  const model = textAt(event, 'model');
  const version = textAt(event, 'claude_code_version');
  if (id === undefined || turn.isOpen) return [];
  turn.isOpen = true;
  return [
    { type: 'session', id, ...(model !== undefined && { model }), ...(version !== undefined && { version }) },
  ];
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
  return [
    ...listOf(message?.['content']).flatMap((block) => blockEvents(block, isOwn)),
    ...usageSoFar(message, turn),
  ];
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
      return [];
  }
}

function startedTool(block: Json): readonly AgentEvent[] {
  const id = textAt(block, 'id');
  if (id === undefined) return [];
  return [
    { type: 'tool-started', id, name: textAt(block, 'name') ?? 'unknown', input: at(block, 'input') ?? {} },
  ];
}

function userEvents(event: JsonObject): readonly AgentEvent[] {
  return listOf(at(event, 'message', 'content')).flatMap((block): readonly AgentEvent[] => {
    const id = textAt(block, 'tool_use_id');
    if (textAt(block, 'type') !== 'tool_result' || id === undefined) return [];
    const isError = at(block, 'is_error') === true;
    return [{ type: 'tool-finished', id, isError, output: contentText(at(block, 'content')) }];
  });
}

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
