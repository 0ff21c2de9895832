import { namesSteering, steeringPartOf } from '../model/index.ts';

/** Those of the paths that nobody has named: a pattern names one only if it says in so many words what makes it steer. */
export function unnamedSteering(
  paths: readonly string[],
  writes: readonly string[],
  mayWrite: (patterns: readonly string[]) => (path: string) => boolean,
): readonly string[] {
  return paths.filter((path) => {
    const part = steeringPartOf(path);
    if (part === undefined) return false;
    const naming = writes.filter((pattern) => namesSteering([pattern], part));
    return naming.length === 0 || !mayWrite(naming)(path);
  });
}
