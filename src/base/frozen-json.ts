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

/** What was frozen when it came: to give such an object a private field is an error in later versions of JavaScript. */
const frozenBefore = new WeakSet<object>();

export function isFrozenJson(value: object): boolean {
  return FrozenJson.has(value) || (!Object.isExtensible(value) && frozenBefore.has(value));
}

/** Freezes an object that was built of nothing but frozen JSON. */
export function sealJson<T extends object>(value: T): T {
  if (isFrozenJson(value)) return value;
  if (Object.isExtensible(value)) return Object.freeze(new FrozenJson(value)) as T;
  frozenBefore.add(Object.freeze(value));
  return value;
}
