/** Gemini generateContent, as Gemini CLI speaks it. */
import {
  exampleOf,
  objectsIn,
  parametersOf,
  serverSentEvents,
  usage,
  type Answer,
  type Dialect,
  type Json,
  type JsonObject,
  type Question,
  type Refusal,
  type Said,
} from './conversation.ts';

export const gemini: Dialect = {
  api: 'gemini',
  path: /:(streamG|g)enerateContent$/,
  read,
  whole: (answer, model) => chunk(partsOf(answer), model, finishReason(answer)),
  stream(answer, model) {
    const [first, ...others] = partsOf(answer);
    const isWhole = others.length === 0;
    return {
      opening: serverSentEvents([chunk([first!], model)], false),
      rest: serverSentEvents([chunk(isWhole ? [{ text: '' }] : others, model, finishReason(answer))], false),
    };
  },
  refuse(refusal) {
    const { status } = refusal;
    const names: Record<number, string> = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      403: 'PERMISSION_DENIED',
      404: 'NOT_FOUND',
      429: 'RESOURCE_EXHAUSTED',
      503: 'UNAVAILABLE',
    };
    const error = { code: status, status: names[status] ?? 'INTERNAL', ...told(refusal) };
    return { status, headers: {}, body: { error } };
  },
};

function told(refusal: Refusal): JsonObject {
  if (refusal.type !== 'limit') return { message: `scripted failure ${refusal.status}` };
  const { resetSeconds } = refusal;
  return {
    message: 'You exceeded your current quota, please check your plan and billing details.',
    details: resetSeconds === undefined ? dailyQuota : [retryInfo(resetSeconds)],
  };
}

const dailyQuota = [
  {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [
      {
        quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
        quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
        quotaValue: '250',
      },
    ],
  },
];

function retryInfo(resetSeconds: number): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${resetSeconds}s` };
}

function read(body: JsonObject, path: string): Question {
  const tools = objectsIn(body['tools'])
    .flatMap((tool) => objectsIn(tool['functionDeclarations']))
    .map((tool) => ({
      name: String(tool['name']),
      isFreeform: false,
      parameters: parametersOf(tool['parametersJsonSchema'] ?? tool['parameters']),
    }));
  return {
    model: /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown',
    isStream: path.includes(':stream'),
    said: objectsIn(body['contents']).flatMap(saidIn),
    tools,
    ...(tools.length === 0 && { side: sideOf(body) }),
  };
}

function sideOf(body: JsonObject): NonNullable<Question['side']> {
  const settings = (body['generationConfig'] ?? {}) as JsonObject;
  const schema = settings['responseJsonSchema'] ?? settings['responseSchema'];
  const answer = schema === undefined ? 'ok' : JSON.stringify(exampleOf(schema));
  return { kind: 'side call', answer };
}

function saidIn(content: JsonObject): Said[] {
  const role = content['role'] === 'model' ? 'assistant' : 'user';
  return objectsIn(content['parts']).flatMap((part) => partIn(part, role));
}

function partIn(part: JsonObject, role: 'user' | 'assistant'): Said[] {
  const called = part['functionCall'] as JsonObject | undefined;
  const returned = part['functionResponse'] as JsonObject | undefined;
  if (called) {
    const name = String(called['name']);
    return [{ type: 'call', id: String(called['id'] ?? name), name, input: (called['args'] ?? {}) as Json }];
  }
  if (returned) {
    const id = String(returned['id'] ?? returned['name']);
    return [{ type: 'result', id, text: JSON.stringify(returned['response']) }];
  }
  return typeof part['text'] === 'string' && part['thought'] !== true
    ? [{ type: 'text', role, text: part['text'] }]
    : [];
}

function partsOf({ text, call }: Answer): JsonObject[] {
  const called = call && { functionCall: { id: `call_${call.id}`, name: call.name, args: call.input } };
  return [...(text === '' && call ? [] : [{ text }]), ...(called ? [called] : [])];
}

function chunk(parts: readonly JsonObject[], model: string, finish?: string): JsonObject {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finish && { finishReason: finish }) }],
    modelVersion: model,
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
  };
}

function finishReason({ ending }: Answer): string {
  if (ending === 'truncated') return 'MAX_TOKENS';
  return ending === 'refused' ? 'SAFETY' : 'STOP';
}
