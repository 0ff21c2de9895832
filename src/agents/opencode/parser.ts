import type { JsonObject } from '../../base/index.ts';
import type { AgentEvent, AgentExit, AgentParser, FailureKind, ParserContext } from '../contract.ts';
import { failureEvents, kindOfStatus } from '../failures.ts';
import {
  at,
  countAt,
  entryOf,
  numberAt,
  objectOf,
  sessionAt,
  shorten,
  showJson,
  textAt,
} from '../json-fields.ts';
import { resetTime } from '../reset-time.ts';
import { streamParser } from '../stream-parser.ts';
import { ignored, unknownEvent } from '../unknown.ts';
import { unsupportedText } from '../unsupported.ts';
import { Calls } from './calls.ts';
import { isOwnTool } from './tools.ts';

interface Turn {
  readonly context: ParserContext;
  readonly calls: Calls;
  session?: string;
  answer: string;
  failure?: readonly AgentEvent[];
  /** The stream says only that the reason is in the log. */
  isVague: boolean;
  /** The events carry the time, which is later than the start. */
  now: number;
}

export function opencodeParser(context: ParserContext): AgentParser {
  const turn: Turn = { context, calls: new Calls(), answer: '', isVague: false, now: context.now };
  return streamParser(
    { read: (event) => readEvent(event, turn), end: (exit, said) => unfinished(exit, said, turn) },
    context,
  );
}

function readEvent(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  turn.now = Math.max(turn.now, countAt(event, 'timestamp'));
  const part = objectOf(event['part']) ?? {};
  const read = entryOf(readers, event['type']);
  return [
    ...openedSession(event, turn),
    ...(read === undefined ? unknownEvent(event['type']) : read({ event, part, turn })),
  ];
}

interface Heard {
  readonly event: JsonObject;
  readonly part: JsonObject;
  readonly turn: Turn;
}

const readers: Readonly<Record<string, (heard: Heard) => readonly AgentEvent[]>> = {
  piton_ready: ({ turn }) => turn.calls.areTold(),
  piton_session: ignored,
  piton_call: ({ event, turn }) =>
    isOwn(event, turn) ? turn.calls.begin(event) : turn.calls.beginElsewhere(),
  piton_called: ({ event, turn }) => (isOwn(event, turn) ? turn.calls.end(event) : []),
  step_start: ignored,
  text: spokenText,
  reasoning: ({ part }) => [{ type: 'reasoning', text: textAt(part, 'text') ?? '' }],
  tool_use: finishedTool,
  step_finish: finishedStep,
  error: reportedError,
};

function openedSession(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const id = sessionAt(event, 'sessionID');
  if (turn.session !== undefined || id === undefined || id === '') return [];
  turn.session = id;
  return [{ type: 'session', id }];
}

/** Agents that it starts itself have sessions of their own: all that they do is one call of whoever has started them. */
function isOwn(event: JsonObject, { session }: Turn): boolean {
  return textAt(event, 'sessionID') === session;
}

function spokenText({ part, turn }: Heard): readonly AgentEvent[] {
  const text = textAt(part, 'text') ?? '';
  if (text === '') return [];
  turn.answer = text;
  return [{ type: 'message', role: 'assistant', text }];
}

function finishedTool({ part, turn }: Heard): readonly AgentEvent[] {
  const id = textAt(part, 'callID') ?? textAt(part, 'id');
  if (id === undefined) return unknownEvent('tool_use', 'without an id');
  turn.answer = '';
  const name = textAt(part, 'tool') ?? 'unknown';
  const isError = at(part, 'state', 'status') !== 'completed';
  const output = isError ? showJson(at(part, 'state', 'error')) : showJson(at(part, 'state', 'output'));
  return [
    ...turn.calls.tell({ id, name, input: at(part, 'state', 'input') ?? {}, isError, output }),
    ...(isError && isDenial(output, name)
      ? [{ type: 'denied', tool: name, reason: shorten(output.split('. Here are')[0]!, 200) } as const]
      : []),
  ];
}

/** A tool that is not allowed is not offered; a model that calls it all the same is told it is not available. */
function isDenial(text: string, tool: string): boolean {
  if (isOwnTool(tool) && /call unavailable tool/i.test(text)) return true;
  return /rule which prevents you|rejected permission|permission (?:was |is )?(?:denied|rejected)/i.test(
    text,
  );
}

function finishedStep({ part, turn }: Heard): readonly AgentEvent[] {
  return [...usageOf(part), ...outcomeOf(textAt(part, 'reason') ?? '', turn)];
}

/** `stop` ends the turn; after `tool-calls` another step follows, or none, if a call was refused. */
function outcomeOf(reason: string, turn: Turn): readonly AgentEvent[] {
  if (reason === 'stop') return [{ type: 'result', text: turn.answer }];
  const cut = entryOf(cutReasons, reason);
  return cut === undefined ? [] : failureEvents(cut[1], { clock: turn.context, kind: cut[0] });
}

const cutReasons: Readonly<Record<string, readonly [FailureKind, string]>> = {
  length: ['truncated', 'The answer was cut off: it is longer than the model may write.'],
  'content-filter': ['refused', 'The answer was withheld by a content filter.'],
};

function usageOf(part: JsonObject): readonly AgentEvent[] {
  const tokens = objectOf(part['tokens']);
  const costUsd = numberAt(part, 'cost');
  if (tokens === undefined) return [];
  const cachedInput = countAt(tokens, 'cache', 'read');
  const input = countAt(tokens, 'input') + cachedInput + countAt(tokens, 'cache', 'write');
  return [
    {
      type: 'usage',
      input,
      output: countAt(tokens, 'output') + countAt(tokens, 'reasoning'),
      cachedInput,
      reasoning: countAt(tokens, 'reasoning'),
      // Nothing for something: the model has no price there.
      ...(costUsd !== undefined && costUsd > 0 && { costUsd }),
      isCumulative: false,
    },
  ];
}

/** Kept until the end: the CLI may yet go on. */
function reportedError({ event, turn }: Heard): readonly AgentEvent[] {
  const error = event['error'];
  const name = textAt(error, 'name') ?? '';
  const message = textAt(error, 'data', 'message') ?? textAt(error, 'message') ?? (name || showJson(error));
  const clock = { ...turn.context, now: turn.now };
  const kind = entryOf(errorKinds, name) ?? kindOfStatus(numberAt(error, 'data', 'statusCode'));
  // How long to wait is in the headers of the answer, if anywhere.
  const until = resetTime(showJson(at(error, 'data', 'responseHeaders')), clock);
  turn.isVague = /check server logs/i.test(message);
  turn.failure = failureEvents(message || 'an error without a message', { clock, kind, until });
  return [{ type: 'notice', text: shorten(message) }];
}

const errorKinds: Readonly<Record<string, FailureKind>> = {
  ProviderAuthError: 'auth',
  ProviderModelNotFoundError: 'model-unknown',
  MessageOutputLengthError: 'truncated',
  ContextOverflowError: 'truncated',
};

function unfinished(exit: AgentExit, said: string, turn: Turn): readonly AgentEvent[] {
  if (exit.timedOut) return [];
  // The log is on standard error.
  const reason = turn.isVague ? /\bmessage=failed .*?\berror="([^"]+)"/.exec(said)?.[1] : undefined;
  if (reason !== undefined) return loggedFailure(reason, turn);
  return turn.failure ?? (turn.session === undefined ? misunderstood(said) : []);
}

/** A session is bound to the folder it was begun in, and cannot be opened without it. */
function loggedFailure(reason: string, { context, now }: Turn): readonly AgentEvent[] {
  const isFolderGone = /NotFound: FileSystem\.realPath/.test(reason);
  const kind = isFolderGone ? ({ kind: 'session-missing' } as const) : {};
  return failureEvents(reason, { clock: { ...context, now }, ...kind });
}

/** An option it does not know makes it print how it is used, and not a word about which one that was. */
function misunderstood(said: string): readonly AgentEvent[] {
  if (!/^opencode run \[message/m.test(said)) return [];
  const message = unsupportedText('it shows how it is used, and does not say which option it does not know');
  return [{ type: 'failure', kind: 'unsupported', message }];
}
