/** Answers a question about a value; predicates are composed with `allOf`, `anyOf` and `not`. */
export type Predicate<Value> = (value: Value) => boolean;

/** Holds if all of them hold. */
export function allOf<Value>(...predicates: readonly Predicate<Value>[]): Predicate<Value> {
  return (value) => predicates.every((predicate) => predicate(value));
}

/** Holds if one of them holds. */
export function anyOf<Value>(...predicates: readonly Predicate<Value>[]): Predicate<Value> {
  return (value) => predicates.some((predicate) => predicate(value));
}

/** A predicate that holds where the given one does not. */
export function not<Value>(predicate: Predicate<Value>): Predicate<Value> {
  return (value) => !predicate(value);
}
