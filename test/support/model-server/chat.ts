/** OpenAI Chat Completions, as OpenCode speaks it. */
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
} from './conversation.ts';

export const chat: Dialect = {
  api: 'chat',
  path: /\/chat\/completions$/,
  read,
  whole: (answer, model) => ({
    ...head(model),
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', ...saidBy(answer) }, finish_reason: finishReason(answer) },
    ],
    usage: tokens,
  }),
  stream(answer, model) {
    const chunk = (delta: JsonObject, finish: string | null): JsonObject => ({
      ...head(model),
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const said = saidBy(answer);
    const text = said.content === '' ? [] : [chunk({ content: said.content }, null)];
    const calls = said.tool_calls ? [chunk({ tool_calls: said.tool_calls }, null)] : [];
    const end = [
      chunk({}, finishReason(answer)),
      { ...head(model), object: 'chat.completion.chunk', choices: [], usage: tokens },
    ];
    return {
      opening: serverSentEvents([chunk({ role: 'assistant', content: '' }, null), ...text], false),
      rest: `${serverSentEvents([...calls, ...end], false)}data: [DONE]\n\n`,
    };
  },
  refuse(refusal) {
    const isLimit = refusal.type === 'limit';
    const { status } = refusal;
    return {
      status,
      headers:
        isLimit && refusal.resetSeconds !== undefined ? { 'retry-after': String(refusal.resetSeconds) } : {},
      body: {
        error: {
          ...(isLimit ? quotaWords : failureWords(status)),
          type: isLimit ? 'insufficient_quota' : 'invalid_request_error',
          param: null,
        },
      },
    };
  },
};

const quotaWords = {
  message: 'You exceeded your current quota, please check your plan and billing details.',
  code: 'insufficient_quota',
};

const tokens = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
};

function read(body: JsonObject): Question {
  const messages = objectsIn(body['messages']);
  const tools = objectsIn(body['tools']).map((tool) => {
    const described = tool['function'] as JsonObject;
    return {
      name: String(described['name']),
      isFreeform: false,
      parameters: parametersOf(described['parameters']),
    };
  });
  const system = messages
    .filter((message) => message['role'] === 'system')
    .map((one) => textOf(one['content']));
  return {
    model: String(body['model']),
    isStream: body['stream'] === true,
    said: messages.flatMap(saidIn),
    tools,
    ...(/title/i.test(system.join('\n').slice(0, 300)) && { side: { kind: 'title', answer: 'A title' } }),
  };
}

function saidIn(message: JsonObject): Said[] {
  const { role } = message;
  if (role === 'tool')
    return [{ type: 'result', id: String(message['tool_call_id']), text: textOf(message['content']) }];
  if (role !== 'user' && role !== 'assistant') return [];
  const { content } = message;
  const parts = typeof content === 'string' ? [content] : objectsIn(content).map((part) => textOf([part]));
  const texts = parts.filter((text) => text !== '').map((text): Said => ({ type: 'text', role, text }));
  return [...texts, ...objectsIn(message['tool_calls']).map(callIn)];
}

function callIn(call: JsonObject): Said {
  const called = call['function'] as { readonly name: string; readonly arguments: string };
  return {
    type: 'call',
    id: String(call['id']),
    name: called.name,
    input: JSON.parse(called.arguments || '{}') as Json,
  };
}

function head(model: string): JsonObject {
  return { id: 'chatcmpl-1', created: 1, model };
}

function saidBy({ text, call }: Answer): { content: string; tool_calls?: JsonObject[] } {
  if (!call) return { content: text };
  const called = { name: call.name, arguments: JSON.stringify(call.input) };
  return {
    content: text,
    tool_calls: [{ index: 0, id: `call_${call.id}`, type: 'function', function: called }],
  };
}

function finishReason({ call, ending }: Answer): string {
  if (ending === 'truncated') return 'length';
  if (ending === 'refused') return 'content_filter';
  return call ? 'tool_calls' : 'stop';
}
