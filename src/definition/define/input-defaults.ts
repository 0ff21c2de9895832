import { isPlainObject, type JsonObject } from '../../base/index.ts';
import { isFunctionRef, type Work } from '../../model/index.ts';
import type { Finding } from '../problems.ts';
import { valueSites } from './expression-sites.ts';
import type { Scope } from './scope.ts';

/** Inputs are there before anything can be evaluated, so a default is a plain value. */
export function checkDefaults({ draft, at }: Scope): Finding[] {
  return Object.entries(draft.inputs ?? {})
    .filter(([, input]) => valueSites(input.default, 'with', []).length > 0)
    .map(([name]) => ({
      at: [...at, 'inputs', name, 'default'],
      message: `The default of \`${name}\` holds an expression; it must be a plain value.`,
    }));
}

/** What a task does not give to the workflow it uses has that workflow's default. */
export function giveDefaults(work: Work): Work {
  if (work.type !== 'workflow' || work.inherits) return work;
  const defaults = Object.entries(work.workflow.inputs).filter(([, input]) => input.default !== undefined);
  const given = work.with ?? {};
  if (defaults.length === 0 || isFunctionRef(given) || !isPlainObject(given)) return work;
  const values = Object.fromEntries(defaults.map(([name, input]) => [name, input.default!]));
  return { ...work, with: { ...values, ...(given as JsonObject) } };
}
