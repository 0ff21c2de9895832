import type { JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentParser, FailureKind, ParserContext } from '../contract.ts';
import { failureEvents } from '../failures.ts';
import { at, countAt, entryOf, numberAt, shorten, showJson, textAt } from '../json-fields.ts';
import { streamParser } from '../stream-parser.ts';

interface Turn {
  readonly context: ParserContext;
  /** Announced, and not known to have begun. */
  readonly pending: Map<string, AgentEvent>;
  readonly begun: Set<string>;
  isOpen: boolean;
  isOver: boolean;
}

/** Reads what our client prints. */
export function acpParser(context: ParserContext): AgentParser {
  const turn: Turn = { context, pending: new Map(), begun: new Set(), isOpen: false, isOver: false };
  return streamParser(
    {
      read: (event) => entryOf(readers, event['event'])?.(event, turn) ?? unknownEvent(event),
      // It may have begun without a word: not every agent tells.
      end: () => (turn.isOver ? [] : [...turn.pending.values()]),
    },
    context,
  );
}

type Reader = (event: JsonObject, turn: Turn) => readonly AgentEvent[];

const readers: Readonly<Record<string, Reader>> = {
  opened: openedSession,
  said: (event) => [{ type: 'message', role: 'assistant', text: textAt(event, 'text') ?? '' }],
  thought: (event) => [{ type: 'reasoning', text: textAt(event, 'text') ?? '' }],
  tool: startedTool,
  'tool-ended': finishedTool,
  asked: askedCall,
  denied: (event) => [
    { type: 'denied', tool: textAt(event, 'tool') ?? 'a tool', reason: textAt(event, 'reason') ?? '' },
  ],
  used: usage,
  notice: (event) => [{ type: 'notice', text: textAt(event, 'text') ?? '' }],
  ended,
  failed,
};

function unknownEvent(event: JsonObject): readonly AgentEvent[] {
  return [{ type: 'notice', text: `event ${shorten(showJson(event['event']) || 'without a name', 80)}` }];
}

function openedSession(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = textAt(event, 'session');
  if (id === undefined || turn.isOpen) return [];
  turn.isOpen = true;
  const model = textAt(event, 'model');
  const version = textAt(event, 'version');
  return [
    { type: 'session', id, ...(model !== undefined && { model }), ...(version !== undefined && { version }) },
  ];
}

function startedTool(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = textAt(event, 'id');
  if (id === undefined || turn.begun.has(id)) return [];
  const name = textAt(event, 'name') ?? 'other';
  const started: AgentEvent = { type: 'tool-started', id, name, input: at(event, 'input') ?? {} };
  if (event['pending'] === true) {
    turn.pending.set(id, started);
    return [];
  }
  turn.pending.delete(id);
  turn.begun.add(id);
  return [started];
}

function finishedTool(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = textAt(event, 'id');
  if (id === undefined || !turn.begun.has(id)) return [];
  return [
    { type: 'tool-finished', id, isError: event['failed'] === true, output: textAt(event, 'output') ?? '' },
  ];
}

function askedCall(event: JsonObject): readonly AgentEvent[] {
  const tool = textAt(event, 'tool') ?? 'other';
  return [{ type: 'asked', tool, input: at(event, 'input') ?? {}, reason: textAt(event, 'reason') ?? '' }];
}

function usage(event: JsonObject): readonly AgentEvent[] {
  const costUsd = numberAt(event, 'costUsd');
  return [
    {
      type: 'usage',
      input: countAt(event, 'input'),
      output: countAt(event, 'output'),
      cachedInput: countAt(event, 'cachedInput'),
      reasoning: countAt(event, 'reasoning'),
      ...(costUsd !== undefined && { costUsd }),
      isCumulative: event['cumulative'] === true,
    },
  ];
}

function ended(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.isOver = true;
  return [{ type: 'result', text: textAt(event, 'text') ?? '' }];
}

function failed(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.isOver = true;
  const message = textAt(event, 'message') ?? 'The conversation failed.';
  return failureEvents(message, { clock: turn.context, kind: entryOf(failureKinds, event['kind']) });
}

const kindNames: readonly FailureKind[] = [
  'auth',
  'limit',
  'denied',
  'asked',
  'refused',
  'truncated',
  'max-turns',
  'session-missing',
  'model-unknown',
  'network',
  'unsupported',
  'error',
];
const failureKinds: Readonly<Record<string, FailureKind>> = Object.fromEntries(
  kindNames.map((kind) => [kind, kind]),
);
