import type { Json, JsonObject } from '../../base/index.ts';
import { isFunctionRef, type Dynamic, type Evaluator } from '../../model/index.ts';

/** Gives the value where the inputs alone decide it, else what is written. */
export type Render = (value: Dynamic) => Json;

export function rendererFor(evaluator: Evaluator, inputs: JsonObject): Render {
  return (value) => {
    if (isFunctionRef(value)) return '(a function decides)';
    try {
      return evaluator.render(value, { inputs });
    } catch {
      return value;
    }
  };
}

export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
