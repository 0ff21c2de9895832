/** Answers a question about a value; predicates are composed with `allOf`, `anyOf` and `not`. */
export type Predicate<Value> = (value: Value) => boolean;

export function allOf<Value>(...predicates: readonly Predicate<Value>[]): Predicate<Value> {
  return (value) => predicates.every((predicate) => predicate(value));
}

export function anyOf<Value>(...predicates: readonly Predicate<Value>[]): Predicate<Value> {
  return (value) => predicates.some((predicate) => predicate(value));
}

export function not<Value>(predicate: Predicate<Value>): Predicate<Value> {
  return (value) => !predicate(value);
}
