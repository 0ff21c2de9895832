/** OpenAI Responses, as Codex speaks it. */
import {
  failureWords,
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
  type Tool,
} from './conversation.ts';

export const responses: Dialect = {
  api: 'responses',
  path: /\/responses$/,
  read,
  whole: (answer, model) => ended(answer, model)['response'] as Json,
  stream(answer, model) {
    const created = { type: 'response.created', response: { id: responseId(answer), model } };
    const [first, ...others] = itemsOf(answer).map((item, index) => itemEvents(item, index));
    return {
      opening: serverSentEvents([created, ...first!.slice(0, -1)]),
      rest: serverSentEvents([...first!.slice(-1), ...others.flat(), ended(answer, model)]),
    };
  },
  refuse: (refusal) => ({
    status: refusal.status,
    headers: {},
    body: {
      error:
        refusal.type === 'limit'
          ? usageLimit(refusal.resetSeconds)
          : { type: 'invalid_request_error', ...failureWords(refusal.status) },
    },
  }),
};

function usageLimit(resetSeconds: number | undefined): JsonObject {
  return {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: 'plus',
    ...(resetSeconds !== undefined && {
      resets_at: Math.floor(Date.now() / 1000) + resetSeconds,
      resets_in_seconds: resetSeconds,
    }),
  };
}

function read(body: JsonObject): Question {
  const { input } = body;
  return {
    model: String(body['model']),
    isStream: body['stream'] === true,
    said:
      typeof input === 'string'
        ? [{ type: 'text', role: 'user', text: input }]
        : objectsIn(input).flatMap(saidIn),
    tools: objectsIn(body['tools']).flatMap(toolsIn),
  };
}

function toolsIn(tool: JsonObject): Tool[] {
  if (typeof tool['name'] !== 'string') return [];
  const isFreeform = tool['type'] === 'custom';
  return [{ name: tool['name'], isFreeform, parameters: parametersOf(tool['parameters']) }];
}

function saidIn(item: JsonObject): Said[] {
  switch (item['type']) {
    case 'message':
      return messageIn(item);
    case 'function_call':
      return [call(item, parsed(String(item['arguments'])))];
    case 'custom_tool_call':
      return [call(item, item['input'] as Json)];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ type: 'result', id: String(item['call_id']), text: textOf(item['output']) }];
    default:
      return [];
  }
}

function messageIn(item: JsonObject): Said[] {
  const { role } = item;
  if (role !== 'user' && role !== 'assistant') return [];
  const texts = typeof item['content'] === 'string' ? [item['content']] : objectsIn(item['content']);
  return texts.map((part) => ({
    type: 'text',
    role,
    text: typeof part === 'string' ? part : textOf([part]),
  }));
}

function call(item: JsonObject, input: Json): Said {
  return { type: 'call', id: String(item['call_id']), name: String(item['name']), input };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function responseId(answer: Answer): string {
  return `resp_${answer.call?.id ?? 'text'}`;
}

function itemsOf({ text, call }: Answer): JsonObject[] {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  return [...(text === '' && call ? [] : [message]), ...(call ? [callItem(call)] : [])];
}

function callItem({ id, name, input }: NonNullable<Answer['call']>): JsonObject {
  const common = { id: `fc_${id}`, call_id: `call_${id}`, name, status: 'completed' };
  return typeof input === 'string'
    ? { type: 'custom_tool_call', ...common, input }
    : { type: 'function_call', ...common, arguments: JSON.stringify(input) };
}

function itemEvents(item: JsonObject, index: number): JsonObject[] {
  const done = { type: 'response.output_item.done', output_index: index, item };
  if (item['type'] !== 'message') return [done];
  const delta = textOf(item['content']);
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, status: 'in_progress', content: [] },
    },
    {
      type: 'response.output_text.delta',
      output_index: index,
      item_id: item['id'],
      content_index: 0,
      delta,
    },
    done,
  ];
}

function ended(answer: Answer, model: string): JsonObject {
  const isIncomplete = answer.ending === 'truncated';
  const response = {
    id: responseId(answer),
    object: 'response',
    model,
    status: isIncomplete ? 'incomplete' : 'completed',
    ...(isIncomplete && { incomplete_details: { reason: 'max_output_tokens' } }),
    output: itemsOf(answer),
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
  return { type: isIncomplete ? 'response.incomplete' : 'response.completed', response };
}
