import type { Json } from '../base/index.ts';
import type { JsonSchema } from '../model/index.ts';

/** For CLIs that cannot be given a schema otherwise: the prompt, with the shape of the answer at its end. */
export function promptWithSchema(prompt: string, schema: JsonSchema | undefined): string {
  if (schema === undefined) return prompt;
  return `${prompt}\n\nEnd with one JSON value and nothing after it. It must match this JSON Schema:\n${JSON.stringify(schema)}\n`;
}

/** The JSON value an answer consists of or ends with: bare, in a fenced block, or after some words. */
export function readStructured(text: string): Json | undefined {
  const fenced = [...text.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/g)].at(-1)?.[1];
  for (const candidate of [text, fenced, lastBraces(text)]) {
    const value = candidate === undefined ? undefined : parseJson(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** From the beginning of the last line that opens a value, if it is closed at the very end. */
function lastBraces(text: string): string | undefined {
  if (!/[}\]]\s*$/.test(text)) return undefined;
  for (const { index } of [...text.matchAll(/^[{[]/gm)].reverse().slice(0, 20)) {
    const candidate = text.slice(index);
    if (parseJson(candidate) !== undefined) return candidate;
  }
  return undefined;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text.trim()) as Json;
  } catch {
    return undefined;
  }
}
