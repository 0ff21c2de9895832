/** As the base of a class it makes nothing: what was given gets the fields of the class. */
const Given = function given(value: object) {
  return value;
} as unknown as new (value: object) => object;

/**
 * What is known to be frozen JSON bears a private field that nobody else can see or make. A `WeakSet` would do the same,
 * but adding to one costs many times as much, at every step, and once more whenever garbage is collected.
 */
class FrozenJson extends Given {
  readonly #isFrozen = true;

  static has(value: object): boolean {
    return #isFrozen in value && (value as FrozenJson).#isFrozen;
  }
}

export function isFrozenJson(value: object): boolean {
  return FrozenJson.has(value);
}

/** Freezes an object that was built of nothing but frozen JSON. */
export function sealJson<T extends object>(value: T): T {
  return FrozenJson.has(value) ? value : (Object.freeze(new FrozenJson(value)) as T);
}
