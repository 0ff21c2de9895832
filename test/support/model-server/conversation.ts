/** What all model APIs have in common: what was said so far, which tools there are, and what the model answers. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export type Said =
  | { readonly type: 'text'; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly type: 'result'; readonly id: string; readonly text: string };

/** One request to the model, whatever API it came by. System prompts are left out: they are long and not ours. */
export interface Question {
  readonly model: string;
  readonly isStream: boolean;
  readonly said: readonly Said[];
  readonly tools: readonly Tool[];
  /** What the CLI asks for its own ends, such as a title of the session. Directives do not count in it. */
  readonly side?: { readonly kind: string; readonly answer: string };
}

export interface Tool {
  readonly name: string;
  /** Takes plain text instead of JSON. */
  readonly isFreeform: boolean;
  readonly parameters: readonly string[];
}

export interface Answer {
  readonly text: string;
  readonly call?: { readonly id: string; readonly name: string; readonly input: Json };
  readonly ending: 'done' | 'truncated' | 'refused';
}

export type Refusal =
  | { readonly type: 'failure'; readonly status: number }
  /** Without seconds the service does not say when the limit ends. */
  | { readonly type: 'limit'; readonly status: 429; readonly resetSeconds?: number };

/** As the interfaces of OpenAI word it: of a model that is not there they say so, and not only that something is not. */
export function failureWords(status: number): { readonly message: string; readonly code: string | null } {
  if (status === 404) return { message: 'The model does not exist for you.', code: 'model_not_found' };
  return { message: `scripted failure ${status}`, code: null };
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** One of the APIs. */
export interface Dialect {
  readonly api: 'anthropic' | 'responses' | 'chat' | 'gemini';
  /** The part of the path that makes a request one for the model to answer. */
  readonly path: RegExp;
  read(body: JsonObject, path: string): Question;
  /** The answer in one piece. */
  whole(answer: Answer, model: string): Json;
  /** The answer as server-sent events. A stalling model hangs between the opening and the rest. */
  stream(answer: Answer, model: string): { readonly opening: string; readonly rest: string };
  refuse(refusal: Refusal): HttpReply;
}

/** Every call costs the same, so that tests can count. */
export const usage = { input: 10, output: 5 };

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}

export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return objectsIn(value)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

export function parametersOf(schema: Json | undefined): readonly string[] {
  const properties = (schema as JsonObject | undefined)?.['properties'];
  return Object.keys((properties as JsonObject | undefined) ?? {});
}

const examples: JsonObject = { array: [], boolean: false, integer: 1, number: 1 };

/** A value that satisfies the schema, for side calls that must be answered in JSON. */
export function exampleOf(schema: Json | undefined): Json {
  const { type, properties, enum: values } = (schema ?? {}) as JsonObject;
  if (Array.isArray(values)) return (values as readonly Json[])[0] ?? null;
  const kind = String(type).toLowerCase();
  if (kind !== 'object') return examples[kind] ?? 'example';
  const entries = Object.entries((properties ?? {}) as JsonObject);
  return Object.fromEntries(entries.map(([key, one]) => [key, exampleOf(one)]));
}

export function serverSentEvents(events: readonly JsonObject[], isNamed = true): string {
  const line = (event: JsonObject): string =>
    `${isNamed ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
  return events.map(line).join('');
}
