/** Type tests: what can be stored, and as what it is read. As in library.ts, a line after `@ts-expect-error` must be an error. */
import { chain, parallel, route, stateGraph, workflow, type Json, type JsonObject } from '../../src/index.ts';
import type { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Equal<A, B> extends true ? [] : [never]): void {}

// What is storable, in every way in which people write types.
interface Named {
  readonly id: string;
  readonly note?: string | undefined;
  children: readonly Named[];
}
interface Page<T> {
  items: T[];
  next: string | null;
}
declare enum Level {
  low,
  high,
}
declare enum Color {
  red = 'red',
}
type UserId = string & { readonly __brand: 'UserId' };
declare const brand: unique symbol;
type Order = { readonly total: number; readonly [brand]: 'Order' };
type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number };
type Parsed = z.infer<z.ZodObject<{ name: z.ZodString; age: z.ZodOptional<z.ZodNumber> }>>;
type Tree = { value: number; left?: Tree; right?: Tree };
class Plain {
  readonly x: number = 1;
}
interface Everything {
  named: Named;
  page: Page<Named>;
  level: Level;
  color: Color;
  user: UserId;
  order: Order;
  shape: Shape;
  parsed: Parsed;
  tree: Tree;
  plain: Plain;
  tuple: readonly [number, Named, ...string[]];
  record: Record<string, Named>;
  partial: Partial<Record<'a' | 'b', Shape>>;
  readonly: Readonly<Named>;
  template: `v${number}`;
  json: Json;
  object: JsonObject;
  later: unknown;
  anything: Anything;
  nothing: null;
}
type Anything = ReturnType<typeof JSON.parse>;
declare function some<T>(): T;

const everything = workflow<Everything>('everything')
  .task('a', ({ inputs }) => inputs)
  .task('b', { needs: ['a'] }, async ({ needs }) => needs.a)
  .task('c', { needs: ['b'], forEach: { in: ({ needs }) => [needs.b] } }, ({ item }) => item)
  .task('shape', () => some<Shape>())
  .task('text', () => 'text')
  .task('truth', () => true)
  .task('literal', () => some<'a' | 'b'>())
  .task('list', async () => [1, 2])
  .task('fields', () => ({ on: true, n: 1 }));
everything.outputs((outputs) => {
  same<typeof outputs.a, Everything>();
  same<typeof outputs.b, Everything>();
  same<typeof outputs.c, readonly Everything[]>();
  same<typeof outputs.shape, Shape>();
  same<typeof outputs.text, string>();
  same<typeof outputs.truth, boolean>();
  same<typeof outputs.literal, 'a' | 'b'>();
  same<typeof outputs.list, number[]>();
  same<typeof outputs.fields, { on: boolean; n: number }>();
  return outputs;
});
stateGraph<Everything>('everything').node('a', ({ tree }) => ({ tree, level: Level.high }));
chain<Named, Page<Named>>('everything', ({ result, item }) => ({ ...result, items: [item] }));
parallel<Everything, Shape>('everything', ({ shape }) => shape);
parallel('inferred', async (named: Named) => named);
route<Everything, Named>('everything', [{ when: () => true, run: ({ named }) => named }]);

// Nothing at all is a legal output, and is read as null.
const nothing = workflow<{ n?: number }>('nothing')
  .task('none', () => {})
  .task('later', async () => {})
  .task('undefined', () => undefined)
  .task('perhaps', ({ inputs }) => inputs.n)
  .task('text', async () => some<string | undefined>())
  .task('mixed', () => some<string | void>())
  .task('never', () => {
    throw new Error('always');
  })
  .task('later-known', () => some<unknown>())
  .task('list-known-later', () => some<unknown[]>())
  .task('anything', () => some<Anything>());
nothing.outputs((outputs) => {
  same<typeof outputs.none, null>();
  same<typeof outputs.later, null>();
  same<typeof outputs.undefined, null>();
  same<typeof outputs.perhaps, number | null>();
  same<typeof outputs.text, string | null>();
  same<typeof outputs.mixed, string | null>();
  same<(typeof outputs)['later-known'], unknown>();
  same<typeof outputs.anything, Anything>();
  return undefined;
});

// What cannot be stored is an error where it is written.
const flow = workflow('flow');
// @ts-expect-error
flow.task('a', () => new Date());
// @ts-expect-error
flow.task('a', async () => ({ deep: [{ when: new Date() }] }));
// @ts-expect-error
flow.task('a', () => new Map<string, number>());
// @ts-expect-error
flow.task('a', () => ({ seen: new Set<string>() }));
// @ts-expect-error
flow.task('a', () => 1n);
// @ts-expect-error
flow.task('a', () => Symbol('x'));
// @ts-expect-error
flow.task('a', () => ({ method: () => 1 }));
// @ts-expect-error
flow.task('a', () => ({ url: new URL('file:///') }));
// @ts-expect-error
flow.task('a', () => new Uint8Array(1));
// @ts-expect-error
flow.task('a', () => [1, undefined]);
// @ts-expect-error
flow.task('a', () => [some<string | undefined>()]);
// @ts-expect-error
flow.task('a', () => ({ later: Promise.resolve(1) }));
// @ts-expect-error
flow.task('a', () => some<Tree & { when?: Date }>());
// @ts-expect-error
flow.task('a', () => some<Page<Date>>());
// @ts-expect-error
flow.task('a', () => some<Shape | Date>());
// @ts-expect-error
flow.task('a', { timeout: 1 }, () => new Date());
// @ts-expect-error
flow.task('a', { if: 'always' }, () => new Date());
// @ts-expect-error
flow.task('a', { continueOnError: true }, () => new Date());
// @ts-expect-error
flow.task('a', { forEach: { in: () => [1] } }, () => new Date());
// @ts-expect-error
flow.task('a', { forEach: { in: () => [new Date()] } }, () => 1);
// @ts-expect-error
flow.outputs(() => ({ when: new Date() }));
// @ts-expect-error
flow.outputs(async () => 1);
// @ts-expect-error
workflow<{ when: Date }>('w');
// @ts-expect-error
workflow<{ list: (string | undefined)[] }>('w');
// @ts-expect-error
stateGraph<{ deep: { when: Date } }>('g');
// @ts-expect-error
stateGraph<{ when: unknown }>('g').node('a', () => ({ whn: new Date() }));
// @ts-expect-error
chain<Date, number>('c', () => 1);
// @ts-expect-error
chain<number, Date>('c', () => new Date());
// @ts-expect-error
parallel<Date, number>('p', () => 1);
// @ts-expect-error
parallel<number, Date>('p', () => new Date());
// @ts-expect-error
parallel('p', async (n: number) => new Date(n));
// @ts-expect-error
parallel<number, Date>('p', () => new Date(), { collectAll: true });
// @ts-expect-error
route<{ when: Date }, number>('r', [], () => 1);
// @ts-expect-error
route<{ n: number }, Date>('r', [], () => new Date());
