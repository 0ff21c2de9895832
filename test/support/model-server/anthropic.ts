/** Anthropic Messages, as Claude Code speaks it. */
import {
  objectsIn,
  parametersOf,
  serverSentEvents,
  textOf,
  usage,
  type Answer,
  type Dialect,
  type Json,
  type JsonObject,
  type Question,
  type Said,
} from './conversation.ts';

export const anthropic: Dialect = {
  api: 'anthropic',
  path: /\/v1\/messages$/,
  read,
  whole: (answer, model) => ({
    ...message(answer, model),
    content: blocksOf(answer),
    stop_reason: stopReason(answer),
  }),
  stream(answer, model) {
    const blocks = blocksOf(answer);
    const events = blocks.map((block, index) => blockEvents(block, index));
    const start = { type: 'message_start', message: message(answer, model) };
    const end = {
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: usage.output },
    };
    const [first = [], ...others] = events;
    return {
      opening: serverSentEvents([start, ...first.slice(0, 2)]),
      rest: serverSentEvents([...first.slice(2), ...others.flat(), end, { type: 'message_stop' }]),
    };
  },
  refuse(refusal) {
    const { status } = refusal;
    const types: Record<number, string> = {
      401: 'authentication_error',
      403: 'permission_error',
      404: 'not_found_error',
      429: 'rate_limit_error',
      529: 'overloaded_error',
    };
    const error = { type: types[status] ?? 'api_error', message: `scripted failure ${status}` };
    return {
      status,
      headers: refusal.type === 'limit' ? limitHeaders(refusal.resetSeconds) : {},
      body: { type: 'error', error },
    };
  },
};

/** What the service tells a subscriber. `x-should-retry` keeps the client from trying again at once. */
function limitHeaders(resetSeconds: number | undefined): Record<string, string> {
  if (resetSeconds === undefined) return { 'x-should-retry': 'false' };
  return {
    'retry-after': String(resetSeconds),
    'x-should-retry': 'false',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(Math.floor(Date.now() / 1000) + resetSeconds),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-overage-status': 'rejected',
  };
}

function read(body: JsonObject): Question {
  const tools = objectsIn(body['tools']).map((tool) => ({
    name: String(tool['name']),
    isFreeform: false,
    parameters: parametersOf(tool['input_schema']),
  }));
  return {
    model: String(body['model']),
    isStream: body['stream'] === true,
    said: objectsIn(body['messages']).flatMap(saidIn),
    tools,
    ...(tools.length === 0 && { side: { kind: 'side call', answer: 'ok' } }),
  };
}

function saidIn(message: JsonObject): Said[] {
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  if (typeof content === 'string') return [{ type: 'text', role, text: content }];
  return objectsIn(content).flatMap((block): Said[] => {
    switch (block['type']) {
      case 'text':
        return [{ type: 'text', role, text: String(block['text']) }];
      case 'tool_use':
        return [
          {
            type: 'call',
            id: String(block['id']),
            name: String(block['name']),
            input: block['input'] as Json,
          },
        ];
      case 'tool_result':
        return [{ type: 'result', id: String(block['tool_use_id']), text: textOf(block['content']) }];
      default:
        return [];
    }
  });
}

function message(answer: Answer, model: string): JsonObject {
  return {
    id: `msg_${answer.call?.id ?? 'text'}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}

function blocksOf({ text, call }: Answer): JsonObject[] {
  return [
    ...(text === '' && call ? [] : [{ type: 'text', text }]),
    ...(call ? [{ type: 'tool_use', id: `toolu_${call.id}`, name: call.name, input: call.input }] : []),
  ];
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const isText = block['type'] === 'text';
  const empty = isText ? { ...block, text: '' } : { ...block, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: block['text'] }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
  return [
    { type: 'content_block_start', index, content_block: empty },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}

function stopReason({ call, ending }: Answer): string {
  if (ending === 'truncated') return 'max_tokens';
  if (ending === 'refused') return 'refusal';
  return call ? 'tool_use' : 'end_turn';
}
