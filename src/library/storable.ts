import type { Json } from '../base/index.ts';

declare const reason: unique symbol;

/**
 * No value has this type. It stands in error messages of the compiler where something cannot be stored: every output, input and state is
 * written down as JSON, and what JSON would lose or change is refused. `Reason` says what it is, and what to store instead.
 */
export interface NotStorable<Reason extends string> {
  readonly [reason]: Reason;
}

/**
 * The same type with `NotStorable` in place of everything that cannot be stored: `T` can be stored if it is assignable to this. An
 * `interface` is accepted; `unknown` and `any` are too, and are checked when the value is there.
 */
export type Storable<T> = unknown extends T
  ? T
  : T extends Json | undefined | void
    ? T
    : T extends Refused
      ? NotStorable<ReasonOf<T>>
      : T extends readonly unknown[]
        ? { [K in keyof T]: IsGap<T[K]> extends true ? NotStorable<InList> : Storable<T[K]> }
        : StorableFields<T>;

/** As `Storable`, for an object. A property that is undefined is left out. Keys that are symbols are not stored: they only brand a type. */
export type StorableFields<T> = { [K in keyof T]: K extends symbol ? T[K] : Storable<T[K]> };

type AnyFunction = (...given: never) => unknown;
type AnyMap = ReadonlyMap<unknown, unknown>;
type Refused = bigint | symbol | AnyFunction | Date | AnyMap | ReadonlySet<unknown> | PromiseLike<unknown>;
/** Whether an item may be undefined, as far as its type tells: `unknown` and `any` are checked when the value is there. */
type IsGap<Item> = unknown extends Item ? false : undefined extends Item ? true : false;
type InList = 'undefined in a list: store null, or leave it out';

type ReasonOf<T> = T extends Date
  ? 'a Date: store it as text, e.g. toISOString()'
  : T extends bigint
    ? 'a bigint: store it as text, e.g. String(value)'
    : T extends AnyMap
      ? 'a Map: store it as an object, e.g. Object.fromEntries(map)'
      : T extends ReadonlySet<unknown>
        ? 'a Set: store it as a list, e.g. [...set]'
        : T extends PromiseLike<unknown>
          ? 'a Promise: await it first'
          : T extends symbol
            ? 'a symbol: store text'
            : 'a function: store plain data, without methods';

/** `unknown` if a value of this type can be stored; else what cannot be, and where. To be intersected with the type of a parameter. */
export type Refusal<T> = [T] extends [Storable<T>] ? unknown : NotStorable<Faults<T>>;

/** The same for what a function returns or resolves to; nothing at all is fine. */
export type ReturnRefusal<Returned> = Refusal<Awaited<Returned>>;

/** Looked for only where something is refused already; what lies deeper is said to be somewhere. */
type Faults<T, At extends string = '', Depth extends readonly 0[] = []> = unknown extends T
  ? never
  : T extends Json | undefined | void
    ? never
    : T extends Refused
      ? `${At extends '' ? '' : `${At} is `}${ReasonOf<T>}`
      : Depth['length'] extends 4
        ? [T] extends [Storable<T>]
          ? never
          : `${At} holds something that cannot be stored`
        : T extends readonly (infer Item)[]
          ? | Faults<Exclude<Item, undefined>, `${At}[]`, [...Depth, 0]>
            | (IsGap<Item> extends true ? `${At}[] is ${InList}` : never)
          : FaultsOfFields<T, At, [...Depth, 0]>;

type FaultsOfFields<T, At extends string, Depth extends readonly 0[]> = {
  [K in keyof T]-?: K extends string | number ? Faults<T[K], `${At}.${K}`, Depth> : never;
}[keyof T];

/** What others read of a task whose function returns this: a function that returns nothing, or undefined, has the output null. */
export type OutputOf<Returned> = ValueRead<Awaited<Returned>>;
type ValueRead<T> = unknown extends T
  ? T
  : [Extract<T, undefined | void>] extends [never]
    ? T
    : Exclude<T, undefined | void> | null;
