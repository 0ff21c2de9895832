export type Patterns = typeof import('./patterns.ts');

/** Of whatever people, workflows and repositories write. Loaded only where there are any: that takes some milliseconds. */
export function loadPatterns(): Promise<Patterns> {
  return import('./patterns.ts');
}
