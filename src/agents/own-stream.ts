import type { JsonObject } from '../base/index.ts';
import type { AgentEvent, FailureKind, ParserContext } from './contract.ts';
import { failureEvents } from './failures.ts';
import { at, countAt, entryOf, numberAt, sessionAt, textAt } from './json-fields.ts';
import { unknownEvent, unknownLine } from './unknown.ts';

/** What one line means that a program of ours has printed: the player of the scripted agent, or the client of ACP. */
export type OwnReader = (event: JsonObject, context: ParserContext) => readonly AgentEvent[];

export const ownReaders = {
  opened: openedSession,
  said: (event) => [{ type: 'message', role: 'assistant', text: textAt(event, 'text') ?? '' }],
  thought: (event) => [{ type: 'reasoning', text: textAt(event, 'text') ?? '' }],
  tool: startedTool,
  'tool-ended': finishedTool,
  asked: (event) => [{ type: 'asked', ...refusedCall(event), input: at(event, 'input') ?? {} }],
  denied: (event) => [{ type: 'denied', ...refusedCall(event) }],
  used: usage,
  notice: (event) => [{ type: 'notice', text: textAt(event, 'text') ?? '' }],
  /** Of the agent that it speaks with. */
  unknown: (event) => unknownEvent(event['kind']),
  line: (event) => [unknownLine(textAt(event, 'text') ?? '')],
  ended,
  failed,
} satisfies Record<string, OwnReader>;

function openedSession(event: JsonObject): readonly AgentEvent[] {
  const id = sessionAt(event, 'session');
  const model = textAt(event, 'model');
  const version = textAt(event, 'version');
  if (id === undefined) return [];
  return [
    { type: 'session', id, ...(model !== undefined && { model }), ...(version !== undefined && { version }) },
  ];
}

function startedTool(event: JsonObject): readonly AgentEvent[] {
  const id = textAt(event, 'id');
  if (id === undefined) return unknownEvent('tool', 'without an id');
  return [
    { type: 'tool-started', id, name: textAt(event, 'name') ?? 'unknown', input: at(event, 'input') ?? {} },
  ];
}

function finishedTool(event: JsonObject): readonly AgentEvent[] {
  const id = textAt(event, 'id');
  if (id === undefined) return unknownEvent('tool-ended', 'without an id');
  return [
    { type: 'tool-finished', id, isError: event['failed'] === true, output: textAt(event, 'output') ?? '' },
  ];
}

function refusedCall(event: JsonObject): { readonly tool: string; readonly reason: string } {
  return { tool: textAt(event, 'tool') ?? 'a tool', reason: textAt(event, 'reason') ?? 'not allowed' };
}

function usage(event: JsonObject): readonly AgentEvent[] {
  const [cachedInput, reasoning] = [numberAt(event, 'cachedInput'), numberAt(event, 'reasoning')];
  const costUsd = numberAt(event, 'costUsd');
  return [
    {
      type: 'usage',
      input: countAt(event, 'input'),
      output: countAt(event, 'output'),
      ...(cachedInput !== undefined && { cachedInput }),
      ...(reasoning !== undefined && { reasoning }),
      ...(costUsd !== undefined && { costUsd }),
      isCumulative: event['cumulative'] === true,
      ...(event['soFar'] === true && { isSoFar: true }),
    },
  ];
}

function ended(event: JsonObject): readonly AgentEvent[] {
  const structured = event['output'];
  return [
    { type: 'result', text: textAt(event, 'text') ?? '', ...(structured !== undefined && { structured }) },
  ];
}

function failed(event: JsonObject, clock: ParserContext): readonly AgentEvent[] {
  const message = textAt(event, 'message') ?? 'It failed without a word.';
  const kind = entryOf(failureKinds, event['kind']);
  return failureEvents(message, { clock, kind, until: numberAt(event, 'until') });
}

const kindNames: readonly FailureKind[] = [
  'auth',
  'limit',
  'denied',
  'asked',
  'refused',
  'truncated',
  'max-turns',
  'budget',
  'session-missing',
  'session-in-use',
  'model-unknown',
  'network',
  'unsupported',
  'error',
];
const failureKinds: Readonly<Record<string, FailureKind>> = Object.fromEntries(
  kindNames.map((kind) => [kind, kind]),
);
