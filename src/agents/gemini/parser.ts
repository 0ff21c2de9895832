import type { JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentExit, AgentParser, FailureKind, ParserContext } from '../contract.ts';
import { failureEvents, failureKind } from '../failures.ts';
import { countAt, entryOf, objectOf, sessionAt, shorten, textAt } from '../json-fields.ts';
import { resetTime } from '../reset-time.ts';
import { streamParser } from '../stream-parser.ts';
import { unknownEvent } from '../unknown.ts';
import { isOwnTool } from './tools.ts';

interface Turn {
  readonly context: ParserContext;
  /** Names of the tools by the ids of their calls. */
  readonly calls: Map<string, string>;
  /** What is being said: it comes in pieces. */
  speech: string;
  answer: string;
  lastError?: string;
  /** Told at the end, when standard error is there: only it says when a limit ends. */
  failure?: { readonly message: string; readonly kind: FailureKind };
  /** The events carry the time, which is later than the start. */
  now: number;
}

export function geminiParser(context: ParserContext): AgentParser {
  const turn: Turn = { context, calls: new Map(), speech: '', answer: '', now: context.now };
  return streamParser(
    {
      read: (event) => readEvent(event, turn),
      isDone: () => turn.failure !== undefined,
      end: (exit, said) => unfinished(exit, said, turn),
    },
    context,
  );
}

function readEvent(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const time = Date.parse(textAt(event, 'timestamp') ?? '');
  if (time > turn.now) turn.now = time;
  if (event['type'] === 'message') return heardMessage(event, turn);
  const spoken = endSpeech(turn);
  return [...spoken, ...(entryOf(readers, event['type'])?.(event, turn) ?? unknownEvent(event['type']))];
}

type Reader = (event: JsonObject, turn: Turn) => readonly AgentEvent[];

const readers: Readonly<Record<string, Reader>> = {
  init: openedSession,
  tool_use: startedTool,
  tool_result: finishedTool,
  error: troubleNotice,
  result: finishedTurn,
};

function openedSession(event: JsonObject): readonly AgentEvent[] {
  const id = sessionAt(event, 'session_id');
  const model = textAt(event, 'model');
  return id === undefined ? [] : [{ type: 'session', id, ...(model !== undefined && { model }) }];
}

function heardMessage(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  // The user's message is our own prompt, said again.
  if (event['role'] === 'user') return [];
  if (event['role'] !== 'assistant') return unknownEvent('message', event['role']);
  const before = event['delta'] === true ? [] : endSpeech(turn);
  turn.speech += textAt(event, 'content') ?? '';
  return before;
}

function endSpeech(turn: Turn): readonly AgentEvent[] {
  const text = turn.speech;
  turn.speech = '';
  if (text === '') return [];
  turn.answer = text;
  return [{ type: 'message', role: 'assistant', text }];
}

function startedTool(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = textAt(event, 'tool_id');
  const name = textAt(event, 'tool_name') ?? 'unknown';
  if (id === undefined) return unknownEvent('tool_use', 'without an id');
  turn.calls.set(id, name);
  turn.answer = '';
  return [{ type: 'tool-started', id, name, input: event['parameters'] ?? {} }];
}

function finishedTool(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = textAt(event, 'tool_id');
  if (id === undefined) return unknownEvent('tool_result', 'without an id');
  const isError = event['status'] !== 'success';
  const output = textAt(event, 'output') || textAt(event, 'error', 'message') || '';
  return [{ type: 'tool-finished', id, isError, output }, ...denied(event, turn.calls.get(id) ?? 'a tool')];
}

/** A tool that is not allowed is not offered; a model that calls it all the same is told it does not exist. */
function denied(event: JsonObject, tool: string): readonly AgentEvent[] {
  const kind = textAt(event, 'error', 'type');
  const isDenied = kind === 'policy_violation' || (kind === 'tool_not_registered' && isOwnTool(tool));
  if (!isDenied) return [];
  return [{ type: 'denied', tool, reason: shorten(textAt(event, 'error', 'message') ?? kind, 200) }];
}

function troubleNotice(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const message = textAt(event, 'message') ?? 'an error without a message';
  if (event['severity'] === 'error') turn.lastError = message;
  return [{ type: 'notice', text: shorten(message) }];
}

function finishedTurn(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const usage = usageOf(objectOf(event['stats']));
  // "Maximum session turns exceeded" comes as an error, and then a success.
  const hasFailed = event['status'] !== 'success' || turn.lastError !== undefined;
  if (!hasFailed) return [...usage, { type: 'result', text: turn.answer }];
  turn.failure = failureOf(event, turn);
  return usage;
}

function failureOf(event: JsonObject, turn: Turn): { message: string; kind: FailureKind } {
  const message = textAt(event, 'error', 'message') ?? turn.lastError ?? 'The turn failed without a reason.';
  return { message, kind: entryOf(errorKinds, textAt(event, 'error', 'type')) ?? failureKind(message) };
}

const errorKinds: Readonly<Record<string, FailureKind>> = {
  FatalTurnLimitedError: 'max-turns',
  FatalAuthenticationError: 'auth',
};

function usageOf(stats: JsonObject | undefined): readonly AgentEvent[] {
  if (stats === undefined) return [];
  return [
    {
      type: 'usage',
      input: countAt(stats, 'input_tokens'),
      output: countAt(stats, 'output_tokens'),
      cachedInput: countAt(stats, 'cached'),
      isCumulative: false,
    },
  ];
}

const exitKinds: Readonly<Record<string, FailureKind>> = { 41: 'auth', 53: 'max-turns' };
const exitTexts: Readonly<Record<string, string>> = {
  41: 'Gemini CLI is not logged in.',
  53: 'The agent used all the turns it may.',
};

function unfinished(exit: AgentExit, said: string, turn: Turn): readonly AgentEvent[] {
  const spoken = endSpeech(turn);
  const failure = turn.failure ?? (exit.timedOut ? undefined : failureOfExit(exit, turn));
  if (failure === undefined) return spoken;
  const clock = { ...turn.context, now: turn.now };
  // The message on the stream is shorter than the error on standard error.
  const kind = failure.kind === 'error' ? failureKind(said) : failure.kind;
  const until = resetTime(failure.message, clock) ?? resetTime(said, clock);
  return [...spoken, ...failureEvents(failure.message, { clock, kind, until })];
}

function failureOfExit({ code }: AgentExit, turn: Turn): Turn['failure'] {
  const message = turn.lastError ?? entryOf(exitTexts, String(code));
  if (message === undefined) return undefined;
  return { message, kind: entryOf(exitKinds, String(code)) ?? failureKind(message) };
}
