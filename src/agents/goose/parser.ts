import type { Json, JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentExit, AgentParser, ParserContext } from '../contract.ts';
import { failureEvents } from '../failures.ts';
import { at, contentText, countAt, listOf, shorten, textAt } from '../json-fields.ts';
import { streamParser } from '../stream-parser.ts';
import { unknownEvent } from '../unknown.ts';

interface Turn {
  readonly context: ParserContext;
  isOpen: boolean;
  /** What is being said: it may come in pieces, all of one message id. */
  speech: { readonly id: string | undefined; readonly text: string };
  answer: string;
  lastError?: string;
}

export function gooseParser(context: ParserContext): AgentParser {
  const turn: Turn = { context, isOpen: false, speech: silence, answer: '' };
  return streamParser(
    { read: (event) => readEvent(event, turn), end: (exit) => unfinished(exit, turn) },
    context,
  );
}

const silence = { id: undefined, text: '' };

function readEvent(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  return [...openedSession(turn), ...readKnown(event, turn)];
}

/** The stream does not name its session: it is the one that was asked for. */
function openedSession(turn: Turn): readonly AgentEvent[] {
  const id = turn.context.session;
  if (turn.isOpen || id === undefined) return [];
  turn.isOpen = true;
  return [{ type: 'session', id }];
}

function readKnown(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  switch (event['type']) {
    case 'message':
      return heardMessage(event, turn);
    case 'notification':
      return [];
    case 'error':
      return reportedError(event, turn);
    case 'complete':
      return [...endSpeech(turn), ...usageOf(event), ...outcomeOf(turn)];
    default:
      return unknownEvent(event['type']);
  }
}

function heardMessage(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = textAt(event, 'message', 'id');
  const isOwn = at(event, 'message', 'role') === 'assistant';
  const content = at(event, 'message', 'content');
  if (!Array.isArray(content)) return unknownEvent('message', 'without content');
  return listOf(content).flatMap((block) => blockEvents(block, { id, isOwn, turn }));
}

interface Speaker {
  readonly id: string | undefined;
  readonly isOwn: boolean;
  readonly turn: Turn;
}

function blockEvents(block: Json, speaker: Speaker): readonly AgentEvent[] {
  const { turn } = speaker;
  switch (textAt(block, 'type')) {
    case 'text':
      return speaker.isOwn ? heardText(textAt(block, 'text') ?? '', speaker) : [];
    case 'thinking':
      return [...endSpeech(turn), { type: 'reasoning', text: textAt(block, 'thinking') ?? '' }];
    case 'toolRequest':
      return [...endSpeech(turn), ...startedTool(block, turn)];
    case 'toolResponse':
      return [...endSpeech(turn), ...finishedTool(block)];
    default:
      return quietBlocks.has(textAt(block, 'type') ?? '') ? [] : unknownEvent('message', at(block, 'type'));
  }
}

const quietBlocks = new Set([
  'image',
  'redactedThinking',
  'contextLengthExceeded',
  'summarizationRequested',
  'systemNotification',
  'toolConfirmationRequest',
]);

function heardText(text: string, { id, turn }: Speaker): readonly AgentEvent[] {
  const isSame = id !== undefined && id === turn.speech.id;
  const before = isSame ? [] : endSpeech(turn);
  turn.speech = { id, text: turn.speech.text + text };
  return before;
}

function endSpeech(turn: Turn): readonly AgentEvent[] {
  const { text } = turn.speech;
  turn.speech = silence;
  if (text === '') return [];
  turn.answer = text;
  return [{ type: 'message', role: 'assistant', text }];
}

function startedTool(block: Json, turn: Turn): readonly AgentEvent[] {
  const id = textAt(block, 'id');
  if (id === undefined) return unknownEvent('toolRequest', 'without an id');
  turn.answer = '';
  const name = textAt(block, 'toolCall', 'value', 'name') ?? 'unknown';
  return [{ type: 'tool-started', id, name, input: at(block, 'toolCall', 'value', 'arguments') ?? {} }];
}

function finishedTool(block: Json): readonly AgentEvent[] {
  const id = textAt(block, 'id');
  if (id === undefined) return unknownEvent('toolResponse', 'without an id');
  const result = at(block, 'toolResult');
  const isError = at(result, 'status') !== 'success' || at(result, 'value', 'isError') === true;
  const content = at(result, 'value', 'content') ?? at(result, 'value') ?? at(result, 'error');
  return [{ type: 'tool-finished', id, isError, output: contentText(content) }];
}

function reportedError(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.lastError = textAt(event, 'error') ?? textAt(event, 'message') ?? 'an error without a message';
  return [...endSpeech(turn), { type: 'notice', text: shorten(turn.lastError) }];
}

/** Only a sum is told, and whether of the process or the session is not documented: the careful reading is less. */
function usageOf(event: JsonObject): readonly AgentEvent[] {
  const input = countAt(event, 'total_tokens');
  return input === 0 ? [] : [{ type: 'usage', input, output: 0, isCumulative: true }];
}

function outcomeOf(turn: Turn): readonly AgentEvent[] {
  if (turn.lastError !== undefined) return failureEvents(turn.lastError, { clock: turn.context });
  return [{ type: 'result', text: turn.answer }];
}

function unfinished(exit: AgentExit, turn: Turn): readonly AgentEvent[] {
  const spoken = endSpeech(turn);
  if (exit.timedOut || turn.lastError === undefined) return spoken;
  return [...spoken, ...failureEvents(turn.lastError, { clock: turn.context })];
}
