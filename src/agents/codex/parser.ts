import type { JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentExit, AgentParser, ParserContext } from '../contract.ts';
import { failureEvents } from '../failures.ts';
import { countAt, entryOf, objectOf, sessionAt, shorten, textAt } from '../json-fields.ts';
import { streamParser } from '../stream-parser.ts';
import { ignored, unknownEvent } from '../unknown.ts';
import { finishedItem, isKnownItem, startedItem } from './items.ts';

interface Turn {
  readonly context: ParserContext;
  readonly started: Set<string>;
  answer: string;
  hasCompleted: boolean;
  /** Said while it still tries again; the reason if nothing else comes. */
  lastError?: string;
}

export function codexParser(context: ParserContext): AgentParser {
  const turn: Turn = { context, started: new Set(), answer: '', hasCompleted: false };
  return streamParser(
    {
      read: (event) => entryOf(readers, event['type'])?.(event, turn),
      isDone: () => turn.hasCompleted,
      end: (exit, said) => endedTurn(exit, said, turn),
    },
    context,
  );
}

type Reader = (event: JsonObject, turn: Turn) => readonly AgentEvent[];

const readers: Readonly<Record<string, Reader>> = {
  'thread.started': openedSession,
  'turn.started': ignored,
  'item.started': (event, turn) => startedItem(itemOf(event), turn.started),
  'item.updated': (event) =>
    isKnownItem(itemOf(event)) ? [] : unknownEvent('item.updated', itemOf(event)['type']),
  'item.completed': completedItem,
  'turn.completed': completedTurn,
  'turn.failed': failedTurn,
  error: troubleNotice,
};

function openedSession(event: JsonObject): readonly AgentEvent[] {
  const id = sessionAt(event, 'thread_id');
  return id === undefined ? [] : [{ type: 'session', id }];
}

function itemOf(event: JsonObject): JsonObject {
  return objectOf(event['item']) ?? {};
}

function completedItem(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const item = itemOf(event);
  if (item['type'] === 'agent_message') turn.answer = textAt(item, 'text') ?? '';
  return finishedItem(item, turn.started);
}

/** The result has to wait for the end: what the sandbox refused is told on standard error alone. */
function completedTurn(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.hasCompleted = true;
  const usage = objectOf(event['usage']);
  if (usage === undefined) return [];
  return [
    {
      type: 'usage',
      input: countAt(usage, 'input_tokens'),
      output: countAt(usage, 'output_tokens'),
      cachedInput: countAt(usage, 'cached_input_tokens'),
      reasoning: countAt(usage, 'reasoning_output_tokens'),
      isCumulative: true,
    },
  ];
}

function failedTurn(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const message = textAt(event, 'error', 'message') ?? turn.lastError ?? 'The turn failed without a reason.';
  return failureEvents(message, { clock: turn.context });
}

function troubleNotice(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const message = textAt(event, 'message') ?? 'an error without a message';
  turn.lastError = message;
  return [{ type: 'notice', text: shorten(message) }];
}

function endedTurn(exit: AgentExit, said: string, turn: Turn): readonly AgentEvent[] {
  if (turn.hasCompleted) return [...refusedWrites(said), { type: 'result', text: turn.answer }];
  if (turn.lastError === undefined || exit.timedOut) return [];
  return failureEvents(turn.lastError, { clock: turn.context });
}

function refusedWrites(said: string): readonly AgentEvent[] {
  const lines = said
    .split('\n')
    .filter((line) => /rejected by user approval settings|blocked by read-only sandbox/.test(line));
  return lines.map((line) => ({
    type: 'denied',
    tool: 'file_change',
    reason: shorten(line.replace(/^.*error=/, ''), 200),
  }));
}
