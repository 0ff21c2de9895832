import { freezeParsed, isPlainObject, type Json } from '../base/index.ts';

/** What is wrong with a value that was read, and where in it. */
export interface Fault {
  readonly path: (string | number)[];
  readonly expected: string;
  /** What another version may know: a field, or one more of several texts. */
  readonly unknown?: 'field' | 'text';
}

/**
 * What a value from JSON text must be. Reading checks and freezes it in one walk, in place: a journal is read at every
 * resume. Keys that are not known are faults, and left out; only then is anything copied. Faults are added to the list.
 */
export interface Shape<T> {
  read(value: unknown, faults: Fault[]): unknown;
  /** The whole of it as text: whoever changes it changes what is stored. */
  describe(): string;
  /** There for the compiler alone. */
  readonly of?: T;
}

interface Optional<T> extends Shape<T> {
  readonly isOptional: true;
}

export type Shaped<S> = S extends Shape<infer T> ? T : never;

export type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<F extends Fields> = {
  [Key in keyof F]: F[Key] extends Optional<unknown> ? Key : never;
}[keyof F];
type ShapedFields<F extends Fields> = {
  readonly [Key in Exclude<keyof F, OptionalKeys<F>>]: Shaped<F[Key]>;
} & { readonly [Key in OptionalKeys<F>]?: Shaped<F[Key]> };
/** Written out, so that the compiler shows what it is. */
type Plain<T> = { [Key in keyof T]: T[Key] };

function scalar<T>(expected: string, fits: (value: unknown) => boolean): Shape<T> {
  return {
    describe: () => expected,
    read(value, faults) {
      if (!fits(value)) faults.push({ path: [], expected });
      return value;
    },
  };
}

export const text = scalar<string>('a text', (value) => typeof value === 'string');
export const number = scalar<number>('a number', (value) => typeof value === 'number');
export const boolean = scalar<boolean>('true or false', (value) => typeof value === 'boolean');
export const textOrNull = scalar<string | null>(
  'a text or null',
  (value) => typeof value === 'string' || value === null,
);
export const textOrNumber = scalar<string | number>(
  'a text or a number',
  (value) => typeof value === 'string' || typeof value === 'number',
);

export const numberOrNone = scalar<number | 'none'>(
  'a number or none',
  (value) => typeof value === 'number' || value === 'none',
);

export function oneOf<const Texts extends readonly (string | number)[]>(
  ...texts: Texts
): Shape<Texts[number]> {
  const expected = `one of ${texts.join(', ')}`;
  return {
    describe: () => expected,
    read(value, faults) {
      if (texts.includes(value as string)) return value;
      const isAnother = texts.some((known) => typeof known === typeof value);
      faults.push({ path: [], expected, ...(isAnother && { unknown: 'text' }) });
      return value;
    },
  };
}

/** Anything: it came from JSON text whose hash was verified. */
export const json: Shape<Json> = {
  describe: () => 'a value',
  read: (value, faults) => (value === undefined ? refuse(value, 'a value', faults) : freezeParsed(value)),
};

/** Any object, as it is, which has at least these fields; the type is known from elsewhere. */
export function objectWith<T>(fields: Fields = {}): Shape<T> {
  const known = object(fields);
  return {
    describe: () => `any object with ${known.describe()}`,
    read(value, faults) {
      // First, because what was frozen before is marked at a higher cost.
      const frozen = freezeParsed(value);
      const inside: Fault[] = [];
      known.read(frozen, inside);
      for (const fault of inside) if (fault.unknown !== 'field') faults.push(fault);
      return frozen;
    },
  };
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return {
    isOptional: true,
    describe: () => shape.describe(),
    read: (value, faults) => (value === undefined ? undefined : shape.read(value, faults)),
  };
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return {
    describe: () => `list of ${item.describe()}`,
    read(value, faults) {
      if (!Array.isArray(value)) return refuse(value, 'a list', faults);
      let result: unknown[] = value;
      for (let index = 0; index < value.length; index++) {
        const found = faults.length;
        const entry = item.read(value[index], faults);
        addKey(faults, found, index);
        if (entry === value[index]) continue;
        if (result === value) result = [...value];
        result[index] = entry;
      }
      return Object.freeze(result);
    },
  };
}

export function object<F extends Fields>(fields: F): Shape<Plain<ShapedFields<F>>> {
  const names = Object.keys(fields);
  const shapes = Object.values(fields);
  return {
    describe: () => `{ ${Object.entries(fields).map(describeField).join(', ')} }`,
    read(value, faults) {
      if (!isPlainObject(value)) return refuse(value, 'an object', faults);
      let known = 0;
      let changed: Record<string, unknown> | undefined;
      for (let index = 0; index < names.length; index++) {
        const name = names[index]!;
        const before = value[name];
        const found = faults.length;
        const after = shapes[index]!.read(before, faults);
        addKey(faults, found, name);
        if (before !== undefined) known++;
        if (after !== before) (changed ??= {})[name] = after;
      }
      const isKnown = countKeys(value) === known;
      if (!isKnown) addUnknown(names, value, faults);
      const result = changed === undefined && isKnown ? value : pick(names, { ...value, ...changed });
      return Object.freeze(result);
    },
  };
}

/** One of several objects, told apart by the text in one of their fields. */
export function variants<S extends Readonly<Record<string, Shape<unknown>>>>(
  field: string,
  shapes: S,
): Shape<Shaped<S[keyof S]>> {
  const byText = new Map(Object.entries(shapes));
  return {
    describe: () => [...byText.values()].map((shape) => shape.describe()).join(' or '),
    read(value, faults) {
      if (!isPlainObject(value)) return refuse(value, 'an object', faults);
      const shape = byText.get(value[field] as string);
      if (shape !== undefined) return shape.read(value, faults);
      const isAnother = typeof value[field] === 'string';
      const expected = 'one that is known';
      faults.push({ path: [field], expected, ...(isAnother && { unknown: 'text' }) });
      return value;
    },
  };
}

function refuse(value: unknown, expected: string, faults: Fault[]): unknown {
  faults.push({ path: [], expected });
  return value;
}

/** Those found since then were found at this key. */
function addKey(faults: readonly Fault[], since: number, key: string | number): void {
  for (let index = since; index < faults.length; index++) faults[index]!.path.unshift(key);
}

function describeField([name, shape]: [string, Shape<unknown>]): string {
  return `${name}${'isOptional' in shape ? '?' : ''}: ${shape.describe()}`;
}

function addUnknown(names: readonly string[], value: object, faults: Fault[]): void {
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) faults.push({ path: [name], expected: 'known', unknown: 'field' });
  }
}

function countKeys(value: object): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

function pick(names: readonly string[], value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]),
  );
}
