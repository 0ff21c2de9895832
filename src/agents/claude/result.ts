import type { JsonObject } from '../../base/index.ts';
import type { AgentEvent, FailureKind, ParserContext, UsageEvent } from '../contract.ts';
import { failureEvents, kindOfStatus } from '../failures.ts';
import { at, entryOf, listOf, numberAt, shorten, showJson, textAt } from '../json-fields.ts';
import { usageOfResult } from './usage.ts';

/** What has to be remembered until the result. */
export interface Turn {
  readonly context: ParserContext;
  readonly deniedCalls: Set<string>;
  /** Those at which our hook has stopped the turn. */
  readonly askedCalls: Set<string>;
  /** Since the last result, by message. */
  readonly messageUsage: Map<string, UsageEvent>;
  limitedUntil?: number;
  /** The last one so far. */
  result?: AgentEvent | undefined;
  /** How the last answer of the model interface failed, in the CLI's words. */
  apiError?: string;
  isOpen: boolean;
  /** What was left in the background and goes on. */
  inBackground: number;
}

/** Success is told three times, and only all together it is one: subtype, `is_error`, and no denials. */
export function resultEvents(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const usage = usageOfResult(event);
  // It has what was told on the way; what follows, if it goes on by itself, is counted from here.
  if (usage.length > 0) turn.messageUsage.clear();
  const asked = askedCalls(event, turn);
  return [
    ...usage,
    ...denials(event, turn),
    ...asked,
    ...(asked.length === 0 ? outcome(event, turn) : [waiting(asked.at(-1)!)]),
  ];
}

type Asked = Extract<AgentEvent, { type: 'asked' }>;

/** With the input as the hook saw it: paths in it are whole, whatever the model has written. */
function askedCalls(event: JsonObject, { askedCalls: known }: Turn): readonly Asked[] {
  return listOf(event['permission_denials'])
    .filter((denial) => known.has(textAt(denial, 'tool_use_id') ?? ''))
    .map((denial) => ({
      type: 'asked',
      tool: textAt(denial, 'tool_name') ?? 'a tool',
      input: at(denial, 'tool_input') ?? {},
      reason: 'its permissions do not allow it',
    }));
}

function waiting({ tool, input }: Asked): AgentEvent {
  const message = shorten(`A person has to allow ${tool} ${showJson(input)}`);
  return { type: 'failure', kind: 'asked', message };
}

function denials(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  return listOf(event['permission_denials']).flatMap((denial): readonly AgentEvent[] => {
    const id = textAt(denial, 'tool_use_id') ?? '';
    if (turn.deniedCalls.has(id) || turn.askedCalls.has(id)) return [];
    return [
      { type: 'denied', tool: textAt(denial, 'tool_name') ?? 'a tool', reason: 'permission was not granted' },
    ];
  });
}

function outcome(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const text = textAt(event, 'result') ?? '';
  const isSuccess = textAt(event, 'subtype') === 'success' && event['is_error'] === false;
  const stopped = entryOf(stopKinds, event['stop_reason']);
  if (!isSuccess) return failed(event, turn);
  if (stopped !== undefined)
    return failureEvents(text || stopTexts[stopped], { clock: turn.context, kind: stopped });
  const structured = event['structured_output'];
  return [{ type: 'result', text, ...(structured !== undefined && { structured }) }];
}

const stopKinds: Readonly<Record<string, 'refused' | 'truncated'>> = {
  refusal: 'refused',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
};
const stopTexts = {
  refused: 'The model refused to answer.',
  truncated: 'The answer was cut off: it is longer than the model may write.',
};

function failed(event: JsonObject, turn: Turn): readonly AgentEvent[] {
  const subtype = textAt(event, 'subtype') ?? '';
  const errors = listOf(event['errors']).map((error) => showJson(error));
  const told = [textAt(event, 'result') ?? '', ...errors].filter((each) => each !== '').join('\n');
  const message =
    told || entryOf(subtypeTexts, subtype) || `The agent failed (${subtype || 'no reason given'}).`;
  return failureEvents(message, {
    clock: turn.context,
    kind:
      entryOf(subtypeKinds, subtype) ??
      kindOfStatus(numberAt(event, 'api_error_status')) ??
      entryOf(errorKinds, turn.apiError),
    until: turn.limitedUntil,
  });
}

const subtypeKinds: Readonly<Record<string, FailureKind>> = {
  error_max_turns: 'max-turns',
  error_max_budget_usd: 'budget',
  error_max_structured_output_retries: 'error',
};
const subtypeTexts: Readonly<Record<string, string>> = {
  error_max_turns: 'The agent used all the turns it may.',
  error_max_budget_usd: 'The agent used all the money it may.',
  error_max_structured_output_retries: 'The agent gave no output that matches the schema.',
};
const errorKinds: Readonly<Record<string, FailureKind>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  rate_limit: 'limit',
  billing_error: 'limit',
  overloaded: 'network',
  server_error: 'network',
  connection_error: 'network',
  max_output_tokens: 'truncated',
  model_not_found: 'model-unknown',
};
